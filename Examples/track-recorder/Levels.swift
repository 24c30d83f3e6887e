// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import ToolSupport

/// The newest readings of the sources, as lines for a terminal.
final class Levels: Sendable {
    private let newest = Mutex<[SourceMeter]>([])

    /// Reads until the port is closed.
    func follow(_ port: ReceiverPort) async {
        for await meters in port.meters { newest.withLock { $0 = meters } }
    }

    /// One for each source.
    ///
    /// - Parameter droppedFrames: what the disk was too slow for until now.
    func lines(droppedFrames: Int) -> [String] {
        let lines = newest.withLock { $0 }.map { source in
            let latency = Decimal.text(source.latency.duration / .milliseconds(1), digits: 1)
            return "\(LevelBar.text(source.peak))  \(latency) ms  \(source.title)"
        }
        let lost = droppedFrames > 0 ? ["\(droppedFrames) frames dropped: the disk is too slow"] : []
        return (lines.isEmpty ? ["waiting until something is connected"] : lines) + lost
    }
}

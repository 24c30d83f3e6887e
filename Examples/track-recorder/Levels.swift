// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import ToolSupport

/// The newest readings of the sources, as lines for a terminal.
final class Levels: Sendable {
    private let newest = Mutex<[SourceMeter]>([])

    /// Reads until the port is closed.
    func follow(_ port: ReceiverPort) async {
        for await readings in port.meters { newest.withLock { $0 = readings } }
    }

    /// A line with the name of the port, and one for each source.
    ///
    /// - Parameters:
    ///   - nodeName: the port's.
    ///   - droppedFrames: number of frames that the disk was too slow for.
    func lines(of nodeName: String, droppedFrames: Int) -> [String] {
        let lines = newest.withLock { $0 }.map { reading in
            let latency = Decimal.text(reading.source.latency.duration / .milliseconds(1), digits: 1)
            return "\(LevelBar.text(reading.meter.peak))  \(latency) ms  \(reading.source.title)"
        }
        let lost = droppedFrames > 0 ? ["\(droppedFrames) frames dropped: the disk is too slow"] : []
        return ["\(nodeName)\(lines.isEmpty ? ": waiting until something is connected" : "")"] + lines + lost
    }
}

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

    /// A line with the name of the port, the recorded time and the file, and one for each source.
    ///
    /// - Parameters:
    ///   - nodeName: the port's.
    ///   - path: the file or folder.
    ///   - seconds: the time that is recorded; `nil` before the first sound.
    ///   - droppedFrames: number of frames that the disk was too slow for.
    ///   - names: the sources that are to be connected and are not there.
    func lines(
        of nodeName: String, path: String, seconds: Double?, droppedFrames: Int, waitingFor names: [String] = []
    ) -> [String] {
        let lines = newest.withLock { $0 }.map { reading in
            let latency = Decimal.text(reading.source.latency.duration / .milliseconds(1), digits: 1)
            let stalled = reading.source.isStalled ? " (does not answer)" : ""
            return "\(LevelBar.text(reading.meter.peak))  \(latency) ms  \(reading.source.title)\(stalled)"
        }
        let lost = droppedFrames > 0 ? ["\(droppedFrames) frames dropped: the disk is too slow"] : []
        let time = seconds.map { "  \(Self.time($0))" } ?? ""
        let awaited = names.isEmpty ? "until something is connected" : "for \(Self.list(names))"
        let waiting = lines.isEmpty || names.isEmpty ? [] : ["waiting \(awaited)"]
        // The path last: a narrow terminal cuts it off.
        let rest = lines.isEmpty ? ": waiting \(awaited)" : "  \(path)"
        return ["\(nodeName)\(time)\(rest)"] + lines + waiting + lost
    }

    /// "One", "One and Two", "One, Two and Three".
    private static func list(_ names: [String]) -> String {
        let last = names.last ?? ""
        return names.count < 2 ? last : "\(names.dropLast().joined(separator: ", ")) and \(last)"
    }

    /// Minutes and seconds, or hours, minutes and seconds: "0:07", "1:00:07".
    static func time(_ seconds: Double) -> String {
        let whole = Int(seconds)
        let minutes = whole / 60 % 60
        let end = ":\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
        return whole < 3600 ? "\(minutes)\(end)" : "\(whole / 3600):\(minutes < 10 ? "0" : "")\(minutes)\(end)"
    }
}

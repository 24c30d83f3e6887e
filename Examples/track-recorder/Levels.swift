// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import ToolSupport

/// The newest readings of the sources, as lines for a terminal.
final class Levels: Sendable {
    private struct State {
        var newest: [SourceMeter] = []
        /// The highest level of each source since the beginning. A reading has every sample since the one before.
        var peaks: [GraphPort.ID: Float] = [:]
    }

    private let state = Mutex(State())

    /// Reads until the port is closed.
    func follow(_ port: ReceiverPort) async {
        for await readings in port.meters { note(readings) }
    }

    /// Forgets the peaks from before the recording.
    func begin() { state.withLock { $0.peaks = [:] } }

    private func note(_ readings: [SourceMeter]) {
        state.withLock { state in
            state.newest = readings
            for reading in readings {
                state.peaks[reading.id] = max(state.peaks[reading.id] ?? 0, reading.meter.peak)
            }
        }
    }

    /// A line with the name of the port, the recorded time and the file, and one for each source.
    ///
    /// - Parameters:
    ///   - columns: the width of the terminal.
    ///   - nodeName: the port's.
    ///   - isArmed: whether the recording waits for a press.
    ///   - path: the file or folder.
    ///   - seconds: the time that is recorded; `nil` before the first sound.
    ///   - droppedFrames: number of frames that the disk was too slow for.
    ///   - names: the sources that are to be connected and are not there.
    func lines(
        of nodeName: String, isArmed: Bool = false, path: String, seconds: Double?, droppedFrames: Int,
        waitingFor names: [String] = [],
        columns: Int = StatusLine.size.columns
    ) -> [String] {
        let (readings, peaks) = state.withLock { ($0.newest, $0.peaks) }
        let lines = readings.map { reading in
            let latency = Decimal.text(reading.source.latency.duration / .milliseconds(1), digits: 1)
            let stalled = reading.source.isStalled ? " (does not answer)" : ""
            let title = "\(reading.source.title)\(stalled)"
            return Self.line(reading.meter.peak, peak: peaks[reading.id] ?? 0, "\(latency) ms", title, columns)
        }
        let lost = droppedFrames > 0 ? ["\(droppedFrames) frames dropped: the disk is too slow"] : []
        let time = isArmed ? "  armed" : seconds.map { "  \(Self.time($0))" } ?? ""
        let awaited = names.isEmpty ? "until something is connected" : "for \(Self.list(names))"
        let waiting = lines.isEmpty || names.isEmpty ? [] : ["waiting \(awaited)"]
        // The path last: a narrow terminal cuts it off.
        let rest = lines.isEmpty ? ": waiting \(awaited)" : "  \(path)"
        return ["\(nodeName)\(time)\(rest)"] + lines + waiting + lost
    }

    /// The level, its peak since the beginning, the latency and the title, or as much of that as leaves room for the title.
    static func line(_ level: Float, peak: Float, _ latency: String, _ title: String, _ columns: Int) -> String {
        switch columns {
        case ..<24: "\(LevelBar.bar(level, steps: 5)) \(title)"
        case ..<56: "\(LevelBar.bar(level, steps: 5))\(LevelBar.number(peak))  \(title)"
        default: "\(LevelBar.text(level))  peak\(LevelBar.number(peak))  \(latency)  \(title)"
        }
    }

    /// "One", "One and Two", "One, Two and Three".
    static func list(_ names: [String]) -> String {
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

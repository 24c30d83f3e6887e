// SPDX-License-Identifier: MIT
import Foundation

/// Counts and times of everything that was done, as a table.
struct SoakSummary {
    private var times: [SoakDeed: [Duration]] = [:]
    private(set) var changes = 0
    private(set) var checks = 0
    private(set) var checkedFrames: UInt64 = 0
    /// Breaks that `AudioCycle` marked at a port on the way.
    private(set) var markedBreaks: UInt64 = 0
    /// Times for which a source was missing and nothing marked it.
    private(set) var untimelyCycles = 0

    var deeds: Int { times.values.reduce(0) { $0 + $1.count } }
    var kinds: Set<SoakDeed> { Set(times.keys) }

    mutating func recovered(from deed: SoakDeed, after time: Duration) { times[deed, default: []].append(time) }
    mutating func changed() { changes += 1 }
    mutating func untimelyCycle() { untimelyCycles += 1 }
    mutating func checked(frames: UInt64, markedBreaks: UInt64) {
        checks += 1
        checkedFrames += frames
        self.markedBreaks += markedBreaks
    }

    var table: String {
        var lines = ["| fault | times | all is back: median | maximum |", "| --- | --- | --- | --- |"]
        for deed in SoakDeed.allCases {
            guard let times = times[deed]?.sorted(), let last = times.last else { continue }
            lines.append(
                "| \(deed.rawValue) | \(times.count) | \(Self.text(times[times.count / 2])) | \(Self.text(last)) |")
        }
        lines.append(
            "\(deeds) faults, \(changes) changes of the topology, \(checks) checks of \(checkedFrames) frames, "
                + "\(markedBreaks) breaks that were marked, \(untimelyCycles) untimely cycles")
        return lines.joined(separator: "\n")
    }

    private static func text(_ time: Duration) -> String { "\(Int(time / .milliseconds(1))) ms" }
}

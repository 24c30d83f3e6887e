// SPDX-License-Identifier: MIT

/// Detects process blocks that are running at two polls in a row, from the polled marks of the audio thread. Pure.
struct RunningBlockDetector: Sendable {
    /// The time to the next poll while a block runs.
    static let interval: Duration = .milliseconds(20)
    /// The time after which a block counts as one that does not return. It is at least two cycles.
    private static let limit: Duration = .milliseconds(80)
    /// The same where the cycle is unknown, or the graph freewheels.
    private static let unknownLimit: Duration = .seconds(1)

    /// The marks of the blocks that were running at the last poll, by any key of the port.
    private var marks: [UInt64: UInt32] = [:]
    /// Whether a block has been running since the poll before, so that none of the app's ports can run.
    private(set) var isAnyRunning = false

    /// Takes the mark of every port: odd while the audio thread runs it, and another one at each begin and end.
    ///
    /// - Parameter wasSuspended: whether this thread did not run for a while.
    mutating func update(_ samples: [UInt64: UInt32], wasSuspended: Bool) {
        let running = samples.filter { !$0.value.isMultiple(of: 2) }
        isAnyRunning = !wasSuspended && running.contains { marks[$0.key] == $0.value }
        marks = running
    }

    /// Whether any block is running, so that the next poll should come soon.
    var isAnyInside: Bool { !marks.isEmpty }

    /// The time after which a block counts as one that does not return.
    ///
    /// - Parameter duration: a cycle's; `nil` where it is unknown.
    static func limit(ofCycle duration: Duration?) -> Duration {
        duration.map { max(limit, $0 * 2) } ?? unknownLimit
    }
}

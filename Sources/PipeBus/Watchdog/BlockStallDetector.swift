// SPDX-License-Identifier: MIT

/// Detects process blocks that do not return, from the polled marks of the audio thread. Pure.
struct BlockStallDetector: Sendable {
    private struct Track {
        var mark: UInt32
        var since: SuspendingClock.Instant
        var isReported = false
    }

    /// The time after which a block counts as one that does not return.
    static let limit: Duration = .milliseconds(250)

    private var tracks: [UInt64: Track] = [:]

    /// Whether a block has been running since an earlier update, so that none of the app's ports can run.
    private(set) var isAnyRunning = false

    /// Takes the mark of every port, by any key of the port.
    ///
    /// - Parameters:
    ///   - marks: increased by one when a call of the audio thread begins, and when it ends: odd while it runs.
    ///   - wasSuspended: whether this process itself did not run for a while.
    /// - Returns: the ports whose block does not return, each once for each such call.
    mutating func update(
        _ marks: [UInt64: UInt32], at now: SuspendingClock.Instant, wasSuspended: Bool
    ) -> [UInt64] {
        var updated: [UInt64: Track] = [:]
        var found: [UInt64] = []
        isAnyRunning = false
        for (key, mark) in marks where !mark.isMultiple(of: 2) {
            guard var track = tracks[key], track.mark == mark, !wasSuspended || track.isReported else {
                updated[key] = Track(mark: mark, since: now)
                continue
            }
            isAnyRunning = true
            if !track.isReported, now - track.since >= Self.limit {
                track.isReported = true
                found.append(key)
            }
            updated[key] = track
        }
        tracks = updated
        return found.sorted()
    }
}

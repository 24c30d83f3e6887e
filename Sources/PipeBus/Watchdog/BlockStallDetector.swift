// SPDX-License-Identifier: MIT

/// Detects process blocks that do not return, from the polled marks of the audio thread. Pure.
///
/// When the apps downstream disconnect the port first, libpipewire holds this process's loop until the block returns: ``BlockWatch``
/// looks meanwhile. A block that returns after that is reported too.
struct BlockStallDetector: Sendable {
    /// A port's counter at one moment.
    struct Sample: Sendable, Equatable {
        /// Increased when a call of the audio thread begins and when it ends: odd while it runs.
        var mark: UInt32
        /// The duration of a cycle; `nil` if it is unknown, or the driver freewheels.
        var cycleDuration: Duration?
    }

    /// A call that does not return.
    struct Stall: Equatable {
        var port: UInt64
        /// The port's mark during the call.
        var mark: UInt32
    }

    private struct Track {
        var mark: UInt32
        var since: SuspendingClock.Instant
        /// Whether the call takes longer than any should.
        var isLong = false
        var isReported = false
    }

    /// The time after which a block counts as one that does not return. It is at least two cycles.
    private static let limit: Duration = .milliseconds(80)
    /// The same where the cycle is unknown.
    private static let unknownLimit: Duration = .seconds(1)
    /// The shortest time of a call that takes longer than any should. It is at least a cycle.
    private static let longTime: Duration = .milliseconds(40)
    /// The time to the next update while a block runs that may not return.
    static let interval: Duration = .milliseconds(20)

    private var tracks: [UInt64: Track] = [:]

    /// Whether a block has been running since an earlier update, so that none of the app's ports can run.
    private(set) var isAnyRunning = false

    /// Takes the counter of every port, by any key of the port.
    ///
    /// - Parameter wasSuspended: whether this thread did not run for a while.
    /// - Returns: the calls that do not return, each once.
    mutating func update(
        _ samples: [UInt64: Sample], at now: SuspendingClock.Instant, wasSuspended: Bool
    ) -> [Stall] {
        var updated: [UInt64: Track] = [:]
        var found: [Stall] = []
        isAnyRunning = false
        for (key, sample) in samples {
            let last = tracks[key]
            guard var track = last, track.mark == sample.mark, !wasSuspended || track.isLong else {
                // It was too long, and has returned while this thread could not run.
                if wasSuspended, let last, last.isLong, !last.isReported {
                    found.append(Stall(port: key, mark: last.mark))
                }
                if !sample.mark.isMultiple(of: 2) { updated[key] = Track(mark: sample.mark, since: now) }
                continue
            }
            isAnyRunning = true
            track.isLong = now - track.since >= max(Self.longTime, sample.cycleDuration ?? .zero)
            if !track.isReported, now - track.since >= Self.limit(ofCycle: sample.cycleDuration) {
                track.isReported = true
                found.append(Stall(port: key, mark: track.mark))
            }
            updated[key] = track
        }
        tracks = updated
        return found.sorted { $0.port < $1.port }
    }

    /// Whether any call is running, so that the next update should come soon.
    var isAnyInside: Bool { !tracks.isEmpty }

    /// The time after which a block counts as one that does not return.
    ///
    /// - Parameter duration: a cycle's; `nil` where it is unknown.
    static func limit(ofCycle duration: Duration?) -> Duration {
        duration.map { max(limit, $0 * 2) } ?? unknownLimit
    }
}

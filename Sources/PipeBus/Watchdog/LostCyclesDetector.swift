// SPDX-License-Identifier: MIT

/// Detects ports that lose most of their cycles, although they are never without one for so long that they count as held up:
/// a source that hangs for a moment again and again has that effect. From polled counters. Pure.
///
/// Each window of a second is bad if the driver's clock went on by more than twice the cycles that the port had. A port is
/// found after two bad windows, and is no more after a good one.
struct LostCyclesDetector: Sendable {
    private struct Track {
        /// The sample at which the window began.
        var first: HeldPortDetector.Sample
        var began: SuspendingClock.Instant
        var badWindows = 0
    }

    private static let window: Duration = .seconds(1)
    /// The number of bad windows after which a port is found.
    private static let limit = 2
    /// The number of cycles in a window that says something.
    private static let leastCycles: UInt64 = 4
    /// A clock that goes on by more cycles within a window is another one.
    private static let longestStep: UInt64 = 100_000

    private var tracks: [UInt64: Track] = [:]
    /// The ports that lose most of their cycles, by the keys of ``update(_:at:wasSuspended:)``.
    private(set) var found: Set<UInt64> = []

    /// Takes the counters of every port that has a reason to run, by any key of the port.
    ///
    /// - Parameter wasSuspended: whether this thread did not run for a while. Everything is measured again then.
    mutating func update(
        _ samples: [UInt64: HeldPortDetector.Sample], at now: SuspendingClock.Instant, wasSuspended: Bool
    ) {
        let last = wasSuspended ? [:] : tracks
        tracks = [:]
        found = []
        for (key, sample) in samples {
            let track = Self.track(sample, after: last[key], at: now)
            tracks[key] = track
            if track.badWindows >= Self.limit { found.insert(key) }
        }
    }

    /// Measures again, because a source was disconnected.
    mutating func startAgain() {
        tracks = [:]
        found = []
    }

    private static func track(
        _ sample: HeldPortDetector.Sample, after last: Track?, at now: SuspendingClock.Instant
    ) -> Track {
        guard var track = last, let passed = cycles(from: track.first, to: sample) else {
            return Track(first: sample, began: now)
        }
        guard now - track.began >= window, passed >= leastCycles else { return track }
        let had = sample.cycles - track.first.cycles
        track.badWindows = had < passed / 2 ? min(track.badWindows + 1, limit) : 0
        track.first = sample
        track.began = now
        return track
    }

    /// The number of cycles by which the driver's clock went on; `nil` if it cannot be told.
    private static func cycles(from first: HeldPortDetector.Sample, to last: HeldPortDetector.Sample) -> UInt64? {
        guard let begin = first.clock, let end = last.clock, first.cycleLength == last.cycleLength, last.cycleLength > 0
        else { return nil }
        // Another driver has another clock.
        guard end >= begin, end - begin <= longestStep * last.cycleLength, last.cycles >= first.cycles else {
            return nil
        }
        return (end - begin) / last.cycleLength
    }
}

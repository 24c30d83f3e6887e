// SPDX-License-Identifier: MIT

/// Detects ports whose own callback takes longer than the cycles last, from polled counters. Pure.
///
/// Each interval between two updates is bad or good. A port is overloaded after bad intervals of about a second, and no more
/// after good ones of a second. A callback that does not return makes the port overloaded at once.
struct OverloadDetector: Sendable {
    /// A port's counters at one moment.
    struct Sample: Sendable, Equatable {
        /// Number of the port's cycles.
        var cycles: UInt64
        /// Number of its callbacks that took longer than their cycle. It wraps.
        var overruns: UInt32
        /// Whether a callback runs that does not return in time.
        var isStuck = false
    }

    private struct Track {
        var sample: Sample
        var badSince: SuspendingClock.Instant?
        var goodSince: SuspendingClock.Instant
        var isOverloaded = false
    }

    /// The time of bad intervals after which a port is overloaded. Polls twice a second come a little earlier or later.
    static let limit: Duration = .milliseconds(900)
    /// The time of good intervals after which it is no more.
    static let recovery: Duration = .seconds(1)
    /// The longest time between two updates. A longer one says nothing, because this process itself did not run.
    private static let longestPause: Duration = .milliseconds(1500)

    private var tracks: [UInt64: Track] = [:]
    private var lastUpdate: SuspendingClock.Instant?
    /// The first update after this process did not run for a while.
    private var resumedAt: SuspendingClock.Instant?

    /// Updates begin again after a time without: a pause of the app's choice is no suspension. A port that is overloaded stays so.
    mutating func begin() { (lastUpdate, resumedAt) = (nil, nil) }

    /// Takes the counters of every port, by any key of the port.
    ///
    /// - Returns: the ports that are overloaded.
    mutating func update(_ samples: [UInt64: Sample], at now: SuspendingClock.Instant) -> Set<UInt64> {
        let start = lastUpdate ?? now
        let wasSuspended = now - start > Self.longestPause
        lastUpdate = now
        if wasSuspended { resumedAt = now }
        // A callback that was running then has not had its time since.
        let hasJustResumed = resumedAt.map { now - $0 < Self.recovery } ?? false
        var updated: [UInt64: Track] = [:]
        for (key, sample) in samples {
            var track = tracks[key] ?? Track(sample: sample, goodSince: now)
            defer { updated[key] = track }
            let last = track.sample
            track.sample = sample
            guard !wasSuspended else {
                track.badSince = nil
                track.goodSince = now
                continue
            }
            let isStuck = sample.isStuck && !hasJustResumed
            if isStuck || Self.isBad(from: last, to: sample) {
                let since = track.badSince ?? start
                track.badSince = since
                track.goodSince = now
                if isStuck || now - since >= Self.limit { track.isOverloaded = true }
            } else {
                track.badSince = nil
                if now - track.goodSince >= Self.recovery { track.isOverloaded = false }
            }
        }
        tracks = updated
        return Set(updated.filter(\.value.isOverloaded).keys)
    }

    /// Whether most of the cycles between two updates took too long.
    private static func isBad(from first: Sample, to last: Sample) -> Bool {
        let cycles = last.cycles - min(first.cycles, last.cycles)
        return UInt64(last.overruns &- first.overruns) * 2 > cycles && last.overruns != first.overruns
    }
}

// SPDX-License-Identifier: MIT

/// Detects ports that get no cycles although their driver goes on, from polled counters. Pure.
///
/// A driver that stands still, freewheels or is gone says nothing about a port, and neither does a time in which this
/// process itself did not run.
struct HeldPortDetector: Sendable {
    /// A port's counters at one moment.
    struct Sample: Sendable, Equatable {
        /// Number of the port's cycles.
        var cycles: UInt64
        /// The position of the driver's clock; `nil` while the port has no driver, or one that freewheels.
        var clock: UInt64?
        /// The duration of a cycle.
        var cycleDuration: Duration
        /// The number of frames in a cycle, as the clock counts them; 0 if it is unknown.
        var cycleLength: UInt64 = 0
    }

    private struct Track {
        var sample: Sample
        /// Since when the port gets no cycles, while its driver goes on.
        var since: SuspendingClock.Instant
        /// The last update at which the driver's clock had moved.
        var clockMovedAt: SuspendingClock.Instant
        /// Whether the port has run.
        var hasRun = false
    }

    /// The time between two polls.
    static let interval: Duration = .milliseconds(50)
    /// The time without a cycle after which a port counts as held up, if it ran before. It is at least four cycles.
    static let limit: Duration = .milliseconds(120)
    /// The same for a port that has not run yet.
    static let startLimit: Duration = .seconds(1)
    /// The time without a move of the driver's clock after which the driver stands still. It is at least two cycles.
    private static let standLimit: Duration = .milliseconds(80)
    /// The longest time between two updates. After a longer one everything is measured again, because this process
    /// itself did not run: it was stopped, or the whole machine slept.
    static let longestPause: Duration = .milliseconds(250)

    private var tracks: [UInt64: Track] = [:]
    private(set) var lastUpdate: SuspendingClock.Instant?
    /// The ports that are held up, by the keys of ``update(_:at:)``.
    private(set) var held: Set<UInt64> = []

    /// The time until the next moment at which all apps of the computer update: they bind the profiler together then. The one
    /// of 0.3.65 sends its first report at once, and lets those wait who bind it after that.
    ///
    /// - Parameter now: the time on CLOCK_MONOTONIC, in nanoseconds.
    static func untilCommonMoment(at now: UInt64) -> Duration {
        let interval = UInt64(Self.interval / .nanoseconds(1))
        return .nanoseconds(interval - now % interval)
    }

    /// Whether this process did not run for a while before `now`.
    func wasSuspended(at now: SuspendingClock.Instant) -> Bool {
        lastUpdate.map { now - $0 > Self.longestPause } ?? false
    }

    /// Whether a port is held up, and has still run so many cycles.
    func isHeld(_ key: UInt64, cycles: UInt64) -> Bool { held.contains(key) && tracks[key]?.sample.cycles == cycles }

    /// The time for which a port has got no cycles.
    func duration(of key: UInt64, at now: SuspendingClock.Instant) -> Duration {
        tracks[key].map { now - $0.since } ?? .zero
    }

    /// Takes the counters of every port that has a reason to run, by any key of the port.
    ///
    /// - Parameter now: the time on CLOCK_MONOTONIC.
    /// - Returns: the time to the next update: the usual one, or less if a port is about to count as held up.
    @discardableResult
    mutating func update(_ samples: [UInt64: Sample], at now: SuspendingClock.Instant) -> Duration {
        if wasSuspended(at: now) { tracks = [:] }
        lastUpdate = now
        var next = Self.interval
        held = []
        var updated: [UInt64: Track] = [:]
        for (key, sample) in samples {
            let track = Self.track(sample, after: tracks[key], at: now)
            updated[key] = track
            let left = Self.limit(of: track) - (now - track.since)
            if left <= .zero { held.insert(key) } else { next = min(next, max(left, .milliseconds(5))) }
        }
        tracks = updated
        return next
    }

    private static func track(_ sample: Sample, after last: Track?, at now: SuspendingClock.Instant) -> Track {
        guard var track = last else { return Track(sample: sample, since: now, clockMovedAt: now) }
        if sample.cycles != track.sample.cycles {
            return Track(sample: sample, since: now, clockMovedAt: now, hasRun: true)
        }
        if sample.clock != track.sample.clock { track.clockMovedAt = now }
        let mayStand = max(standLimit, sample.cycleDuration * 2)
        if sample.clock == nil || now - track.clockMovedAt > mayStand { track.since = now }
        track.sample = sample
        return track
    }

    private static func limit(of track: Track) -> Duration {
        max(track.hasRun ? limit : startLimit, track.sample.cycleDuration * 4)
    }
}

// SPDX-License-Identifier: MIT
import PipeWireClient

/// Detects, after the fact, that the system slept, or that this process did not run. Pure.
struct SuspensionDetector: Sendable {
    /// The shortest sleep of the system that counts. Two readings of the clocks differ by less than a millisecond.
    static let shortestSleep: Duration = .milliseconds(100)
    /// The shortest time without running that counts.
    ///
    /// A thread that is ready waits for a processor for some milliseconds for each other one, so a machine needs hundreds
    /// of them to make it wait for a second. Peers disconnect a source that stands still for 0.25 s, so shorter stops do
    /// not go unnoticed: their effect is a gap, which each cycle reports.
    static let shortestStop: Duration = .seconds(1)

    /// A pause of a thread that ended late.
    struct LateWake: Sendable, Equatable {
        /// When it should have ended.
        var due: MonotonicTime
        var ended: MonotonicTime

        var lateness: Duration {
            due < ended ? .nanoseconds(ended.nanoseconds - due.nanoseconds) : .zero
        }
    }

    /// A late wake that ended longer ago than this does not count: no port was connected then. In nanoseconds.
    private static let oldest: UInt64 = 1_000_000_000

    private var timeAsleep: Duration?
    /// When a stop was last found.
    private var lastStop: MonotonicTime?

    /// Takes a reading of the system's clocks.
    ///
    /// - Returns: how long the system has slept since the last reading; `nil` if it has not.
    mutating func update(_ clocks: SystemClocks) -> Duration? {
        defer { timeAsleep = clocks.timeAsleep }
        // A process that is restored from an image has another offset, which may be smaller.
        guard let timeAsleep, clocks.timeAsleep - timeAsleep >= Self.shortestSleep else { return nil }
        return clocks.timeAsleep - timeAsleep
    }

    /// Judges waits that ended late.
    ///
    /// A stop that begins while the control side works, and waits for nothing, is seen by that thread alone.
    ///
    /// - Parameters:
    ///   - overdue: how late the control side was woken for a timer that it was waiting for.
    ///   - lateWake: the longest late pause of the thread that looks at blocks. It may be of a stop that was found before.
    ///   - played: the duration of the sound that the process has processed since the last judgement.
    /// - Returns: for how long this process did not run; `nil` if it ran, or if that was returned before.
    mutating func stop(overdue: Duration, lateWake: LateWake?, played: Duration, at now: MonotonicTime) -> Duration? {
        var longest = overdue
        if let lateWake, isNew(lateWake, at: now) { longest = max(longest, lateWake.lateness) }
        // While the audio thread runs, whose priority is higher, the machine is only busy.
        guard longest >= Self.shortestStop, played * 2 < longest else { return nil }
        lastStop = now
        return longest
    }

    private func isNew(_ wake: LateWake, at now: MonotonicTime) -> Bool {
        if let lastStop, wake.due < lastStop { return false }
        return now.nanoseconds < wake.ended.nanoseconds + Self.oldest
    }
}

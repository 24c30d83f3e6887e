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

    private var timeAsleep: Duration?

    /// Takes a reading of the system's clocks.
    ///
    /// - Returns: how long the system has slept since the last reading; `nil` if it has not.
    mutating func update(_ clocks: SystemClocks) -> Duration? {
        defer { timeAsleep = clocks.timeAsleep }
        // A process that is restored from an image has another offset, which may be smaller.
        guard let timeAsleep, clocks.timeAsleep - timeAsleep >= Self.shortestSleep else { return nil }
        return clocks.timeAsleep - timeAsleep
    }

    /// Judges a timer that came late.
    ///
    /// - Parameters:
    ///   - overdue: how late the control side was woken for a timer that it was waiting for.
    ///   - played: the duration of the sound that the process has processed since the last judgement.
    /// - Returns: for how long this process did not run; `nil` if it ran.
    static func stop(overdue: Duration, played: Duration) -> Duration? {
        // While the audio thread runs, whose priority is higher, the machine is only busy.
        overdue >= shortestStop && played * 2 < overdue ? overdue : nil
    }
}

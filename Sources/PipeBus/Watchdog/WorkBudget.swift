// SPDX-License-Identifier: MIT

/// Keeps work that other processes cause to half of a processor's time, with bursts of up to 100 ms. Pure.
struct WorkBudget: Sendable {
    private static let burst: Duration = .milliseconds(100)
    private var balance = Self.burst
    private var last: ContinuousClock.Instant?

    /// Whether there is time for more work.
    mutating func allowsWork(at now: ContinuousClock.Instant) -> Bool {
        if let last { balance = min(balance + (now - last) / 2, Self.burst) }
        last = now
        return balance > .zero
    }

    /// Takes note of the processor time that work took.
    mutating func spend(_ time: Duration) { balance -= time }
}

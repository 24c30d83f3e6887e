// SPDX-License-Identifier: MIT

/// How often something may happen: as it likes for a while, and then so many times a second. Pure.
struct RateLimit: Sendable {
    private let burst: Double
    private let perSecond: Double
    private var left: Double
    private var last: ContinuousClock.Instant?

    init(burst: Int, perSecond: Int) {
        self.burst = Double(burst)
        self.perSecond = Double(perSecond)
        left = self.burst
    }

    /// Whether it may happen now; then it counts as done.
    mutating func allows(at now: ContinuousClock.Instant) -> Bool {
        if let last { left = min(burst, left + (now - last) / .seconds(1) * perSecond) }
        last = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}

// SPDX-License-Identifier: MIT

/// A token bucket: allows a burst of events, and a number of events per second after that. Pure.
package struct RateLimit: Sendable {
    private let burst: Double
    private let perSecond: Double
    private var tokens: Double
    private var last: ContinuousClock.Instant?

    package init(burst: Int, perSecond: Double) {
        self.burst = Double(burst)
        self.perSecond = perSecond
        tokens = self.burst
    }

    /// Takes a token for an event.
    ///
    /// - Returns: whether there was one, so that the event may happen now.
    package mutating func allows(at now: ContinuousClock.Instant) -> Bool {
        if let last { tokens = min(burst, tokens + (now - last) / .seconds(1) * perSecond) }
        last = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}

// SPDX-License-Identifier: MIT

/// The delays between attempts: 10 ms, then twice as long each time, 2 s at most. Pure.
package struct BackOff: Sendable, Equatable {
    private static let shortest: Duration = .milliseconds(10)

    private let longest: Duration
    /// The delay before the next attempt.
    private(set) var delay: Duration

    package init() {
        longest = .seconds(2)
        delay = Self.shortest
    }

    /// Delays that have grown to their longest already. With a very long one a test sees what else ends a delay.
    package init(grownTo longest: Duration) {
        self.longest = longest
        delay = longest
    }

    /// The delay before this attempt. The next one is longer.
    mutating func next() -> Duration {
        defer { delay = min(delay * 2, longest) }
        return delay
    }

    mutating func reset() { delay = Self.shortest }
}

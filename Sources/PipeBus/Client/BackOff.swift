// SPDX-License-Identifier: MIT

/// The delays between attempts: 10 ms, then twice as long each time, 2 s at most. Pure.
struct BackOff: Sendable, Equatable {
    static let shortest: Duration = .milliseconds(10)
    static let longest: Duration = .seconds(2)

    /// The delay before the next attempt.
    private(set) var delay = shortest

    /// The delay before this attempt. The next one is longer.
    mutating func next() -> Duration {
        defer { delay = min(delay * 2, Self.longest) }
        return delay
    }

    mutating func reset() { delay = Self.shortest }
}

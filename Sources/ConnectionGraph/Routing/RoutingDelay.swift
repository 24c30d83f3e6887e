// SPDX-License-Identifier: MIT

/// The delays between attempts, for a number of attempts from 1.
enum RoutingDelay {
    /// 0.25 s, then twice as long each time, 30 s at most.
    static func connection(_ attempts: Int) -> Duration { .milliseconds(min(250 << min(attempts - 1, 10), 30_000)) }

    /// 20 ms, then twice as long each time, 2 s at most.
    static func setting(_ attempts: Int) -> Duration { .milliseconds(min(20 << min(attempts - 1, 10), 2000)) }

    /// A level or a bypass is given up after so many attempts, 10 s.
    static let mostSettingAttempts = 11
}

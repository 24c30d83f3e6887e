// SPDX-License-Identifier: MIT
import PipeWireClient

/// The sentences for notices of requests that were refused or dropped. There are few, however many requests come.
struct RequestRefusals {
    private var dropCount = 0
    private var dropNotices = RateLimit(burst: 1, perSecond: 0.1)
    /// The number of refusals since the last notice of one.
    private var untold = 0
    private var notices = RateLimit(burst: 16, perSecond: 0.2)

    /// Takes note of requests that were dropped.
    ///
    /// - Returns: the sentence; `nil` if there was one a moment ago.
    mutating func dropped(_ count: Int) -> String? {
        dropCount += count
        guard dropNotices.allows(at: .now) else { return nil }
        return "Other apps send requests faster than they can be handled: \(dropCount) were dropped so far."
    }

    /// Takes note of a refusal.
    ///
    /// - Returns: the sentence; `nil` if there were many a moment ago.
    mutating func refused(_ key: String, because reason: String) -> String? {
        untold += 1
        guard notices.allows(at: .now) else { return nil }
        let others = untold > 1 ? " So were \(untold - 1) requests before it." : ""
        untold = 0
        return "Another app wanted to set \"\(Names.shown(key))\", which was refused: \(reason).\(others)"
    }
}

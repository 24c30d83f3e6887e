// SPDX-License-Identifier: MIT

/// The mix levels of each receiver's present and past sources, by the receiver's name. They outlive the receiver. Pure.
///
/// Other apps can set levels too, of sources whose names they invent. So the number of levels that were set one by one is
/// limited: beyond it, the level that was set longest ago is forgotten.
struct RememberedLevels {
    /// Number of a receiver's sources whose level was set and is remembered.
    static let limit = 1000

    private struct Receiver {
        var levels = SourceLevels()
        /// When each level was set, as a number that grows with each.
        var turns: [Source.Identity: UInt64] = [:]
    }

    private var receivers: [String: Receiver] = [:]
    private var turn: UInt64 = 0

    /// The levels at a receiver. Setting them replaces all, and any number of them is kept.
    subscript(receiver: String) -> SourceLevels {
        get { receivers[receiver]?.levels ?? SourceLevels() }
        set { receivers[receiver] = Receiver(levels: newValue) }
    }

    mutating func set(_ level: Source.Level, of source: Source.Identity, at receiver: String) {
        turn += 1
        var known = receivers.removeValue(forKey: receiver) ?? Receiver()
        known.levels[source] = level
        known.turns[source] = level == Source.Level() ? nil : turn
        if known.turns.count > Self.limit, let oldest = known.turns.min(by: { $0.value < $1.value })?.key {
            known.turns[oldest] = nil
            known.levels[oldest] = Source.Level()
        }
        receivers[receiver] = known
    }

    mutating func removeAll() { receivers = [:] }
}

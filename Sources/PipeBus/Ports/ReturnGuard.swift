// SPDX-License-Identifier: MIT

/// What a port knows of links that bring back its own app's sound although that is not allowed. Each is removed once; one
/// that comes back stays, and is not heard.
struct ReturnGuard {
    /// A link, whenever it is made: ids of links are used again.
    struct Way: Hashable {
        var source: UInt64
        var output: UInt32
        var input: UInt32
    }

    enum Decision: Equatable {
        /// Remove it.
        case remove
        /// It is being removed, or was left alone before.
        case none
        /// It came back: leave it, and say so.
        case silence
    }

    private var removed: Set<Way> = []
    /// By their ids, what was decided of links that are there.
    private var decided: [UInt32: Decision] = [:]
    private var blockedLanes: UInt64 = 0
    /// Sources of which the app was told that they may be the app itself.
    private var toldPossible: Set<UInt64> = []

    /// Decides on a link that brings something back.
    mutating func decide(link: UInt32, _ way: Way) -> Decision {
        if decided[link] != nil { return .none }
        let decision: Decision = removed.insert(way).inserted ? .remove : .silence
        decided[link] = decision
        return decision
    }

    mutating func linkRemoved(_ link: UInt32) { decided[link] = nil }

    /// A node has gone: what it did before no longer counts against the next one.
    mutating func sourceRemoved(_ source: UInt64) { removed = removed.filter { $0.source != source } }

    /// - Returns: whether it is another set than before.
    mutating func block(lanes: UInt64) -> Bool {
        guard lanes != blockedLanes else { return false }
        blockedLanes = lanes
        return true
    }

    func isBlocked(lane: Int) -> Bool { blockedLanes >> UInt64(lane) & 1 == 1 }

    /// Takes note of the sources that may be the app itself, and gives those that were not among them before.
    mutating func possible(_ sources: Set<UInt64>) -> Set<UInt64> {
        defer { toldPossible = sources }
        return sources.subtracting(toldPossible)
    }
}

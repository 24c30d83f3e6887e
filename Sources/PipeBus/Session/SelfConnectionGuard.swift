// SPDX-License-Identifier: MIT

/// What a port knows of links that bring back its own app's sound although that is not allowed. Each is removed once; one
/// that comes back stays, and is not heard.
struct SelfConnectionGuard {
    /// A link, whenever it is made and to whichever lane: ids of links are used again, and lanes are as good as each other.
    struct Route: Hashable {
        var source: UInt64
        /// Channels of the two ports.
        var output: Int
        var input: Int
    }

    enum Decision: Equatable {
        /// Remove it.
        case remove
        /// It is being removed.
        case wait
        /// It came back, or could not be removed: leave it, and let nobody hear it.
        case silence
    }

    private var removed: Set<Route> = []
    /// Sources of links that are being removed, by the links' ids.
    private var removing: [UInt32: UInt64] = [:]
    private var blockedLanes = LaneSet()
    /// Sources that were reported to the app as silenced, and as possibly its own sound.
    private var reportedSilenced: Set<UInt64> = []
    private var reportedPossible: Set<UInt64> = []

    /// Decides on a link that brings something back.
    mutating func decide(link: UInt32, _ route: Route) -> Decision {
        if removing[link] != nil { return .wait }
        guard removed.insert(route).inserted else { return .silence }
        removing[link] = route.source
        return .remove
    }

    func isRemoving(link: UInt32) -> Bool { removing[link] != nil }

    /// Whether links of a source are being removed: those of one connection are spoken of together.
    func isRemoving(from source: UInt64) -> Bool { removing.values.contains(source) }

    /// - Returns: whether it was being removed.
    @discardableResult
    mutating func linkRemoved(_ link: UInt32) -> Bool { removing.removeValue(forKey: link) != nil }

    /// A node has gone: what it did before no longer counts against the next one.
    mutating func sourceRemoved(_ source: UInt64) { removed = removed.filter { $0.source != source } }

    /// - Returns: whether it is another set than before.
    mutating func block(lanes: LaneSet) -> Bool {
        guard lanes != blockedLanes else { return false }
        blockedLanes = lanes
        return true
    }

    func isBlocked(lane: Int) -> Bool { blockedLanes.contains(lane) }

    /// Takes note of the sources that are not heard, and gives those that were not among them before.
    mutating func silenced(_ sources: Set<UInt64>) -> Set<UInt64> {
        defer { reportedSilenced = sources }
        return sources.subtracting(reportedSilenced)
    }

    /// The same for the sources that may be the app itself.
    mutating func possible(_ sources: Set<UInt64>) -> Set<UInt64> {
        defer { reportedPossible = sources }
        return sources.subtracting(reportedPossible)
    }
}

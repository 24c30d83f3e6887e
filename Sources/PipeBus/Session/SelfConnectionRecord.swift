// SPDX-License-Identifier: MIT

/// The record of the forbidden links at a port, which bring back its own app's sound. Each is removed once. A link that
/// comes back stays, and is silenced. Pure.
struct SelfConnectionRecord {
    /// The identity of a link over time. It contains no global id, which the daemon uses again, and no lane, because a
    /// link may come back on another one.
    struct Route: Hashable {
        var source: UInt64
        /// The index of the source's output, and of the input within its lane.
        var output: Int
        var input: Int
    }

    enum Decision: Equatable {
        /// Remove the link.
        case remove
        /// Wait, because the link is being removed.
        case wait
        /// Silence the link, because it came back or could not be removed.
        case silence
    }

    private var removed: Set<Route> = []
    /// Sources of links that are being removed, by the links' ids.
    private var removing: [UInt32: UInt64] = [:]
    /// Sources that were reported to the app as silenced.
    private var reportedSilenced: Set<UInt64> = []
    /// Sources that were reported to the app as possibly its own sound.
    private var reportedPossible: Set<UInt64> = []

    /// Decides on a forbidden link.
    mutating func decide(link: UInt32, _ route: Route) -> Decision {
        if removing[link] != nil { return .wait }
        guard removed.insert(route).inserted else { return .silence }
        removing[link] = route.source
        return .remove
    }

    func isRemoving(link: UInt32) -> Bool { removing[link] != nil }

    /// Whether links of a source are being removed. All links of a connection are reported with one notice.
    func isRemoving(from source: UInt64) -> Bool { removing.values.contains(source) }

    /// - Returns: whether the link was being removed.
    @discardableResult
    mutating func linkRemoved(_ link: UInt32) -> Bool { removing.removeValue(forKey: link) != nil }

    /// Forgets a source whose node has left the graph: its links do not count against another node.
    mutating func sourceRemoved(_ source: UInt64) { removed = removed.filter { $0.source != source } }

    /// Records the sources that are silenced.
    ///
    /// - Returns: the sources that were not silenced before.
    mutating func recordSilenced(_ sources: Set<UInt64>) -> Set<UInt64> {
        defer { reportedSilenced = sources }
        return sources.subtracting(reportedSilenced)
    }

    /// Records the sources whose sound may be the app's own.
    ///
    /// - Returns: the sources that were not recorded before.
    mutating func recordPossible(_ sources: Set<UInt64>) -> Set<UInt64> {
        defer { reportedPossible = sources }
        return sources.subtracting(reportedPossible)
    }
}

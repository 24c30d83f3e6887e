// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// The order links, and the pairs whose link was made again.
struct OrderLinks {
    private var links: [PortOrder.Pair: Link] = [:]
    private var remade: Set<PortOrder.Pair> = []

    subscript(pair: PortOrder.Pair) -> Link? { links[pair] }

    mutating func insert(_ link: Link, for pair: PortOrder.Pair) { links[pair] = link }

    mutating func remove(_ pair: PortOrder.Pair) -> Link? { links.removeValue(forKey: pair) }

    /// Forgets a port that leaves the graph.
    ///
    /// - Returns: the port's links.
    mutating func removeAll(of name: String) -> [Link] {
        let removed = links.filter { $0.key.before == name || $0.key.after == name }
        for pair in removed.keys { links[pair] = nil }
        remade = remade.filter { $0.before != name && $0.after != name }
        return Array(removed.values)
    }

    /// Records that a pair's link is made again.
    ///
    /// - Returns: whether it is the first time. A second removal by another program is intended.
    mutating func recordRemake(_ pair: PortOrder.Pair) -> Bool { remade.insert(pair).inserted }
}

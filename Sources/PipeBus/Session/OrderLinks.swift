// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// The silent links that keep an order, and which of them somebody removed before.
struct OrderLinks {
    private var links: [PortOrder.Pair: Link] = [:]
    private var remade: Set<PortOrder.Pair> = []

    subscript(pair: PortOrder.Pair) -> Link? { links[pair] }

    mutating func insert(_ link: Link, for pair: PortOrder.Pair) { links[pair] = link }

    mutating func remove(_ pair: PortOrder.Pair) -> Link? { links.removeValue(forKey: pair) }

    /// Forgets a port that goes.
    ///
    /// - Returns: its links.
    mutating func removeAll(of name: String) -> [Link] {
        let gone = links.filter { $0.key.before == name || $0.key.after == name }
        for pair in gone.keys { links[pair] = nil }
        remade = remade.filter { $0.before != name && $0.after != name }
        return Array(gone.values)
    }

    /// A link that somebody removed is made again once; whoever removes it twice means it.
    mutating func mayRemake(_ pair: PortOrder.Pair) -> Bool { remade.insert(pair).inserted }
}

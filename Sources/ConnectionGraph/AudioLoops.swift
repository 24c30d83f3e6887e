// SPDX-License-Identifier: MIT

/// Finds what has to be linked again when an order comes later than the audio.
package enum AudioLoops {
    package struct Link<ID, Node: Hashable> {
        package var id: ID
        package var from: Node
        package var to: Node
        package var isAudio: Bool

        package init(id: ID, from: Node, to: Node, isAudio: Bool) {
            self.id = id
            self.from = from
            self.to = to
            self.isAudio = isAudio
        }
    }

    /// The audio links that lead into any of some nodes, from outside them, with sound that went through one node. While
    /// they are there, a link from those nodes to that one would close a circle; without them none does.
    package static func links<ID, Node>(
        _ links: [Link<ID, Node>], closingLoopsFrom source: Node, into destinations: Set<Node>
    ) -> [ID] {
        var nexts: [Node: Set<Node>] = [:]
        for link in links { nexts[link.from, default: []].insert(link.to) }
        var reached: Set<Node> = [source]
        var waiting = [source]
        while let node = waiting.popLast() {
            // What is behind the destinations comes from them anyway.
            if destinations.contains(node) { continue }
            for next in nexts[node] ?? [] where reached.insert(next).inserted { waiting.append(next) }
        }
        return links.filter { link in
            link.isAudio && destinations.contains(link.to) && !destinations.contains(link.from)
                && reached.contains(link.from)
        }
        .map(\.id)
    }
}

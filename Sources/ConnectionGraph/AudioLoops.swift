// SPDX-License-Identifier: MIT

/// Finds the audio links to make again when an order link is made after the audio.
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

    /// The audio links that lead from outside into any of the destinations, with sound that passed through the source
    /// node.
    ///
    /// While these links exist, a link from the destinations to the source node would close a loop. Without them it
    /// closes none.
    package static func links<ID, Node>(
        _ links: [Link<ID, Node>], closingLoopsFrom source: Node, into destinations: Set<Node>
    ) -> [ID] {
        var nexts: [Node: Set<Node>] = [:]
        for link in links { nexts[link.from, default: []].insert(link.to) }
        var reached: Set<Node> = [source]
        var waiting = [source]
        while let node = waiting.popLast() {
            // The nodes behind the destinations get their sound from these anyway.
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

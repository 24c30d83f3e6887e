// SPDX-License-Identifier: MIT

extension GraphReducer {
    /// A port that carries no audio. It is no channel, but a way from node to node all the same.
    struct SilentPort: Sendable {
        var node: UInt32
        var isInput: Bool
        /// Only keeps an order, see ``OrderPort``.
        var isOrder: Bool
    }

    /// The port of a node by which an order is kept.
    package func orderPort(ofNode node: UInt32, isInput: Bool) -> UInt32? {
        silentPorts.first { $0.value.isOrder && $0.value.node == node && $0.value.isInput == isInput }?.key
    }

    /// Audio links into any of some nodes that come, over whatever other nodes, from one node. While they are there, a link
    /// from those nodes to that one would close a circle.
    package func links(closingLoopsFrom source: UInt32, into destinations: Set<UInt32>) -> [UInt32] {
        var nexts: [UInt32: Set<UInt32>] = [:]
        for link in links.values {
            guard let from = anyNode(ofPort: link.output), let to = anyNode(ofPort: link.input) else { continue }
            nexts[from, default: []].insert(to)
        }
        var reached: Set<UInt32> = [source]
        var waiting = [source]
        while let node = waiting.popLast() {
            // What is behind the destinations comes from them anyway.
            if destinations.contains(node) { continue }
            for next in nexts[node] ?? [] where reached.insert(next).inserted { waiting.append(next) }
        }
        return links.filter { _, link in
            guard let from = node(ofChannel: link.output), let to = node(ofChannel: link.input) else { return false }
            return destinations.contains(to) && !destinations.contains(from) && reached.contains(from)
        }
        .keys.sorted()
    }

    private func anyNode(ofPort id: UInt32) -> UInt32? { node(ofChannel: id) ?? silentPorts[id]?.node }
}

/// The ports by which PipeBus keeps the order of an app's ports.
package enum OrderPort {
    /// A format that libpipewire knows and that JACK programs are not shown, nor most patchbays.
    package static let format = "8 bit raw control"
    package static let input = "order_in"
    package static let output = "order_out"
}

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

    /// Audio links into any of some nodes that come, over whatever other nodes, from one node; see ``AudioLoops``.
    package func links(closingLoopsFrom source: UInt32, into destinations: Set<UInt32>) -> [UInt32] {
        let all = links.compactMap { id, link -> AudioLoops.Link<UInt32, UInt32>? in
            guard let from = anyNode(ofPort: link.output), let to = anyNode(ofPort: link.input) else { return nil }
            let isAudio = node(ofChannel: link.output) != nil && node(ofChannel: link.input) != nil
            return AudioLoops.Link(id: id, from: from, to: to, isAudio: isAudio)
        }
        return AudioLoops.links(all, closingLoopsFrom: source, into: destinations).sorted()
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

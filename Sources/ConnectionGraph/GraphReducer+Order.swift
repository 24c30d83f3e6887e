// SPDX-License-Identifier: MIT

extension GraphReducer {
    /// The port of a node that keeps an order.
    package func orderPort(ofNode node: UInt32, isInput: Bool) -> UInt32? {
        otherChannels.first { $0.value.isOrder && $0.value.node == node && $0.value.isInput == isInput }?.key
    }

    /// Audio links into any of the destinations that come, directly or over other nodes, from one node; see
    /// ``AudioLoops``.
    package func links(closingLoopsFrom source: UInt32, into destinations: Set<UInt32>) -> [UInt32] {
        let all = links.compactMap { id, link -> AudioLoops.Link<UInt32, UInt32>? in
            guard let from = anyNode(ofPort: link.output), let to = anyNode(ofPort: link.input) else { return nil }
            let isAudio = node(ofChannel: link.output) != nil && node(ofChannel: link.input) != nil
            return AudioLoops.Link(id: id, from: from, to: to, isAudio: isAudio)
        }
        return AudioLoops.links(all, closingLoopsFrom: source, into: destinations).sorted()
    }

    private func anyNode(ofPort id: UInt32) -> UInt32? { node(ofChannel: id) ?? otherChannels[id]?.node }
}

/// The ports with which PipeBus keeps the order of an app's ports.
package enum OrderPort {
    /// A format that libpipewire knows. JACK programs and most patchbays do not show ports of this format.
    package static let format = "8 bit raw control"
    package static let input = "order_in"
    package static let output = "order_out"
}

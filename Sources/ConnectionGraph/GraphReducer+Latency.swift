// SPDX-License-Identifier: MIT

/// The data from which the latency of loops is computed.
extension GraphReducer {
    /// A link between two audio channels, with the nodes of the channels.
    package struct AudioLink: Sendable {
        package var id: UInt32
        package var output: UInt32
        package var outputNode: UInt32
        package var input: UInt32
        package var inputNode: UInt32

        package init(id: UInt32, output: UInt32, outputNode: UInt32, input: UInt32, inputNode: UInt32) {
            self.id = id
            self.output = output
            self.outputNode = outputNode
            self.input = input
            self.inputNode = inputNode
        }
    }

    /// All audio links. Foreign nodes of one link group, such as the two of a `pw-loopback`, count as one node: the one
    /// with the lowest id.
    package var audioLinks: [AudioLink] {
        var groups: [String: UInt32] = [:]
        for (id, node) in nodes {
            guard let group = node.linkGroup else { continue }
            groups[group] = min(groups[group] ?? id, id)
        }
        func whole(_ node: UInt32) -> UInt32 { nodes[node]?.linkGroup.flatMap { groups[$0] } ?? node }
        return links.compactMap { id, link in
            guard let output = channels[link.output], let input = channels[link.input] else { return nil }
            return AudioLink(
                id: id, output: link.output, outputNode: whole(output.node), input: link.input,
                inputNode: whole(input.node))
        }
    }

    /// The latency that each PipeBus filter adds, in frames, clamped to 0…1,048,576, by the id of its node.
    package var latenciesOfFilters: [UInt32: Int] {
        nodes.compactMapValues { node in
            node.properties[PipeBusProperty.kind] == "filter" ? node.declaredLatency : nil
        }
    }
}

extension GraphReducer.Object {
    /// The latency that a PipeBus port adds, in frames. Another process wrote it.
    var declaredLatency: Int? {
        properties[PipeBusProperty.latency].flatMap { Int($0) }.map { min(max($0, 0), 1_048_576) }
    }

    /// The link group of a foreign node.
    ///
    /// A PipeBus app puts all its ports into one group, so that no session manager connects them. That group says
    /// nothing about the path of sound inside the app.
    var linkGroup: String? {
        properties[PipeBusProperty.kind] == nil ? properties["node.link-group"] : nil
    }
}

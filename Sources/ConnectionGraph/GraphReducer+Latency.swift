// SPDX-License-Identifier: MIT

/// What tells how late sound is that goes round in a loop.
extension GraphReducer {
    /// A link between two audio channels, with the nodes that these belong to.
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

    package var audioLinks: [AudioLink] {
        links.compactMap { id, link in
            guard let output = channels[link.output], let input = channels[link.input] else { return nil }
            return AudioLink(
                id: id, output: link.output, outputNode: output.node, input: link.input, inputNode: input.node)
        }
    }

    /// What PipeBus filters say that they add, in frames, by the ids of their nodes.
    package var latenciesOfFilters: [UInt32: Int] {
        nodes.compactMapValues { node in
            guard node.properties[PipeBusProperty.kind] == "filter",
                let latency = node.properties[PipeBusProperty.latency].flatMap({ Int($0) })
            else { return nil }
            return min(max(latency, 0), 1_048_576)
        }
    }
}

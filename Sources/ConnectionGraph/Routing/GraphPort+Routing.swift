// SPDX-License-Identifier: MIT

extension GraphPort {
    /// The outputs that `connect` connects. A device's monitors, which repeat its input, are its sound only if it has no other outputs.
    package var connectableOutputs: [Channel] {
        let nonMonitors = outputs.filter { !$0.isMonitor }
        return nonMonitors.isEmpty ? outputs : nonMonitors
    }

    /// Whether the port is called by its id, because its node has no name. Another run gives it another id.
    var isUnnamed: Bool { nodeName == GraphReducer.Object.substituteName(ofNode: nodeID) }

    /// The inputs of one source.
    package var laneChannels: [Channel] { Array(inputs.prefix(laneWidth)) }
}

extension GraphSnapshot {
    /// The pairs of channels that a connection has, by their places in ``GraphPort/connectableOutputs`` and
    /// ``GraphPort/laneChannels``; `nil` if a link comes from another output.
    func channelPairs(of connection: Connection) -> Set<ChannelMatching.Pair>? {
        guard let source = port(connection.source), let destination = port(connection.destination) else { return nil }
        let places = Dictionary(
            source.connectableOutputs.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        var pairs: Set<ChannelMatching.Pair> = []
        for link in connection.links {
            guard let output = places[source.outputs[link.output].id] else { return nil }
            pairs.insert(ChannelMatching.Pair(output: output, input: link.input % max(destination.laneWidth, 1)))
        }
        return pairs
    }

    /// Whether a port plays the mix of a receiver of its app by itself, which makes and ends its connections.
    package func isAutomaticMonitor(_ port: GraphPort) -> Bool {
        guard port.isPipeBus, port.kind == .sender, let peer = port.peer else { return false }
        return store.ports(of: peer).contains { id in
            guard let receiver = store.ports[id.serial] else { return false }
            return receiver.isMonitoringAutomatically && port.name == "\(receiver.name)-monitor"
        }
    }
}

// SPDX-License-Identifier: MIT

extension RoutingPreset {
    /// The connections of sound that would have to go if the ports of the routing had no other ones: those of each port that it means with
    /// a port that it does not connect this one to, and those with other channels than it wants.
    ///
    /// Those of receivers that play their mix by themselves are not among them: their apps make them again.
    ///
    /// - Complexity: O(*n*) in the numbers of ports and connections.
    public func otherConnections(in graph: GraphSnapshot) -> [Connection] {
        var matches = RoutingMatches(self)
        _ = matches.update(to: graph)
        var mentioned: Set<GraphPort.ID> = []
        /// The first connection of the routing that means each pair, among those of the graph.
        var wanted: [RoutingPlan.Pair: RoutingConnection] = [:]
        for connection in connections {
            let sources = matches.ports(.init(matcher: connection.source, role: .source))
            let destinations = Set(matches.ports(.init(matcher: connection.destination, role: .destination)))
            mentioned.formUnion(sources)
            mentioned.formUnion(destinations)
            for source in sources {
                for present in graph.connections(from: source) where destinations.contains(present.destination) {
                    let pair = RoutingPlan.Pair(source: source, destination: present.destination)
                    if wanted[pair] == nil { wanted[pair] = connection }
                }
            }
        }
        return graph.connections.filter { present in
            guard mentioned.contains(present.source) || mentioned.contains(present.destination),
                let source = graph.port(present.source), let destination = graph.port(present.destination),
                !graph.isAutomaticMonitor(source)
            else { return false }
            guard let connection = wanted[.init(source: present.source, destination: present.destination)] else {
                return true
            }
            let channels = connection.channels.pairs(from: source, to: destination)
            return channels.map { graph.channelPairs(of: present)?.isSubset(of: $0) != true } ?? false
        }
    }
}

extension ChannelPairing {
    /// - Returns: `nil` if the channels do not go together.
    func pairs(from source: GraphPort, to destination: GraphPort) -> Set<ChannelMatching.Pair>? {
        do throws(Fault) {
            return Set(try resolve(outputs: source.connectableOutputs, inputs: destination.laneChannels))
        } catch { return nil }
    }
}

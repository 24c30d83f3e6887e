// SPDX-License-Identifier: MIT

/// Plans of changes. What is there already is not made, and what is not there is not ended.
extension GraphSnapshot {
    /// Puts a filter into a connection.
    package func change(
        inserting filter: GraphPort, from source: GraphPort, to destination: GraphPort
    ) throws(ChangeFault) -> ConnectionChange {
        guard filter.id != source.id, filter.id != destination.id else { throw .samePort(filter) }
        guard let present = connection(from: source.id, to: destination.id) else {
            throw .notConnected(source: source, destination: destination)
        }
        guard filter.mayPassOn else { throw .noPassage(filter) }
        for (from, to) in [(source, filter), (filter, destination)] where connection(from: from.id, to: to.id) == nil {
            guard ChannelMatching.pairs(outputs: from.connectableOutputs.count, inputs: to.laneWidth) != nil else {
                throw .channelMismatch(source: from, destination: to)
            }
        }
        return ConnectionChange(
            connected: missing([(source, filter), (filter, destination)]), disconnected: items(of: [present]))
    }

    /// Takes a filter out: all that feeds it is connected to all that it feeds.
    package func change(takingOut filter: GraphPort) throws(ChangeFault) -> ConnectionChange {
        let incoming = connections(to: filter.id).filter { $0.medium == .audio }
        let outgoing = connections(from: filter.id).filter { $0.medium == .audio && $0.destination != filter.id }
        let sources = incoming.map(\.source).filter { $0 != filter.id }.compactMap(port)
        let destinations = outgoing.map(\.destination).compactMap(port)
        if sources.isEmpty, let stalled = filter.stalledSources.lazy.compactMap(port).first {
            throw .notConnected(source: stalled, destination: filter)
        }
        if destinations.isEmpty, let destination = ports.first(where: { $0.stalledSources.contains(filter.id) }) {
            throw .notConnected(source: filter, destination: destination)
        }
        guard !sources.isEmpty, !destinations.isEmpty else { throw .notBetween(filter) }
        let pairs = sources.flatMap { source in destinations.map { (source, $0) } }
        // Destinations first: the last connections to go are those that nobody hears any more.
        return ConnectionChange(
            connected: missing(pairs.filter { $0.0.id != $0.1.id }), disconnected: items(of: outgoing + incoming))
    }

    /// Connects one source in place of another.
    package func change(
        replacing old: GraphPort, at destination: GraphPort, with new: GraphPort
    ) throws(ChangeFault) -> ConnectionChange {
        guard old.id != new.id else { throw .samePort(old) }
        guard let present = connection(from: old.id, to: destination.id) else {
            throw .notConnected(source: old, destination: destination)
        }
        return ConnectionChange(connected: missing([(new, destination)]), disconnected: items(of: [present]))
    }

    /// Connects each port to the next.
    package func change(connecting path: [GraphPort]) throws(ChangeFault) -> ConnectionChange {
        guard path.count > 1 else { throw .tooShort }
        for filter in path.dropFirst().dropLast() where !filter.mayPassOn {
            throw .brokenPath(filter)
        }
        return ConnectionChange(connected: missing(Array(zip(path, path.dropFirst()))), disconnected: [])
    }

    /// Ends a pipeline: those of its connections that no other pipeline needs.
    package func change(disconnecting pipeline: Pipeline.ID) throws(ChangeFault) -> ConnectionChange {
        let all = pipelines
        guard let ended = all.first(where: { $0.id == pipeline }) else { throw .missingPipeline }
        let needed = Set(all.filter { $0.id != pipeline }.flatMap(\.hops))
        let hops = ended.hops.filter { !needed.contains($0) }
        guard !hops.isEmpty else { throw ended.hops.isEmpty ? .tooShort : .sharedPipeline }
        // The end first: what is upstream of it goes unheard.
        return ConnectionChange(
            connected: [],
            disconnected: items(
                of: hops.reversed().compactMap { connection(from: $0.source, to: $0.destination) }))
    }

    /// The present connections of a change, and those of it that are missing: what is left to do.
    package func remainder(of change: ConnectionChange) -> ConnectionChange {
        func connection(_ item: ConnectionChange.Item) -> Connection? {
            guard let source = item.source.port(in: self), let destination = item.destination.port(in: self) else {
                return nil
            }
            return self.connection(from: source.id, to: destination.id)
        }
        return ConnectionChange(
            connected: change.connected.filter { connection($0) == nil },
            disconnected: items(of: change.disconnected.compactMap(connection)))
    }

    private func missing(_ pairs: [(GraphPort, GraphPort)]) -> [ConnectionChange.Item] {
        var items: [ConnectionChange.Item] = []
        for (source, destination) in pairs where connection(from: source.id, to: destination.id) == nil {
            let item = ConnectionChange.Item(
                source: PortName(of: source, in: self), destination: PortName(of: destination, in: self))
            if !items.contains(item) { items.append(item) }
        }
        return items
    }

    /// The names and channels of present connections.
    package func items(of connections: [Connection]) -> [ConnectionChange.Item] {
        connections.compactMap { connection in
            guard let source = port(connection.source), let destination = port(connection.destination) else {
                return nil
            }
            return ConnectionChange.Item(
                source: PortName(of: source, in: self), destination: PortName(of: destination, in: self),
                channels: pairing(connection, source, destination))
        }
    }

    /// The channels of a connection; ``ChannelPairing/matching`` if it has those.
    private func pairing(_ connection: Connection, _ source: GraphPort, _ destination: GraphPort) -> ChannelPairing {
        let width = max(destination.laneWidth, 1)
        let lane = Array(destination.inputs.prefix(width))
        let present = Set(
            connection.links.map { ChannelMatching.Pair(output: $0.output, input: $0.input % width) })
        if let matching = try? ChannelPairing.matching.resolve(outputs: source.outputs, inputs: lane),
            Set(matching) == present
        {
            return .matching
        }
        // By PipeWire's names: positions may be missing, or the same twice.
        return .pairs(
            present.filter { source.outputs.indices.contains($0.output) && lane.indices.contains($0.input) }
                .sorted { ($0.output, $0.input) < ($1.output, $1.input) }
                .map { ChannelPairing.Pair(source.outputs[$0.output].name, lane[$0.input].name) })
    }
}

extension Pipeline {
    /// The two ports of one connection.
    fileprivate struct Hop: Hashable {
        let source: GraphPort.ID
        let destination: GraphPort.ID
    }

    fileprivate var hops: [Hop] {
        zip(ports, ports.dropFirst()).map { Hop(source: $0.id, destination: $1.id) }
            + (isLoop && ports.count == 1 ? [Hop(source: ports[0].id, destination: ports[0].id)] : [])
    }
}

// SPDX-License-Identifier: MIT

/// Finds the names and channels of a graph's connections, for a routing. Pure.
struct RoutingCapture {
    /// Sorts the connections of a routing.
    struct Place: Comparable {
        var destination: PortIdentity
        var destinationNumber: UInt64
        var firstInput: Int
        var source: PortIdentity
        var sourceNumber: UInt64

        static func < (left: Self, right: Self) -> Bool {
            (left.destination, left.destinationNumber, left.firstInput, left.source, left.sourceNumber)
                < (right.destination, right.destinationNumber, right.firstInput, right.source, right.sourceNumber)
        }
    }

    private struct Group: Hashable {
        var identity: PortIdentity
        var role: RoutingRole
    }

    private let graph: GraphSnapshot
    /// The numbers of the ports with the same names, from 1, by their ids.
    private var numbers: [Group: [GraphPort.ID: Int]] = [:]

    init(_ graph: GraphSnapshot) {
        self.graph = graph
        for port in graph.ports.sorted(by: { $0.id < $1.id }) {
            let identity = PortIdentity(port, in: graph)
            for role in [RoutingRole.source, .destination, .filter] where role.canBePlayed(by: port) {
                let count = numbers[Group(identity: identity, role: role)]?.count ?? 0
                numbers[Group(identity: identity, role: role), default: [:]][port.id] = count + 1
            }
        }
    }

    /// All connections of sound. A source that a receiver has disconnected because it hangs has no link now, and is connected again.
    var connections: [(source: GraphPort, destination: GraphPort, links: Connection?)] {
        let linked = graph.connections.compactMap { connection -> (GraphPort, GraphPort, Connection?)? in
            guard let source = graph.port(connection.source), let destination = graph.port(connection.destination)
            else {
                return nil
            }
            return (source, destination, connection)
        }
        let stalled = graph.ports.flatMap { destination in
            destination.stalledSources.compactMap { id -> (GraphPort, GraphPort, Connection?)? in
                guard let source = graph.port(id), graph.connection(from: id, to: destination.id) == nil else {
                    return nil
                }
                return (source, destination, nil)
            }
        }
        return linked + stalled
    }

    func place(of links: Connection?, from source: GraphPort, to destination: GraphPort) -> Place {
        Place(
            destination: PortIdentity(destination, in: graph), destinationNumber: destination.id.serial,
            firstInput: links?.links.map(\.input).min() ?? .max, source: PortIdentity(source, in: graph),
            sourceNumber: source.id.serial)
    }

    /// - Returns: `nil` for a port whose names cannot be written, or that has none.
    func matcher(of port: GraphPort, as role: RoutingRole) -> PortMatcher? {
        guard !port.isUnnamed else { return nil }
        let identity = PortIdentity(port, in: graph)
        guard let app = NamePattern(exactly: identity.app), let node = NamePattern(exactly: identity.node) else {
            return nil
        }
        let number = numbers[Group(identity: identity, role: role)]?[port.id] ?? 1
        do throws(RoutingError) { return try PortMatcher(app: app, node: node, number: number) } catch { return nil }
    }

    /// - Returns: `nil` if the same channels could not be connected again.
    func channels(of links: Connection?, from source: GraphPort, to destination: GraphPort) -> ChannelPairing? {
        guard let links else { return .matching }
        guard let present = graph.channelPairs(of: links) else { return nil }
        let (outputs, inputs) = (source.connectableOutputs, destination.laneChannels)
        if let all = ChannelMatching.pairs(outputs: outputs.count, inputs: inputs.count), Set(all) == present {
            return .matching
        }
        var pairs: [ChannelPairing.Pair] = []
        for pair in present.sorted(by: { ($0.output, $0.input) < ($1.output, $1.input) }) {
            guard let output = Self.name(of: pair.output, in: outputs),
                let input = Self.name(of: pair.input, in: inputs)
            else {
                return nil
            }
            pairs.append(ChannelPairing.Pair(output, input))
        }
        return .pairs(pairs)
    }

    /// The name that finds a channel among those of its port.
    private static func name(of place: Int, in channels: [GraphPort.Channel]) -> String? {
        [channels[place].position, channels[place].name, "\(place + 1)"].compactMap(\.self).first { name in
            ChannelPairing.isName(name) && ChannelPairing.index(of: name, in: channels) == place
        }
    }
}

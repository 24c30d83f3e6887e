// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Remembers the connections that other programs make to our ports, and declares them when an interruption ends them. Confined
/// to the loop.
///
/// A connection between two PipeBus apps is made again by one of them only: by the app that made it, or else by the
/// destination's.
final class ForeignConnections {
    /// A younger connection may be a step on the way to another one. It is not declared.
    private static let minimumAge: Duration = .seconds(1)
    /// The links of a node that is removed disappear before the node, and this long at most.
    private static let memory: Duration = .seconds(1)

    private struct Ends: Hashable {
        var source: GraphPort.ID
        var destination: GraphPort.ID
    }

    /// The app that made a connection.
    private enum Maker { case thisApp, otherEnd, thirdApp }

    private struct Links {
        var since: ContinuousClock.Instant
        var maker: Maker
        /// The client that made the first link, by its global id and its serial.
        var client: (id: UInt32, serial: UInt64)?
        var present: [UInt32: ForeignConnection.Channels] = [:]
        var removed: [(channels: ForeignConnection.Channels, at: ContinuousClock.Instant)] = []

        func channels(at now: ContinuousClock.Instant) -> Set<ForeignConnection.Channels> {
            Set(present.values).union(removed.filter { $0.at.duration(to: now) < memory }.map(\.channels))
        }
    }

    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private let tracker: ConnectionTracker
    private let isEnabled: Bool
    private var connections: [Ends: Links] = [:]

    init(
        _ model: GraphModel, _ declared: Declarations, _ ports: PortTable, _ tracker: ConnectionTracker, isEnabled: Bool
    ) {
        self.model = model
        self.declared = declared
        self.ports = ports
        self.tracker = tracker
        self.isEnabled = isEnabled
    }

    // MARK: Links. To be called while the model has the link.

    /// A link has appeared, or a port of ours with the link. Idempotent.
    func linkAppeared(_ id: UInt32) {
        guard isEnabled, let link = link(id) else { return }
        let now = ContinuousClock.now
        connections = connections.filter { !$0.value.channels(at: now).isEmpty }
        var links = connections[link.ends] ?? makeLinks(by: model.reducer.client(ofLink: id), between: link.ends)
        links.present[id] = link.channels
        connections[link.ends] = links
    }

    func linkDisappears(_ id: UInt32) {
        guard isEnabled, let link = link(id), var links = connections[link.ends] else { return }
        if let channels = links.present.removeValue(forKey: id) { links.removed.append((channels, .now)) }
        connections[link.ends] = links
    }

    private func link(_ id: UInt32) -> (ends: Ends, channels: ForeignConnection.Channels)? {
        let reducer = model.reducer
        guard let link = reducer.ends(ofLink: id), ports[output: link.output] != nil || ports[input: link.input] != nil,
            let output = reducer.index(ofChannel: link.output), let input = reducer.index(ofChannel: link.input),
            let source = model.serial(ofChannel: link.output), let destination = model.serial(ofChannel: link.input)
        else { return nil }
        return (
            Ends(source: GraphPort.ID(serial: source), destination: GraphPort.ID(serial: destination)),
            ForeignConnection.Channels(output: output, input: input)
        )
    }

    private func makeLinks(by creator: UInt32?, between ends: Ends) -> Links {
        let client = creator.flatMap { id in model.reducer.serial(ofClient: id).map { (id, $0) } }
        return Links(since: .now, maker: maker(creator, of: ends), client: client)
    }

    private func maker(_ creator: UInt32?, of ends: Ends) -> Maker {
        let (own, other) =
            ports[ends.source] != nil ? (ends.source, ends.destination) : (ends.destination, ends.source)
        return switch creator {
        case nil: .thirdApp
        case model.reducer.owner(ofNodeWithSerial: own.serial): .thisApp
        case model.reducer.owner(ofNodeWithSerial: other.serial): .otherEnd
        default: .thirdApp
        }
    }

    // MARK: Interruptions

    /// Declares the connections of one of our ports, because another program removed its node. To be called while the port is
    /// in the table.
    func portLost(_ port: GraphPort.ID) {
        // All of them: for the other app, this app's port has gone.
        // Nobody else makes them again either.
        declare(hasMaker: { _ in false }, where: { ends, _ in ends.source == port || ends.destination == port })
        connections = connections.filter { $0.key.source != port && $0.key.destination != port }
    }

    /// Declares all connections, because the daemon is gone.
    func connectionLost() { declare(hasMaker: hasMaker, where: isOurs) }

    private func hasMaker(_ links: Links) -> Bool {
        guard links.maker != .thisApp, let client = links.client else { return false }
        return model.reducer.serial(ofClient: client.id) == client.serial
    }

    private func declare(hasMaker: (Links) -> Bool, where isConcerned: (Ends, Links) -> Bool) {
        let now = ContinuousClock.now
        for (ends, links) in connections
        where isConcerned(ends, links) && links.since.duration(to: now) >= Self.minimumAge {
            let channels = links.channels(at: now)
            guard !channels.isEmpty, !tracker.isDeclared(ends.source, ends.destination),
                let source = model.snapshot.port(ends.source), let destination = model.snapshot.port(ends.destination)
            else { continue }
            declared.add(
                ForeignConnection(
                    ends: tracker.declaration(from: source, to: destination), channels: channels,
                    hasMaker: hasMaker(links)))
        }
    }

    /// Whether this app makes the connection again, and not the app of the other port.
    private func isOurs(_ ends: Ends, _ links: Links) -> Bool {
        let isDestinationOurs = ports[ends.destination] != nil
        let other = isDestinationOurs ? ends.source : ends.destination
        guard ports[other] == nil, model.snapshot.port(other)?.isPipeBus == true else { return true }
        return switch links.maker {
        case .thisApp: true
        case .otherEnd: false
        case .thirdApp: isDestinationOurs
        }
    }
}

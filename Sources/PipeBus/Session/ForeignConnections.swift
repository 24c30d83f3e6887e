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
    /// The links of one connection appear within this time. A later one is added to the connection, and has an age of its own.
    private static let making: Duration = .milliseconds(500)
    /// The links of a node that is removed disappear before the node, and this long at most.
    private static let memory: Duration = .seconds(1)

    private struct Ends: Hashable, Comparable {
        var source: GraphPort.ID
        var destination: GraphPort.ID

        /// In the order of the ports' age.
        static func < (one: Ends, other: Ends) -> Bool {
            (one.source, one.destination) < (other.source, other.destination)
        }
    }

    /// A link that was removed.
    private struct Removal: Hashable {
        var ends: Ends
        var channels: ForeignConnection.Channels
    }

    /// The app that made a connection.
    private enum Maker { case thisApp, otherEnd, thirdApp }

    private struct Links {
        var since: ContinuousClock.Instant
        var maker: Maker
        /// The client that made the first link, by its global id and its serial.
        var client: (id: UInt32, serial: UInt64)?
        var present: [UInt32: ForeignConnection.Channels] = [:]
        /// When those appeared that were added later.
        var added: [ForeignConnection.Channels: ContinuousClock.Instant] = [:]
        /// Those that were removed a moment ago, and when.
        var removed: [ForeignConnection.Channels: ContinuousClock.Instant] = [:]
        /// Those that we removed because the source hung. They count as long as it does.
        var stalled: Set<ForeignConnection.Channels> = []
        /// Whether we have removed the links because the source hung. The program that made them may take that for a
        /// removal by a person, and forget the connection.
        var hasStalled = false
        /// The links that a connection by the app has, and the width of a lane, as of the same time.
        var plan: (pairs: [ChannelMatching.Pair], width: Int)?
        /// The ports' names as of the last links that appeared: when a port is found to be lost, it may have left the graph already.
        var declaration: ConnectionDeclaration?

        /// The lane of the app's own connection, and the links that were added to it: those that it has not itself. It is the lane
        /// with most of its links.
        func additions(to all: Set<ForeignConnection.Channels>) -> (
            lane: Int, channels: Set<ForeignConnection.Channels>
        )? {
            guard let plan else { return nil }
            let lanes = Set(all.map { $0.input / plan.width }).sorted().map { lane in
                (
                    lane,
                    all.intersection(plan.pairs.map { .init(output: $0.output, input: lane * plan.width + $0.input) })
                )
            }
            guard let own = lanes.max(by: { ($0.1.count, -$0.0) < ($1.1.count, -$1.0) }) else { return nil }
            return (own.0, all.subtracting(own.1))
        }

        func channels(at now: ContinuousClock.Instant) -> Set<ForeignConnection.Channels> {
            Set(present.values).union(removed.filter { $0.value.duration(to: now) < memory }.keys)
                .subtracting(added.filter { $0.value.duration(to: now) < minimumAge }.keys)
        }
    }

    private let connection: SessionConnection
    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private let links: LinkTable
    private let tracker: ConnectionTracker
    private let refresh: Refresh
    private let isEnabled: Bool
    private var connections: [Ends: Links] = [:]
    /// The ends of each link that is present.
    private var ends: [UInt32: Ends] = [:]
    /// The connections of which links have appeared since the last update, and whether any of the links is another program's.
    private var changed: [Ends: Bool] = [:]
    private lazy var removals = RoundTripBatch<Removal>(on: connection) { [weak self] in self?.confirm($0) }

    init(
        on connection: SessionConnection, _ model: GraphModel, _ declared: Declarations, _ ports: PortTable,
        _ links: LinkTable, _ tracker: ConnectionTracker, _ refresh: Refresh, isEnabled: Bool
    ) {
        self.connection = connection
        self.model = model
        self.declared = declared
        self.ports = ports
        self.links = links
        self.tracker = tracker
        self.refresh = refresh
        self.isEnabled = isEnabled
    }

    // MARK: Links. To be called while the model has the link. Both calls take the same time however many there are.

    /// A link has appeared, or a port of ours with the link. Idempotent.
    func linkAppeared(_ id: UInt32) {
        guard isEnabled, let (ends, channels) = link(id) else { return }
        self.ends[id] = ends
        if let known = connections[ends], !isRemembered(known, between: ends, at: .now) { connections[ends] = nil }
        let isOwn = isOurOwn(id)
        var known = connections[ends] ?? makeLinks(by: model.reducer.client(ofLink: id), between: ends)
        known.present[id] = channels
        known.added[channels] = !isOwn && known.since.duration(to: .now) > Self.making ? .now : nil
        connections[ends] = known
        if !isStalled(ends) { connections[ends]?.stalled = [] }
        changed[ends] = changed[ends, default: false] || !isOwn
        refresh.mark(.foreignConnections)
    }

    /// Brings the declarations up to date with the links that have appeared.
    func update() {
        for (ends, isForeign) in changed where connections[ends] != nil {
            if let declaration = present(ends) { connections[ends]?.declaration = declaration }
            if let plan = plan(between: ends) { connections[ends]?.plan = plan }
            guard let foreign = tracker.foreign(ends.source, ends.destination) else { continue }
            // It has lasted before, and would be lost if the next interruption came soon.
            connections[ends]?.since = ContinuousClock.now.advanced(by: .zero - Self.minimumAge)
            connections[ends]?.added = [:]
            // Whoever removes a connection that its program has made again has the last word.
            if isForeign { declared.remove(foreign.key) }
        }
        changed = [:]
        let now = ContinuousClock.now
        connections = connections.filter { isRemembered($0.value, between: $0.key, at: now) }
    }

    /// Whether the connection has links, or had some a moment ago.
    private func isRemembered(_ links: Links, between ends: Ends, at now: ContinuousClock.Instant) -> Bool {
        !links.present.isEmpty || links.removed.values.contains { $0.duration(to: now) < Self.memory }
            || !links.stalled.isEmpty && isStalled(ends)
    }

    /// Whether this app has requested a link. The owner of a new port may not be known yet.
    private func isOurOwn(_ id: UInt32) -> Bool {
        guard let link = model.reducer.ends(ofLink: id) else { return false }
        return links[LinkTable.Key(output: link.output, input: link.input)] != nil
    }

    private func isStalled(_ ends: Ends) -> Bool {
        ports[ends.destination]?.links.stall(of: ends.source.serial) != nil
    }

    private func channels(
        of links: Links, between ends: Ends, at now: ContinuousClock.Instant
    ) -> Set<ForeignConnection.Channels> {
        links.channels(at: now).union(isStalled(ends) ? links.stalled : [])
    }

    func linkDisappears(_ id: UInt32) {
        // By its id: 1.4 reports a node's removal before that of its links.
        guard let ends = ends.removeValue(forKey: id),
            let channels = connections[ends]?.present.removeValue(forKey: id)
        else { return }
        if isStalled(ends) {
            connections[ends]?.stalled.insert(channels)
            connections[ends]?.hasStalled = true
        } else {
            connections[ends]?.removed[channels] = .now
            removals.add(Removal(ends: ends, channels: channels))
        }
    }

    /// Forgets links that were removed while the daemon and both ports go on: somebody wants them away.
    private func confirm(_ removals: Set<Removal>) {
        guard connection.isOpen else { return }
        let ports = Set(model.snapshot.ports.map(\.id))
        for removal in removals where ports.contains(removal.ends.source) && ports.contains(removal.ends.destination) {
            connections[removal.ends]?.removed[removal.channels] = nil
        }
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
    ///
    /// - Returns: the ports that it was connected to.
    func portLost(_ port: GraphPort.ID) -> Set<GraphPort.ID> {
        update()
        // All of them: for the other app, this app's port has gone.
        // Nobody else makes them again either.
        declare(hasMaker: { _ in false }, where: { ends, _ in ends.source == port || ends.destination == port })
        let lost = connections.keys.filter { $0.source == port || $0.destination == port }
        for ends in lost { connections[ends] = nil }
        return Set(lost.map { $0.source == port ? $0.destination : $0.source })
    }

    /// Declares all connections, because the daemon is gone.
    func connectionLost() {
        update()
        declare(hasMaker: hasMaker, where: isOurs)
    }

    private func hasMaker(_ links: Links) -> Bool {
        guard links.maker != .thisApp, let client = links.client else { return false }
        return model.reducer.serial(ofClient: client.id) == client.serial
    }

    private func declare(hasMaker: (Links) -> Bool, where isConcerned: (Ends, Links) -> Bool) {
        let now = ContinuousClock.now
        var counts: [ForeignConnection.Key: Int] = [:]
        for (ends, links) in connections.sorted(by: { $0.key < $1.key })
        where isConcerned(ends, links) && links.since.duration(to: now) >= Self.minimumAge {
            let all = channels(of: links, between: ends, at: now)
            let isAddition = tracker.isDeclared(ends.source, ends.destination)
            guard let declaration = present(ends) ?? links.declaration else { continue }
            let key = ForeignConnection.Key(ends: declaration, number: 0, isAddition: isAddition)
            let number = counts[key, default: 0]
            let added = isAddition ? links.additions(to: all) : nil
            let channels = isAddition ? added?.channels ?? [] : all
            if isAddition || !channels.isEmpty { counts[key] = number + 1 }
            guard !channels.isEmpty else { continue }
            declared.add(
                ForeignConnection(
                    key: .init(ends: declaration, number: number, isAddition: isAddition), channels: channels,
                    // The client that made the first link says nothing about the one that added others.
                    ownLane: added?.lane, hasMaker: isAddition || hasMaker(links)))
        }
    }

    private func plan(between ends: Ends) -> (pairs: [ChannelMatching.Pair], width: Int)? {
        guard let source = model.snapshot.port(ends.source), let destination = model.snapshot.port(ends.destination),
            let pairs = LinkPlanner.pairs(from: source, to: destination)
        else { return nil }
        return (pairs, max(destination.laneWidth, 1))
    }

    private func present(_ ends: Ends) -> ConnectionDeclaration? {
        guard let source = model.snapshot.port(ends.source), let destination = model.snapshot.port(ends.destination)
        else { return nil }
        return tracker.declaration(from: source, to: destination)
    }

    /// Whether this app makes the connection again, and not the app of the other port.
    private func isOurs(_ ends: Ends, _ links: Links) -> Bool {
        let isDestinationOurs = ports[ends.destination] != nil
        let other = isDestinationOurs ? ends.source : ends.destination
        guard ports[other] == nil, model.snapshot.port(other)?.isPipeBus == true else { return true }
        return switch links.maker {
        case .thisApp: true
        case .otherEnd: links.hasStalled && isDestinationOurs
        case .thirdApp: isDestinationOurs
        }
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Remembers the connections that other programs make to our ports, and declares them when an interruption ends them. Confined
/// to the loop.
///
/// A connection between two PipeBus apps is made again by one of them only: by the app that made it, or else by the
/// destination's.
final class ForeignConnections {
    /// The links of one connection appear within this time. A later one is added to it, and has an age of its own.
    private static let making: Duration = .milliseconds(500)
    /// A link that was removed.
    private struct Removal: Hashable {
        var ends: ConnectionEnds
        var channels: ForeignConnection.Channels
    }

    private let connection: SessionConnection
    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private let links: LinkTable
    private let tracker: ConnectionTracker
    private let apps: AwaitedApps
    private let refresh: Refresh
    private let isEnabled: Bool
    private var connections: [ConnectionEnds: ForeignLinks] = [:]
    /// The ends of each link that is present.
    private var ends: [UInt32: ConnectionEnds] = [:]
    /// The connections of which links have appeared since the last update, and whether any of the links is another program's.
    private var changed: [ConnectionEnds: Bool] = [:]
    private lazy var removals = RoundTripBatch<Removal>(on: connection) { [weak self] in self?.confirm($0) }

    init(
        on connection: SessionConnection, _ model: GraphModel, _ declared: Declarations, _ ports: PortTable,
        _ links: LinkTable, _ tracker: ConnectionTracker, _ apps: AwaitedApps, _ refresh: Refresh, isEnabled: Bool
    ) {
        self.connection = connection
        self.model = model
        self.declared = declared
        self.ports = ports
        self.links = links
        self.tracker = tracker
        self.apps = apps
        self.refresh = refresh
        self.isEnabled = isEnabled
    }

    // MARK: Links. To be called while the model has the link. Both calls take the same time however many there are.
    /// A link has appeared, or a port of ours with the link. Idempotent.
    func linkAppeared(_ id: UInt32) {
        guard isEnabled, let (ends, channels) = link(id) else { return }
        // `MonitorKeeper` makes its own links again.
        if isOurOwn(id), ports[ends.source]?.declaration.isMonitor == true { return }
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
            if let declaration = present(ends) {
                connections[ends]?.declaration = declaration
                forgetFormer(of: ends, declaration)
            }
            if let plan = plan(between: ends) { connections[ends]?.plan = plan }
            let foreign = tracker.foreign(ends.source, ends.destination)
            // It would be lost if the next interruption came soon.
            if foreign != nil || hadLasted(ends) { connections[ends]?.hadLasted = true }
            // Whoever removes a connection that its program has made again has the last word. A link that the receiver's app has moved
            // to another lane is not all of it.
            if isForeign, let foreign, let links = connections[ends],
                links.maker == .thirdApp || links.present.count >= foreign.channels.count
            {
                declared.remove(foreign.key)
            }
        }
        changed = [:]
        let now = ContinuousClock.now
        connections = connections.filter { isRemembered($0.value, between: $0.key, at: now) }
    }

    /// Forgets connections with former nodes of the same two ports: the new one takes their place.
    private func forgetFormer(of ends: ConnectionEnds, _ declaration: ConnectionDeclaration) {
        let former = connections.filter {
            $0.key != ends && $0.value.present.isEmpty && $0.value.declaration?.hasSameNames(as: declaration) == true
                && (model.snapshot.port($0.key.source) == nil || model.snapshot.port($0.key.destination) == nil)
        }
        for (ends, links) in former {
            rememberIfLasting(links)
            connections[ends] = nil
        }
    }

    /// Whether the connection is a new one that an interruption had ended, and had lasted before.
    private func hadLasted(_ ends: ConnectionEnds) -> Bool {
        guard let links = connections[ends], !links.hasLasted(at: .now), let declaration = links.declaration else {
            return false
        }
        return declared.lastingConnections.contains(declaration, isByOtherEnd: links.maker == .otherEnd)
    }

    /// Whether the connection has links, or had some a moment ago.
    private func isRemembered(_ links: ForeignLinks, between ends: ConnectionEnds, at now: ContinuousClock.Instant)
        -> Bool
    {
        !links.present.isEmpty || links.removed.values.contains { $0.duration(to: now) < ForeignLinks.memory }
            || !links.stalled.isEmpty && isStalled(ends)
    }

    /// Whether this app has requested a link. The owner of a new port may not be known yet.
    private func isOurOwn(_ id: UInt32) -> Bool {
        guard let link = model.reducer.ends(ofLink: id) else { return false }
        return links[LinkTable.Key(output: link.output, input: link.input)] != nil
    }

    private func isStalled(_ ends: ConnectionEnds) -> Bool {
        ports[ends.destination]?.links.stall(of: ends.source.serial) != nil
    }

    private func channels(
        of links: ForeignLinks, between ends: ConnectionEnds, at now: ContinuousClock.Instant
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
        let present = Set(model.snapshot.ports.map(\.id))
        for removal in removals {
            guard let links = connections[removal.ends], !ports.isChannelLost(removal.ends) else { continue }
            if present.isSuperset(of: removal.ends.ports) {
                connections[removal.ends]?.removed[removal.channels] = nil
                if links.present.isEmpty { rememberIfLasting(links, wasRemoved: true) }
            } else if links.peer.map(model.reducer.hasClient(withSerial:)) ?? true {
                // The other port's app makes it again.
                rememberIfLasting(links)
            } else {
                // It has ended, and its connections with it.
                connections[removal.ends] = nil
            }
        }
    }

    private func rememberIfLasting(_ links: ForeignLinks, wasRemoved: Bool = false) {
        guard links.hasLasted(at: .now), let declaration = links.declaration else { return }
        declared.lastingConnections.add(declaration, wasRemoved: wasRemoved)
    }

    private func link(_ id: UInt32) -> (ends: ConnectionEnds, channels: ForeignConnection.Channels)? {
        let reducer = model.reducer
        guard let link = reducer.ends(ofLink: id), ports[output: link.output] != nil || ports[input: link.input] != nil,
            !reducer.isTap(channel: link.output), !reducer.isTap(channel: link.input),
            let output = reducer.index(ofChannel: link.output), let input = reducer.index(ofChannel: link.input),
            let source = model.serial(ofChannel: link.output), let destination = model.serial(ofChannel: link.input)
        else { return nil }
        return (
            ConnectionEnds(source: GraphPort.ID(serial: source), destination: GraphPort.ID(serial: destination)),
            ForeignConnection.Channels(output: output, input: input)
        )
    }

    private func makeLinks(by creator: UInt32?, between ends: ConnectionEnds) -> ForeignLinks {
        let client = creator.flatMap { id in model.reducer.serial(ofClient: id).map { (id, $0) } }
        let other = ports[ends.source] != nil ? ends.destination : ends.source
        return ForeignLinks(
            since: .now, maker: maker(creator, of: ends), client: client,
            peer: apps.client(ofNodeWithSerial: other.serial))
    }

    private func maker(_ creator: UInt32?, of ends: ConnectionEnds) -> ForeignLinks.Maker {
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
        let keys = declare(
            hasMaker: { _ in false }, where: { ends, _ in ends.source == port || ends.destination == port })
        for (key, links) in keys {
            guard let peer = links.peer else { continue }
            apps.wait(for: peer, while: { [declared] in declared.contains(key) }) { [declared] in declared.remove(key) }
        }
        let lost = connections.keys.filter { $0.source == port || $0.destination == port }
        for ends in lost { connections.removeValue(forKey: ends).map { rememberIfLasting($0) } }
        return Set(lost.map { $0.source == port ? $0.destination : $0.source })
    }

    /// Declares all connections, because the daemon is gone.
    func connectionLost() {
        update()
        declare(hasMaker: hasMaker, where: isOurs)
        for links in connections.values { rememberIfLasting(links) }
    }

    /// Declares the connections from a source that hangs, because its node is about to disappear while its app is still there. To
    /// be called before the stall ends.
    func stalledSourceLost(_ source: GraphPort.ID) {
        update()
        declare(hasMaker: { _ in false }, where: { ends, _ in ends.source == source && isStalled(ends) })
    }

    private func hasMaker(_ links: ForeignLinks) -> Bool {
        guard links.maker != .thisApp, let client = links.client else { return false }
        return model.reducer.serial(ofClient: client.id) == client.serial
    }

    /// - Returns: what is declared of those that are concerned.
    @discardableResult
    private func declare(
        hasMaker: (ForeignLinks) -> Bool, where isConcerned: (ConnectionEnds, ForeignLinks) -> Bool
    ) -> [(key: ForeignConnection.Key, links: ForeignLinks)] {
        var keys: [(key: ForeignConnection.Key, links: ForeignLinks)] = []
        let now = ContinuousClock.now
        var counts: [ForeignConnection.Key: Int] = [:]
        for (ends, links) in connections.sorted(by: { $0.key < $1.key })
        where isConcerned(ends, links) && links.hasLasted(at: now) {
            let all = channels(of: links, between: ends, at: now)
            let isAddition = tracker.isDeclared(ends.source, ends.destination)
            guard let declaration = present(ends) ?? links.declaration else { continue }
            let key = ForeignConnection.Key(ends: declaration, number: 0, isAddition: isAddition)
            let number = counts[key, default: 0]
            let added = isAddition ? links.additions(to: all) : nil
            let channels = isAddition ? added?.channels ?? [] : all
            // One that is only being made again is declared as it was, and may have only some of its links.
            if tracker.isPending(from: ends.source, to: ends.destination) { continue }
            if isAddition || !channels.isEmpty { counts[key] = number + 1 }
            guard !channels.isEmpty else { continue }
            let foreign = ForeignConnection(
                key: .init(ends: declaration, number: number, isAddition: isAddition), channels: channels,
                // The client that made the first link says nothing about the one that added others.
                ownLane: added?.lane, hasMaker: isAddition || hasMaker(links))
            declared.add(foreign)
            keys.append((foreign.key, links))
        }
        return keys
    }

    private func plan(between ends: ConnectionEnds) -> (pairs: [ChannelMatching.Pair], width: Int)? {
        guard let source = model.snapshot.port(ends.source), let destination = model.snapshot.port(ends.destination),
            let pairs = LinkPlanner.pairs(from: source, to: destination, tracker.pairings[ends])
        else { return nil }
        return (pairs, max(destination.laneWidth, 1))
    }

    private func present(_ ends: ConnectionEnds) -> ConnectionDeclaration? {
        guard let source = model.snapshot.port(ends.source), let destination = model.snapshot.port(ends.destination)
        else { return nil }
        return tracker.declaration(from: source, to: destination)
    }

    /// Whether this app makes the connection again, and not the app of the other port.
    private func isOurs(_ ends: ConnectionEnds, _ links: ForeignLinks) -> Bool {
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

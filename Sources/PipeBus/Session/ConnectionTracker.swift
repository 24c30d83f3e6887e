// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Declares the connections that the app makes in this session, for the next session to make again. A connection is
/// declared while any link connects its ports. Confined to the loop.
final class ConnectionTracker {
    private let connection: SessionConnection
    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private let apps: AwaitedApps
    private var declarations: [ConnectionEnds: ConnectionDeclaration] = [:]
    let pairings = ConnectionPairings()
    /// The client of the other port's app of each of them, by its serial.
    private var clients: [ConnectionEnds: UInt64] = [:]
    /// The ports that each of our ports was connected to when another program removed its node, by our port's name.
    private var former: [String: Set<GraphPort.ID>] = [:]
    private var isForgettingLost = false
    private lazy var removals = RoundTripBatch<ConnectionEnds>(on: connection) { [weak self] in
        for ends in $0 { self?.forgetUnlessConnected(ends) }
    }

    init(
        on connection: SessionConnection, _ model: GraphModel, _ declared: Declarations, _ ports: PortTable,
        _ apps: AwaitedApps
    ) {
        self.apps = apps
        self.connection = connection
        self.model = model
        self.declared = declared
        self.ports = ports
    }

    /// Declares a connection that the app has made.
    ///
    /// - Parameter isNew: whether its channels replace those of one that is to be made again.
    func add(from source: GraphPort, to destination: GraphPort, isNew: Bool = false) {
        var declaration = declaration(from: source, to: destination)
        let isPending = isPending(declaration)
        let ends = ConnectionEnds(source: source.id, destination: destination.id)
        declaration.pairing = pairings[ends]
        let other = ports[source.id] != nil ? destination : source
        clients[ends] = apps.client(ofNodeWithSerial: other.id.serial)
        guard declarations.updateValue(declaration, forKey: ends) == nil else { return }
        if !isPending { declared.add(declaration) } else if isNew { declared.setPairing(declaration) }
    }

    /// Whether the app has made the connection between two ports in this session.
    func isDeclared(_ source: GraphPort.ID, _ destination: GraphPort.ID) -> Bool {
        declarations[ConnectionEnds(source: source, destination: destination)] != nil
    }

    /// The connections that are declared and not made in this session, with the number of each among those that are alike.
    var pending: [(declaration: ConnectionDeclaration, number: Int)] {
        var present: [ConnectionDeclaration: Int] = [:]
        for declaration in declarations.values { present[declaration, default: 0] += 1 }
        var numbers: [ConnectionDeclaration: Int] = [:]
        return declared.connections.compactMap { declaration in
            let number = numbers[declaration, default: 0]
            numbers[declaration] = number + 1
            return number >= present[declaration, default: 0] ? (declaration, number) : nil
        }
    }

    /// Whether a connection is declared since an earlier session, and not made in this one.
    func isPending(_ declaration: ConnectionDeclaration) -> Bool { pendingCount(of: declaration) > 0 }

    /// The number of such connections: several may be alike.
    func pendingCount(of declaration: ConnectionDeclaration) -> Int {
        declared.connections.count { $0 == declaration } - declarations.values.count { $0 == declaration }
    }

    /// Forgets a connection that could not be made in this session.
    func forget(pending declaration: ConnectionDeclaration) {
        guard isPending(declaration) else { return }
        declared.remove(declaration)
        declared.removeAdditions(to: declaration)
    }

    /// Forgets a connection that the app has ended, unless another call has made it again. Idempotent.
    ///
    /// It may be declared only, when it could not be made in this session.
    func forgetUnlessConnected(_ source: GraphPort, _ destination: GraphPort) {
        let ends = ConnectionEnds(source: source.id, destination: destination.id)
        if declarations[ends] != nil { return forgetUnlessConnected(ends) }
        forget(pending: declaration(from: source, to: destination))
    }

    /// Forgets a connection that is to be made again, the app's or another program's, because the app has ended it.
    ///
    /// - Returns: whether there was one.
    func forgetPending(_ source: GraphPort, _ destination: GraphPort) -> Bool {
        let count = declared.connections.count + declared.foreignConnections.count
        let declaration = declaration(from: source, to: destination)
        forget(pending: declaration)
        let alike = declared.foreignConnections.last { $0.ends == declaration }
        if let foreign = foreign(source.id, destination.id) ?? alike {
            declared.remove(foreign.key)
        }
        return declared.connections.count + declared.foreignConnections.count < count
    }

    /// Forgets a connection that is to be made again when both of its ports are there.
    ///
    /// - Returns: whether there was one.
    func forgetMissing(_ source: PortDesignation, _ destination: PortDesignation) -> Bool {
        (try? declared.disconnect(named(source), from: named(destination))) != nil
    }

    /// An end that outlives the session.
    private func named(_ designation: PortDesignation) -> PortDesignation {
        guard case .id(let id) = designation else { return designation }
        if let own = ports[id] { return .name("\(declared.app).\(own.name)") }
        return model.snapshot.port(id).map { .name($0.nodeName) } ?? designation
    }

    /// Forgets the connection of a link that is about to disappear, unless other links connect its ports.
    ///
    /// That is decided after a round trip: a receiver may have moved the link to another lane, or our own order may make
    /// the link again. To be called while the model still has the link.
    func linkDisappears(_ id: UInt32) {
        guard !declarations.isEmpty else { return }
        guard let link = model.reducer.ends(ofLink: id), let source = model.serial(ofChannel: link.output),
            let destination = model.serial(ofChannel: link.input)
        else { return forgetLostSoon() }
        let ends = ConnectionEnds(source: GraphPort.ID(serial: source), destination: GraphPort.ID(serial: destination))
        guard declarations[ends] != nil else { return }
        removals.add(ends)
    }

    /// Forgets the connections of ports that have left the graph. 1.4 reports the removal of a node before that of its links,
    /// which then cannot be told apart any more.
    private func forgetLostSoon() {
        guard !isForgettingLost else { return }
        isForgettingLost = true
        connection.afterRoundTrip { [self] in
            isForgettingLost = false
            let ports = Set(model.snapshot.ports.map(\.id))
            for ends in declarations.keys where !ports.contains(ends.source) || !ports.contains(ends.destination) {
                forgetUnlessConnected(ends)
            }
        }
    }

    /// Makes the connections of a port pending, because another program removed the port's node.
    ///
    /// - Parameter others: the ports that it was connected to, also by other programs.
    func portLost(_ port: GraphPort.ID, connectedTo others: Set<GraphPort.ID>) {
        let own = declarations.keys.filter { $0.source == port || $0.destination == port }
        if let name = ports[port]?.name {
            former[name] = others.union(own.map { $0.source == port ? $0.destination : $0.source })
        }
        for ends in own {
            guard let declaration = declarations.removeValue(forKey: ends),
                let client = clients.removeValue(forKey: ends)
            else { continue }
            apps.wait(for: client, while: { [weak self] in self?.isPending(declaration) ?? false }) { [weak self] in
                self?.forget(pending: declaration)
            }
        }
    }

    /// Forgets a connection whose source hung, unless it was connected again.
    func stallEnded(_ source: GraphPort.ID, _ destination: GraphPort.ID) {
        forgetUnlessLinked(ConnectionEnds(source: source, destination: destination))
    }

    /// Makes the connection of a source that hangs pending, because another program destroyed the source's node.
    func stalledSourceLost(_ source: GraphPort.ID, _ destination: GraphPort.ID) {
        let ends = ConnectionEnds(source: source, destination: destination)
        declarations[ends] = nil
        clients[ends] = nil
    }

    /// Forgets the connection of a source that hung, which is to be made again because the port was made again meanwhile.
    func stallEnded(_ stall: RememberedStalls.Stall) {
        if let own = pending.map(\.declaration).last(where: stall.concerns) {
            forget(pending: own)
        } else if let foreign = declared.foreignConnections.last(where: { stall.concerns($0.ends) }) {
            declared.remove(foreign.key)
        }
    }

    /// Whether a connection between two ports is to be made again, the app's or another program's.
    func isToBeRestored(_ source: GraphPort.ID, _ destination: GraphPort.ID) -> Bool {
        isPending(from: source, to: destination) || foreign(source, destination) != nil
    }

    /// Whether a connection that the app made between two ports is to be made again.
    func isPending(from source: GraphPort.ID, to destination: GraphPort.ID) -> Bool {
        pending.contains { pending in
            guard let ports = ports(of: pending.declaration, number: pending.number) else { return false }
            return ports.source.id == source && ports.destination.id == destination
        }
    }

    private func forgetUnlessConnected(_ ends: ConnectionEnds) {
        // A port of our own that another program removed, or a channel of which, is made again, with its connections.
        let isOwnEndLost = ends.ports.contains {
            guard let port = ports[$0] else { return false }
            return port.hasLostChannel || model.snapshot.port($0) == nil
        }
        if !isOwnEndLost { forgetUnlessLinked(ends) }
    }

    private func forgetUnlessLinked(_ ends: ConnectionEnds) {
        guard connection.isOpen, model.snapshot.connection(from: ends.source, to: ends.destination) == nil,
            // A source that hangs is connected again when it answers.
            ports[ends.destination]?.links.stall(of: ends.source.serial) == nil,
            let declaration = declarations.removeValue(forKey: ends)
        else { return }
        clients[ends] = nil
        pairings[ends] = .matching
        declared.remove(declaration)
        declared.removeAdditions(to: declaration)
    }

    // MARK: Identities that outlive a session

    func declaration(from source: GraphPort, to destination: GraphPort) -> ConnectionDeclaration {
        ConnectionDeclaration(source: end(source), destination: end(destination))
    }

    func end(_ port: GraphPort) -> ConnectionDeclaration.End {
        if let own = ports[port.id] { return .own(own.name) }
        return .other(applicationID: model.snapshot.peer(of: port)?.applicationID, nodeName: port.nodeName)
    }

    /// The connection of another program that is to be made again between two ports.
    func foreign(_ source: GraphPort.ID, _ destination: GraphPort.ID) -> ForeignConnection? {
        declared.foreignConnections.first { foreign in
            guard let ports = ports(of: foreign) else { return false }
            return ports.source.id == source && ports.destination.id == destination
        }
    }

    /// The ports of another program's connection in this session; `nil` if they do not exist. The app's own connections that
    /// are alike come first.
    ///
    /// Links that were added to a connection of the app come after that.
    func ports(of foreign: ForeignConnection) -> (source: GraphPort, destination: GraphPort)? {
        guard foreign.key.isAddition else { return portsOfWhole(foreign.key) }
        let made = declarations.filter { $0.value == foreign.ends }.keys
            .filter { model.snapshot.connection(from: $0.source, to: $0.destination) != nil }
            .sorted { ($0.source, $0.destination) < ($1.source, $1.destination) }
        guard made.indices.contains(foreign.key.number),
            let source = model.snapshot.port(made[foreign.key.number].source),
            let destination = model.snapshot.port(made[foreign.key.number].destination)
        else { return nil }
        return (source, destination)
    }

    private func portsOfWhole(_ foreign: ForeignConnection.Key) -> (source: GraphPort, destination: GraphPort)? {
        ports(of: foreign.ends, number: foreign.number + declared.connections.count { $0 == foreign.ends })
    }

    /// The ports of a connection in this session; `nil` if they do not exist.
    ///
    /// - Parameter number: of several connections that are alike, the number of this one from 0. Those that are made in this session
    ///   come first, then the ports that were connected before, and then the oldest ones.
    func ports(
        of connection: ConnectionDeclaration, number: Int
    ) -> (source: GraphPort, destination: GraphPort)? {
        // Asked after every change of the graph: a snapshot of all ports costs much in a large one.
        guard mayExist(connection.source), mayExist(connection.destination) else { return nil }
        let former = connection.ownName.flatMap { self.former[$0] } ?? []
        let pairs = ports(at: connection.source, former).flatMap { source in
            ports(at: connection.destination, former).map { (source: source, destination: $0) }
        }
        let made = pairs.filter { isDeclared($0.source.id, $0.destination.id) }
        let others = pairs.filter { !isDeclared($0.source.id, $0.destination.id) }
        return (made + others).dropFirst(number).first
    }

    private func mayExist(_ end: ConnectionDeclaration.End) -> Bool {
        switch end {
        case .own(let name): ports[name] != nil
        case .other(_, let nodeName): model.reducer.hasNode(shownAs: nodeName)
        }
    }

    private func ports(at end: ConnectionDeclaration.End, _ former: Set<GraphPort.ID>) -> [GraphPort] {
        let snapshot = model.snapshot
        switch end {
        case .own(let name): return ports[name].flatMap { snapshot.port($0.id) }.map { [$0] } ?? []
        case .other(let applicationID, let nodeName):
            // The properties of an app may come after its ports, here or when the connection was made.
            return snapshot.ports.filter { port in
                guard port.nodeName == nodeName else { return false }
                let present = snapshot.peer(of: port)?.applicationID
                return present == nil || applicationID == nil || present == applicationID
            }.sorted { one, other in
                let wasConnected = former.contains(one.id)
                return wasConnected == former.contains(other.id) ? one.id < other.id : wasConnected
            }
        }
    }
}

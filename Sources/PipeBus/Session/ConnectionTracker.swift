// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Declares the connections that the app makes in this session, for the next session to make again. A connection is
/// declared while any link connects its ports. Confined to the loop.
final class ConnectionTracker {
    private struct Ends: Hashable {
        var source: GraphPort.ID
        var destination: GraphPort.ID
    }

    private let connection: SessionConnection
    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private var declarations: [Ends: ConnectionDeclaration] = [:]
    private var isForgettingLost = false
    private lazy var removals = RoundTripBatch<Ends>(on: connection) { [weak self] in
        for ends in $0 { self?.forgetUnlessConnected(ends) }
    }

    init(on connection: SessionConnection, _ model: GraphModel, _ declared: Declarations, _ ports: PortTable) {
        self.connection = connection
        self.model = model
        self.declared = declared
        self.ports = ports
    }

    /// Declares a connection that the app has made.
    func add(from source: GraphPort, to destination: GraphPort) {
        let declaration = declaration(from: source, to: destination)
        let isPending = isPending(declaration)
        let ends = Ends(source: source.id, destination: destination.id)
        if declarations.updateValue(declaration, forKey: ends) == nil, !isPending { declared.add(declaration) }
    }

    /// Whether the app has made the connection between two ports in this session.
    func isDeclared(_ source: GraphPort.ID, _ destination: GraphPort.ID) -> Bool {
        declarations[Ends(source: source, destination: destination)] != nil
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
        if isPending(declaration) { declared.remove(declaration) }
    }

    /// Forgets a connection that the app has ended, unless another call has made it again. Idempotent.
    ///
    /// It may be declared only, when it could not be made in this session.
    func forgetUnlessConnected(_ source: GraphPort, _ destination: GraphPort) {
        let ends = Ends(source: source.id, destination: destination.id)
        if declarations[ends] != nil { return forgetUnlessConnected(ends) }
        forget(pending: declaration(from: source, to: destination))
    }

    /// Forgets a connection that is to be made again, the app's or another program's, because the app has ended it.
    ///
    /// - Returns: whether there was one.
    func forgetPending(_ source: GraphPort, _ destination: GraphPort) -> Bool {
        let declaration = declaration(from: source, to: destination)
        let count = declared.connections.count + declared.foreignConnections.count
        forget(pending: declaration)
        declared.removeForeign(declaration)
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
        let ends = Ends(source: GraphPort.ID(serial: source), destination: GraphPort.ID(serial: destination))
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
    func portLost(_ port: GraphPort.ID) {
        declarations = declarations.filter { $0.key.source != port && $0.key.destination != port }
    }

    /// Forgets a connection whose source hung, unless it was connected again.
    func stallEnded(_ source: GraphPort.ID, _ destination: GraphPort.ID) {
        forgetUnlessConnected(Ends(source: source, destination: destination))
    }

    private func forgetUnlessConnected(_ ends: Ends) {
        // A port of our own that another program removed is made again, with its connections.
        let isOwnEndLost = [ends.source, ends.destination].contains {
            ports[$0] != nil && model.snapshot.port($0) == nil
        }
        guard connection.isOpen, !isOwnEndLost,
            model.snapshot.connection(from: ends.source, to: ends.destination) == nil,
            // A source that hangs is connected again when it answers.
            ports[ends.destination]?.links.stall(of: ends.source.serial) == nil,
            let declaration = declarations.removeValue(forKey: ends)
        else { return }
        declared.remove(declaration)
    }

    // MARK: Identities that outlive a session

    func declaration(from source: GraphPort, to destination: GraphPort) -> ConnectionDeclaration {
        ConnectionDeclaration(source: end(source), destination: end(destination))
    }

    private func end(_ port: GraphPort) -> ConnectionDeclaration.End {
        if let own = ports[port.id] { return .own(own.name) }
        return .other(applicationID: model.snapshot.peer(of: port)?.applicationID, nodeName: port.nodeName)
    }

    /// The ports of a connection in this session; `nil` if they do not exist.
    ///
    /// - Parameter number: of several connections that are alike, the number of this one from 0. The oldest ports come first.
    func ports(
        of connection: ConnectionDeclaration, number: Int
    ) -> (source: GraphPort, destination: GraphPort)? {
        // Asked after every change of the graph: a snapshot of all ports costs much in a large one.
        guard mayExist(connection.source), mayExist(connection.destination) else { return nil }
        let pairs = ports(at: connection.source).flatMap { source in
            ports(at: connection.destination).map { (source, $0) }
        }
        return pairs.indices.contains(number) ? pairs[number] : nil
    }

    private func mayExist(_ end: ConnectionDeclaration.End) -> Bool {
        switch end {
        case .own(let name): ports[name] != nil
        case .other(_, let nodeName): model.reducer.hasNode(shownAs: nodeName)
        }
    }

    private func ports(at end: ConnectionDeclaration.End) -> [GraphPort] {
        let snapshot = model.snapshot
        switch end {
        case .own(let name): return ports[name].flatMap { snapshot.port($0.id) }.map { [$0] } ?? []
        case .other(let applicationID, let nodeName):
            // The properties of an app may come after its ports, here or when the connection was made.
            return snapshot.ports.filter { port in
                guard port.nodeName == nodeName else { return false }
                let present = snapshot.peer(of: port)?.applicationID
                return present == nil || applicationID == nil || present == applicationID
            }.sorted { $0.id < $1.id }
        }
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph
import RealtimeKit

/// Everything that the app has declared: ports, order, levels, connections. It knows no daemon, and outlives each.
/// Confined to the loop.
final class Declarations {
    /// The ports, in the order in which they were added. A port is included while it is being made.
    private(set) var ports: [DeclaredPort] = []
    /// The order of the ports in a cycle.
    private(set) var order = PortOrder()
    /// The block that runs before the first port in each cycle.
    private(set) var beforeCycle: BeforeCycleMemory?
    /// The app's time.
    let timelines = Timelines()
    /// The levels of each receiver's sources.
    private var levels = RememberedLevels()
    /// Connections that the app made and that exist, or existed when the last session ended, in the order in which they
    /// were made. Two ports of other apps may have one name, so a connection may be there twice.
    private(set) var connections: [ConnectionDeclaration] = []
    /// Connections that other programs made to the app's ports, and that an interruption has ended. Each is made again once.
    private(set) var foreignConnections: [ForeignConnection] = []
    /// Connections that had lasted when an interruption ended them, also those that other apps make again.
    let lastingConnections = LastingConnections()
    /// The sources of the app's ports that hang.
    let stalls = RememberedStalls()
    let toldSettings = ToldGraphSettings()
    /// The data that the app publishes.
    let data = DeclaredData()
    let triggers = DeclaredTriggers()
    /// When the daemon's profiler is used to find whose fault an xrun was.
    private(set) var xrunDiagnosis = BusClient.XrunDiagnosis.automatic
    /// Number of connections of other programs that are kept: any program can make them.
    private static let foreignLimit = 1000
    private var nextPlace = 0
    /// The app's name.
    let app: String

    init(app: String) { self.app = app }

    /// Declares a port that is to be made. Two concurrent calls cannot take the same name.
    ///
    /// - Throws: ``PipeBusError`` `invalidArgument` or `duplicateName`.
    func add(_ declaration: PortDeclaration, memory: PortMemory, call: RealtimeCall) throws -> DeclaredPort {
        try Names.check(name: declaration.name, of: "a port")
        if let title = declaration.title { try Names.check(text: title, what: "A title") }
        guard !contains(declaration.name) else {
            throw PipeBusError(
                .duplicateName,
                "This app has a port named \"\(declaration.name)\" already; give each port a name of its own.")
        }
        try addOrder(of: declaration)
        let handle = PortHandle(
            name: declaration.name, nodeName: "\(app).\(declaration.name)",
            latency: declaration.ownFrames(withBlocks: memory.blocks), cells: memory.cells)
        let port = DeclaredPort(
            declaration, of: app, place: nextPlace, handle: handle, memory: memory, call: call)
        nextPlace += 1
        ports.append(port)
        return port
    }

    func contains(_ name: String) -> Bool { ports.contains { $0.name == name } }
    func contains(_ handle: PortHandle) -> Bool { ports.contains { $0.handle === handle } }

    /// The port of an object; `nil` once it is closed.
    func port(of handle: PortHandle) -> DeclaredPort? { ports.first { $0.handle === handle } }

    /// Closes a port that is in no graph. Idempotent.
    func close(_ handle: PortHandle) {
        guard let port = ports.first(where: { $0.handle === handle }) else { return }
        forget(port)
        handle.close()
    }

    /// Removes a port that is closed or could not be made. Idempotent.
    func forget(_ port: DeclaredPort) {
        guard let index = ports.firstIndex(where: { $0 === port }) else { return }
        ports.remove(at: index)
        // A monitor does not outlive its receiver; and without one the receiver monitors no more, so that it may again.
        if let monitor = port.monitor { close(monitor.port) }
        for receiver in ports where receiver.monitor?.port === port.handle { receiver.endMonitor() }
        order.remove(port.name)
        connections.removeAll { $0.hasEnd(.own(port.name)) }
        foreignConnections.removeAll { $0.ends.hasEnd(.own(port.name)) }
        lastingConnections.removeAll(of: port.name)
        stalls.end(at: port.name)
    }

    func setXrunDiagnosis(_ diagnosis: BusClient.XrunDiagnosis) { xrunDiagnosis = diagnosis }

    /// Marks the next cycle of all blocks as discontinuous, because the system has slept.
    func markDiscontinuous() {
        for port in ports { port.memory.markDiscontinuous() }
        beforeCycle?.markDiscontinuous()
    }

    func setBeforeCycle(_ memory: BeforeCycleMemory) { beforeCycle = memory }

    // MARK: Connections

    func add(_ connection: ConnectionDeclaration) { connections.append(connection) }

    /// Sets the channels of a connection, of the last one of several that are alike.
    func setPairing(_ connection: ConnectionDeclaration) {
        if let index = connections.lastIndex(of: connection) { connections[index].pairing = connection.pairing }
    }

    /// Removes a connection, one of several that are alike. Idempotent.
    func remove(_ connection: ConnectionDeclaration) {
        if let index = connections.firstIndex(of: connection) { connections.remove(at: index) }
    }

    /// Puts connections behind the others, in their order: the others are made first in the next session.
    func moveToEnd(_ last: [ConnectionDeclaration]) {
        for connection in last { remove(connection) }
        connections += last
    }

    /// Adds a connection of another program, unless it is there. Beyond ``foreignLimit`` the oldest is forgotten.
    func add(_ connection: ForeignConnection) {
        guard !contains(connection.key) else { return }
        if foreignConnections.count >= Self.foreignLimit { foreignConnections.removeFirst() }
        foreignConnections.append(connection)
    }

    /// Removes a connection of another program. Idempotent.
    func remove(_ key: ForeignConnection.Key) { foreignConnections.removeAll { $0.key == key } }

    /// Removes what other programs added to a connection of the app that has ended.
    func removeAdditions(to ends: ConnectionDeclaration) {
        foreignConnections.removeAll { $0.ends == ends && $0.key.isAddition }
    }

    func contains(_ key: ForeignConnection.Key) -> Bool { foreignConnections.contains { $0.key == key } }

    /// Ends connections between two ports that are not both in a graph, so that none of them is made again.
    ///
    /// - Throws: ``PipeBusError`` `notConnected`.
    func disconnect(_ source: PortDesignation, from destination: PortDesignation) throws {
        // As in a graph, where the role's own kind comes before a filter.
        func standard(_ kind: PortKind) -> String? {
            let main = ports.filter { $0.declaration.auxiliaryOf == nil }
            return (main.first { $0.declaration.kind == kind } ?? main.first { $0.declaration.kind == .filter })?.name
        }
        let (standardSource, standardDestination) = (standard(.sender), standard(.receiver))
        func matches(_ ends: ConnectionDeclaration) -> Bool {
            ends.source.matches(source, app: app, standard: standardSource)
                && ends.destination.matches(destination, app: app, standard: standardDestination)
        }
        let count = connections.count + foreignConnections.count
        connections.removeAll(where: matches)
        foreignConnections.removeAll { matches($0.ends) }
        guard connections.count + foreignConnections.count < count else {
            throw PipeBusError(
                .notConnected, "These ports were not connected, so nothing is connected again when the daemon is back.")
        }
    }

    // MARK: Levels

    func levels(at receiver: String) -> SourceLevels { levels[receiver] }
    func setLevels(_ levels: SourceLevels, at receiver: String) { self.levels[receiver] = levels }

    func setLevel(_ level: Source.Level, of source: Source.Identity, at receiver: String) {
        levels.set(level, of: source, at: receiver)
    }

    /// Releases everything that the app gave the client, because the client is closed.
    func removeAll() {
        ports = []
        order = PortOrder()
        beforeCycle = nil
        levels.removeAll()
        connections = []
        foreignConnections = []
        lastingConnections.removeAll()
        stalls.removeAll()
        data.removeAll()
        triggers.removeAll()
    }

    private func addOrder(of declaration: PortDeclaration) throws {
        for name in declaration.after { try Names.check(name: name, of: "a port in after:") }
        do throws(PortOrder.Fault) {
            try order.add(declaration.name, after: declaration.after)
        } catch {
            throw PipeBusError(.invalidArgument, Self.words(for: error, of: declaration.name))
        }
    }

    private static func words(for fault: PortOrder.Fault, of name: String) -> String {
        switch fault {
        case .circle(let names):
            let circle = names.map { "\"\(Names.shown($0))\"" }.joined(separator: " after ")
            return names.count == 2
                ? "A port cannot run after itself: \(circle)."
                : "Ports cannot run after each other in a circle: \(circle)."
        case .tooLong:
            return
                "\"\(Names.shown(name))\" would be one of more than \(PortOrder.longestChain) ports that run one after "
                + "the other; use fewer."
        case .tooManyPaths:
            return
                "The ports that run after each other have too many paths between them with \"\(Names.shown(name))\"; "
                + "declare only the ports that each runs directly after."
        }
    }
}

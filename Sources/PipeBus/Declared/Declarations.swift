// SPDX-License-Identifier: MIT
import ConnectionGraph
import RealtimeKit

/// What the app asked for. It knows no daemon, and outlives each. Lives on the loop.
final class Declarations {
    /// The ports, those that are being made too, in the order in which they were added.
    private(set) var ports: [DeclaredPort] = []
    /// Which ports run after which.
    private(set) var order = PortOrder()
    /// What runs before the first port in each cycle.
    var beforeCycle: BeforeCycleMemory?
    /// Of the sources of each receiver, by the receiver's name: they outlive the receiver.
    var levels: [String: SourceLevels] = [:]
    /// Connections that the app made and that are there, or were when the last session ended.
    var connections: Set<ConnectionDeclaration> = []
    private var nextPlace = 0
    /// What the app calls itself.
    private let app: String

    init(app: String) { self.app = app }

    /// Takes note of a port that is to be made. Two calls at once cannot take the same name.
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
            name: declaration.name, nodeName: "\(app).\(declaration.name)", latency: declaration.latency.ownFrames,
            cells: memory.cells)
        let port = DeclaredPort(declaration, place: nextPlace, handle: handle, memory: memory, call: call)
        nextPlace += 1
        ports.append(port)
        return port
    }

    func contains(_ name: String) -> Bool { ports.contains { $0.name == name } }
    func contains(_ handle: PortHandle) -> Bool { ports.contains { $0.handle === handle } }

    /// Closes a port that is in no graph. Idempotent.
    func close(_ handle: PortHandle) {
        guard let port = ports.first(where: { $0.handle === handle }) else { return }
        forget(port)
        handle.endStreams()
    }

    /// The port is closed, or could not be made. Idempotent.
    func forget(_ port: DeclaredPort) {
        guard let index = ports.firstIndex(where: { $0 === port }) else { return }
        ports.remove(at: index)
        order.remove(port.name)
        connections = connections.filter { $0.source != .own(port.name) && $0.destination != .own(port.name) }
    }

    /// The client is closed: what the app gave it is let go of.
    func removeAll() {
        ports = []
        order = PortOrder()
        beforeCycle = nil
        levels = [:]
        connections = []
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
        case .tooManyWays:
            return "The ports that run after each other have too many ways between them with \"\(Names.shown(name))\"; "
                + "name only those that each runs straight after."
        }
    }
}

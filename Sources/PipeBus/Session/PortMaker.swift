// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient
import RealtimeKit

/// Makes nodes for declared ports. Confined to the loop.
final class PortMaker {
    private let connection: SessionConnection
    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private let leaving: LeavingNodes
    private let order: OrderKeeper
    private let app: AppIdentity
    /// Nodes that are being made. They must be closed before the connection is, although calls still wait for them.
    private var unfinished: [FilterNode] = []
    /// The thread that processes the session's first node.
    private var mainThread: UInt?

    init(
        on connection: SessionConnection, _ model: GraphModel, _ declared: Declarations, _ ports: PortTable,
        _ leaving: LeavingNodes, _ order: OrderKeeper, app: AppIdentity
    ) {
        self.connection = connection
        self.model = model
        self.declared = declared
        self.ports = ports
        self.leaving = leaving
        self.order = order
        self.app = app
    }

    /// Makes a port's node, and waits until it has appeared with all its channels, in our own graph too.
    ///
    /// The node gets a name that no other node has: that of the port's last node, if it is free. In a second process of the app it
    /// has "-2" after it.
    func make(_ port: DeclaredPort) async throws -> LivePort {
        let livePort = try await makeNode(port)
        port.keep(nodeName: livePort.nodeName)
        return livePort
    }

    private func makeNode(_ port: DeclaredPort) async throws -> LivePort {
        var suffix = port.nodeName == nil ? 1 : 0
        var mayBeLeaving = true
        while true {
            let nodeName =
                switch suffix {
                case 0: port.nodeName ?? ""
                case 1: "\(app.name).\(port.name)"
                default: "\(app.name).\(port.name)-\(suffix)"
                }
            suffix += 1
            if mayBeLeaving, !model.reducer.nodes(named: nodeName).isEmpty {
                // A port of that name may have been closed a moment ago.
                mayBeLeaving = false
                try await connection.roundTrip()
            }
            if !model.reducer.nodes(named: nodeName).isEmpty { continue }
            let livePort = try await makeNode(port, nodeName: nodeName)
            // Another process may have taken the name at the same moment: the older node keeps it.
            if model.reducer.nodes(named: nodeName).first?.id == livePort.nodeID { return livePort }
            leaving.add(livePort.node, serial: livePort.id.serial)
            await leaving.finish()
            if model.reducer.nodes(named: nodeName).isEmpty { throw Self.renamed }
        }
    }

    private static let renamed = PipeBusError(
        .pipeWire,
        "PipeWire gave a port's node another name than the one that was asked for; remove node.name from PIPEWIRE_PROPS and "
            + "from the rules in PipeWire's configuration.")

    private func makeNode(_ port: DeclaredPort, nodeName: String) async throws -> LivePort {
        try connection.checkOpen()
        do throws(PipeWireError) {
            let properties = properties(of: port, nodeName: nodeName)
            let node = try start(port, properties)
            unfinished.append(node)
            defer { unfinished.removeAll { $0 === node } }
            do throws(PipeWireError) {
                try await node.connect { [self] in setTimeline(of: port, node) }
                // The node's ports come with the first round trip, their globals with the second.
                for _ in 0..<2 { try await connection.pipeWire.sync() }
                return try finish(port, properties, node)
            } catch {
                node.close()
                throw error
            }
        } catch {
            throw PipeBusError(error)
        }
    }

    private func properties(of port: DeclaredPort, nodeName: String) -> NodeProperties {
        NodeProperties(
            app: app, declaration: port.declaration, nodeName: nodeName, title: port.title, place: port.place,
            requiresOneThread: declared.beforeCycle != nil || port.memory.auxiliaries != nil
                || port.declaration.auxiliaryOf != nil)
    }

    private func start(_ port: DeclaredPort, _ properties: NodeProperties) throws(PipeWireError) -> FilterNode {
        let before = declared.beforeCycle.map { BeforeCycleNodeMemory(of: $0) }
        return try unsafe FilterNode(
            on: connection.pipeWire, name: properties.nodeName, properties: properties.ofNode,
            ports: properties.ofChannels,
            orderPorts: order.orderPorts(of: port.declaration), call: port.call,
            context: UnsafeMutableRawPointer(port.memory.core.pointer), load: port.memory.cells.loadPointer,
            before: before?.call,
            keepingAlive: (port.memory, before))
    }

    /// Gives a port the timeline of its thread, before the node's first cycle.
    private func setTimeline(of port: DeclaredPort, _ node: FilterNode) {
        if mainThread == nil { mainThread = node.threadID }
        port.memory.follow(
            node.threadID == mainThread ? declared.timelines.main : declared.timelines.other(ofPortAt: port.place))
    }

    private func finish(
        _ port: DeclaredPort, _ made: NodeProperties, _ node: FilterNode
    ) throws(PipeWireError) -> LivePort {
        // The session may have ended in the meantime.
        guard connection.isOpen else { throw connection.pipeWire.failure ?? .closed }
        guard let nodeID = node.nodeID, let serial = model.reducer.serial(ofNode: nodeID) else {
            throw .nodeFailed(reason: "the daemon does not show it")
        }
        let inputs = model.reducer.channels(ofNode: nodeID, isInput: true).map(\.id)
        let outputs = model.reducer.channels(ofNode: nodeID, isInput: false).map(\.id)
        guard inputs.count == port.declaration.inputs, outputs.count == port.declaration.outputs else {
            throw .nodeFailed(reason: "the daemon shows only some of its channels")
        }
        // The app may have changed the port while it was being made.
        let present = properties(of: port, nodeName: made.nodeName)
        for (key, value) in present.changes(since: made) { try node.setProperty(key, to: value) }
        return LivePort(
            port, nodeName: made.nodeName, title: present.title, node: node, id: GraphPort.ID(serial: serial),
            nodeID: nodeID,
            inputs: inputs, outputs: outputs)
    }

    // MARK: Taps

    /// Makes the tap of one of our filters.
    ///
    /// - Throws: ``PipeBusError``, also if another thread than the filter's would process it.
    func makeTap(of port: LivePort, _ links: LinkTable) async throws -> InputTap {
        try connection.checkOpen()
        let memory = port.declared.tapMemory()
        let declaration = port.declaration.ofTap
        let properties = NodeProperties(
            app: app, declaration: declaration, nodeName: "\(port.nodeName).tap", title: "\(port.title) tap",
            place: port.declared.place, requiresOneThread: true)
        do throws(PipeWireError) {
            let node = try unsafe FilterNode(
                on: connection.pipeWire, name: properties.nodeName, properties: properties.ofNode,
                ports: properties.ofChannels, call: memory.call,
                context: UnsafeMutableRawPointer(memory.core.pointer), load: memory.loadPointer,
                keepingAlive: (port.memory, memory))
            unfinished.append(node)
            defer { unfinished.removeAll { $0 === node } }
            do throws(PipeWireError) {
                try await node.connect()
                for _ in 0..<2 { try await connection.pipeWire.sync() }
                guard connection.isOpen, ports.contains(port), node.sharesThread(with: port.node), let id = node.nodeID,
                    let serial = model.reducer.serial(ofNode: id)
                else { throw .closed }
                let inputs = model.reducer.channels(ofNode: id, isInput: true).map(\.id)
                let outputs = model.reducer.channels(ofNode: id, isInput: false).map(\.id)
                guard inputs.count == declaration.inputs, outputs.count == declaration.outputs else { throw .closed }
                return InputTap(
                    node, serial: serial, inputs: inputs, outputs: outputs, declaration, of: port, on: connection,
                    model, links, leaving)
            } catch {
                node.close()
                throw error
            }
        } catch {
            throw PipeBusError(error)
        }
    }

    // MARK: Checks

    /// Refuses a port that would never receive sound, because of the versions of library and daemon.
    func checkVersions(for declaration: PortDeclaration) throws {
        try connection.checkOpen()
        let library = PipeWireConnection.libraryVersion
        guard declaration.inputs > 0, let daemon = connection.pipeWire.daemonVersion,
            library >= .announcesLinksToInputs, daemon < .announcesLinksToInputs
        else { return }
        throw PipeBusError(
            .incompatible,
            "This app uses PipeWire \(library), with which ports hear nothing on a daemon as old as \(daemon); "
                + "use a daemon from \(LibraryVersion.announcesLinksToInputs) on, or the daemon's own version for the app."
        )
    }

    /// Refuses a port that another thread processes than the app's other ports, if a block runs before each cycle.
    ///
    /// That block shares values with the ports' blocks, and the audio thread may not lock. Versions before 1.2 have one
    /// data loop in a context. Later ones have one unless configured otherwise, and all nodes request the same one.
    ///
    /// A filter gets its auxiliary inputs in the same way from their receivers.
    func checkThread(of port: LivePort) throws {
        let inputs = ports.filter { $0.declaration.auxiliaryOf == port.name }
        if port.memory.auxiliaries != nil, !inputs.allSatisfy({ $0.node.sharesThread(with: port.node) }) {
            throw PipeBusError(
                .incompatible,
                "PipeWire is configured to process this app's ports by several threads, which a filter with auxiliary "
                    + "inputs does not allow; remove context.data-loops from client.conf.")
        }
        guard declared.beforeCycle != nil, let first = ports.first, !first.node.sharesThread(with: port.node) else {
            return
        }
        throw PipeBusError(
            .incompatible,
            "PipeWire is configured to process this app's ports by several threads, which a block before each cycle "
                + "does not allow; remove context.data-loops from client.conf.")
    }

    // MARK: The end

    func connectionLost(_ error: PipeWireError) { for node in unfinished { node.connectionLost(error) } }

    func close() { for node in unfinished { node.close() } }
}

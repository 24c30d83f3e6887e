// SPDX-License-Identifier: MIT
import ConnectionGraph
import Glibc
import PipeWireClient
import RealtimeKit

extension DaemonSession {
    /// Puts a port into the graph and waits until it is there with all its channels, also in our own view of it.
    ///
    /// One at a time: 33 nodes made in one go without a round trip between them break the connection on 0.3.65.
    func add(_ declared: DeclaredPort) async throws -> LivePort {
        try checkVersions(for: declared.declaration)
        let port = try await creation.withLock { try await insertPort(declared) }
        try checkOpen()
        guard ports.contains(port) else { throw PipeBusError(.closed, Self.lost(port)) }
        checkScheduling()
        return port
    }

    private func insertPort(_ declared: DeclaredPort) async throws -> LivePort {
        // The app may add a port while the session is being rebuilt: whoever comes second finds it there.
        if let present = ports[declared.handle] { return present }
        let port = try await makeUniqueNode(declared)
        // Closed while it was being made.
        guard context.declared.contains(declared.handle) else {
            port.node.close()
            throw PipeBusError(
                .closed, "The port \"\(Names.shown(declared.name))\" was closed while it was being made.")
        }
        insert(port)
        do {
            try checkThread(of: port.node)
            try await keepOrder(of: port)
        } catch {
            drop(port)
            throw error
        }
        return port
    }

    private static func lost(_ node: LivePort) -> String {
        "Somebody removed the port \"\(Names.shown(node.title))\" from the graph; it is gone until its app adds it again."
    }

    private static func lostChannel(_ node: LivePort) -> String {
        "Somebody removed a channel of the port \"\(Names.shown(node.title))\" from the graph, and PipeWire cannot bring "
            + "it back; the port is gone until its app adds it again."
    }

    /// A port that would never hear anything is better refused.
    private func checkVersions(for declaration: PortDeclaration) throws {
        try checkOpen()
        let library = PipeWireConnection.libraryVersion
        guard declaration.inputs > 0, let daemon = connection.daemonVersion, library >= .announcesLinksToInputs,
            daemon < .announcesLinksToInputs
        else { return }
        throw PipeBusError(
            .incompatible,
            "This app uses PipeWire \(library), with which ports hear nothing on a daemon as old as \(daemon); "
                + "use a daemon from \(LibraryVersion.announcesLinksToInputs) on, or the daemon's own version for the app."
        )
    }

    /// Names are first come, first served between processes too; whoever comes second gets "-2".
    private func makeUniqueNode(
        _ declared: DeclaredPort
    ) async throws -> LivePort {
        var suffix = 1
        while true {
            let nodeName = "\(app.name).\(declared.name)" + (suffix > 1 ? "-\(suffix)" : "")
            suffix += 1
            if !model.reducer.nodes(named: nodeName).isEmpty { continue }
            let node = try await makeNode(declared, nodeName: nodeName)
            // Another process may have taken the name at the same moment: the older one keeps it.
            if model.reducer.nodes(named: nodeName).first?.id == node.nodeID { return node }
            node.node.close()
        }
    }

    private func makeNode(
        _ declared: DeclaredPort, nodeName: String
    ) async throws -> LivePort {
        try checkOpen()
        let declaration = declared.declaration
        let title = declaration.title ?? "\(app.name) \(declaration.name)"
        let before = context.declared.beforeCycle.map { BeforeCycleNodeMemory(of: $0) }
        do throws(PipeWireError) {
            let filter = try unsafe FilterNode(
                on: connection, name: nodeName,
                properties: nodeProperties(declaration, nodeName: nodeName, title: title, order: declared.place),
                ports: portSpecs(declaration), orderPorts: orderPorts(of: declaration), call: declared.call,
                context: UnsafeMutableRawPointer(declared.memory.core.pointer), before: before?.call,
                keepingAlive: (declared.memory, before))
            unfinished.append(filter)
            defer { unfinished.removeAll { $0 === filter } }
            do throws(PipeWireError) {
                try await filter.connect()
                // The node's ports come with the first round trip, their globals with the second.
                try await connection.sync()
                try await connection.sync()
            } catch {
                filter.close()
                throw error
            }
            // Ended while we waited.
            guard isOpen else {
                filter.close()
                throw connection.failure ?? .closed
            }
            guard let nodeID = filter.nodeID, let serial = model.reducer.serial(ofNode: nodeID) else {
                filter.close()
                throw PipeWireError.nodeFailed(reason: "the daemon does not show it")
            }
            let inputs = model.reducer.channels(ofNode: nodeID, isInput: true).map(\.id)
            let outputs = model.reducer.channels(ofNode: nodeID, isInput: false).map(\.id)
            guard inputs.count == declaration.inputs, outputs.count == declaration.outputs else {
                filter.close()
                throw PipeWireError.nodeFailed(reason: "the daemon shows only some of its channels")
            }
            return LivePort(
                declared, nodeName: nodeName, title: title, node: filter, id: GraphPort.ID(serial: serial),
                nodeID: nodeID, inputChannels: inputs, outputChannels: outputs)
        } catch {
            throw PipeBusError(error)
        }
    }

    private func insert(_ node: LivePort) {
        ports.insert(node)
        node.declared.handle.appeared(as: node.id, nodeName: node.nodeName)
        let id = node.id
        node.node.onLatency = { [unowned self] report in latencyReported(report, of: id) }
        node.node.onRequest = { [unowned self] key, value in requested(key, value, of: id) }
        node.node.onFailure = { [unowned self] _ in portLostLater(id) }
        applyLatency(resolvedLatency(of: node), to: node)
        // A patchbay may have been quicker than we were.
        for id in model.reducer.links(atNode: node.nodeID) { linkAppeared(id: id) }
        watchAudio()
        refreshPorts()
    }

    /// Not inside PipeWire's callback, where nothing may be destroyed: a job later.
    private func portLostLater(_ id: GraphPort.ID) {
        jobs.add { [self] in portLost(id, because: Self.lost) }
    }

    /// Somebody destroyed one of our nodes or a channel of it, and the daemon is still there.
    private func portLost(_ id: GraphPort.ID, because message: (LivePort) -> String) {
        guard isOpen, let node = ports[id] else { return }
        drop(node)
        post(Notice(kind: .portLost, port: node.declaration.name, message: message(node)))
    }

    /// Somebody removed something from the graph. A port whose channel it was is no longer whole: libpipewire cannot give
    /// it the channel again, and a receiver's lanes would shift.
    func channelDisappeared(id: UInt32) {
        guard let port = (ports[input: id] ?? ports[output: id])?.id else { return }
        // Channels go before their node: the node's own end, if it is that, is known after a round trip.
        afterRoundTrip { [self] in portLost(port, because: Self.lostChannel) }
    }

    /// Takes a port out of the graph.
    func closePort(_ node: LivePort) async {
        drop(node)
        // Gone for everybody when the call returns; if the daemon is gone, it is so already.
        try? await connection.sync()
    }

    private func drop(_ node: LivePort) {
        // Who lost it meanwhile gave up its name, which may be another's by now.
        guard ports.remove(node) else { return }
        declared.forget(node.declared)
        remove(node)
        node.declared.handle.endStreams()
        if node.receiver != nil { updateFollowers(of: node.declaration.name) }
    }

    func remove(_ node: LivePort) {
        links.releaseAll(atChannels: Set(node.inputChannels + node.outputChannels))
        forgetOrder(of: node.declaration.name)
        node.bypassReleaseTimer = nil
        node.node.close()
        node.leaveGraph()
        stopSharing(node)
    }

    // MARK: Properties

    private func nodeProperties(
        _ declaration: PortDeclaration, nodeName: String, title: String, order: Int
    ) -> [(String, String)] {
        let (category, role) =
            switch declaration.kind {
            case .sender: ("Playback", "Production")
            case .filter: ("Filter", "DSP")
            case .receiver: ("Capture", "Production")
            }
        // One group for the app's nodes: one driver and clock for all, and no session manager links them back.
        let group = "pipebus.\(app.id).\(getpid())"
        var properties = [
            ("node.name", nodeName), ("node.description", title), ("node.nick", app.name), ("media.name", title),
            ("media.type", "Audio"), ("media.category", category), ("media.role", role),
            ("node.group", group), ("node.link-group", group), ("node.autoconnect", "false"),
            (PipeBusProperty.kind, declaration.kind.rawValue), (PipeBusProperty.name, declaration.name),
            (PipeBusProperty.order, "\(order)"), (PipeBusProperty.protocolVersion, "1"),
        ]
        if declaration.kind != .receiver {
            properties.append((PipeBusProperty.latency, "\(declaration.latency.ownFrames)"))
        }
        if declaration.kind == .receiver { properties.append((PipeBusProperty.laneWidth, "\(declaration.laneWidth)")) }
        // See `checkThread`. Where there is nothing to share, PipeWire may choose.
        if declared.beforeCycle != nil { properties.append(("node.loop.name", Self.dataLoop)) }
        if let iconName = app.iconName { properties.append(("media.icon-name", iconName)) }
        if app.allowsConnectionsToSelf { properties.append((PipeBusProperty.allowsSelf, "true")) }
        if app.isOneAppAcrossProcesses { properties.append((PipeBusProperty.selfScope, "application")) }
        if declaration.isMonitoring { properties.append((PipeBusProperty.monitors, "true")) }
        if let receiver = declaration.latency.receiver { properties.append((PipeBusProperty.follows, receiver)) }
        if declaration.isSeparate { properties.append((PipeBusProperty.isSeparate, "true")) }
        if declaration.isBypassed { properties.append((PipeBusProperty.isBypassed, "true")) }
        if declaration.isLiveSource { properties.append((PipeBusProperty.isLive, "true")) }
        return properties
    }

    private func portSpecs(_ declaration: PortDeclaration) -> [FilterNode.PortSpec] {
        func spec(_ portName: String, isInput: Bool) -> FilterNode.PortSpec {
            // "input_1_FL": the part behind the last underscore is the channel, the part before it the lane.
            let parts = portName.split(separator: "_")
            return FilterNode.PortSpec(
                isInput: isInput,
                properties: [
                    ("format.dsp", "32 bit float mono audio"), ("port.name", portName),
                    ("audio.channel", String(parts.last ?? "")),
                    ("port.group", parts.dropLast().joined(separator: "_")),
                ])
        }
        return declaration.inputPositions.map { spec($0, isInput: true) }
            + declaration.outputPositions.map { spec($0, isInput: false) }
    }

    // MARK: Scheduling

    /// Looks once, when the first node runs, whether the audio thread got the priority it should have.
    private func checkScheduling() {
        guard !hasCheckedScheduling else { return }
        hasCheckedScheduling = true
        guard let reason = RealtimeScheduling.reasonForNone() else { return }
        let message =
            "The audio thread has no real-time priority (\(reason)); sound may break up when the computer is busy."
        RealtimeScheduling.log(message)
        post(Notice(kind: .noRealtimePriority, port: nil, message: message))
    }
}

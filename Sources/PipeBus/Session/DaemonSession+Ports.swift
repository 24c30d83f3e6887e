// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Adds ports to the graph, and removes them.
extension DaemonSession {
    /// Looks up the live port of a port's object.
    ///
    /// - Throws: ``PipeBusError`` `closed` if the port is not in the graph any more.
    func livePort(_ handle: PortHandle) throws -> LivePort {
        try connection.checkOpen()
        guard let port = ports[handle] else {
            throw PipeBusError(.closed, "This port was closed before; add it again to go on.")
        }
        return port
    }

    /// Adds a port to the graph, and waits until it has appeared with all its channels.
    ///
    /// Ports are made one after the other: 33 nodes made without a round trip in between break the connection on
    /// 0.3.65.
    func add(_ declared: DeclaredPort) async throws -> LivePort {
        try maker.checkVersions(for: declared.declaration)
        let port = try await creationLock.withLock { try await makePort(declared) }
        try connection.checkOpen()
        guard ports.contains(port) else { throw PipeBusError(.closed, Self.lossMessage(port)) }
        scheduling.run()
        return port
    }

    private func makePort(_ declared: DeclaredPort) async throws -> LivePort {
        // A port that the app adds during a rebuild is made by that call or by the rebuild, whichever comes first.
        if let present = ports[declared.handle] { return present }
        // Those that leave have the names of their nodes, and one of them may be this port.
        await leaving.finish()
        let port = try await maker.make(declared)
        // The app may have closed the port while it was being made.
        guard self.declared.contains(declared.handle) else {
            leaving.add(port.node, serial: port.id.serial)
            // Gone for everybody, before another port may take its name.
            await leaving.finish()
            throw PipeBusError(
                .closed, "The port \"\(Names.shown(declared.name))\" was closed while it was being made.")
        }
        insert(port)
        do {
            try maker.checkThread(of: port)
            try await order.addLinks(of: port)
        } catch {
            // It stays declared: whoever adds it decides what becomes of it.
            if ports.contains(port) { takeOut(port) }
            throw error
        }
        return port
    }

    private func insert(_ port: LivePort) {
        ports.insert(port)
        port.declared.handle.appeared(as: port.id, nodeName: port.nodeName)
        let id = port.id
        port.node.onLatency = { [unowned self] report in reports.reported(report, of: id) }
        port.node.onRequest = { [unowned self] key, value in
            bypasses.requested(key, value, of: id)
            stallRequests.requested(key, value, of: id)
            exchanges.requested(key, value, of: id)
            quitRequests.requested(key, value, of: id)
        }
        port.node.onStart = { [unowned self] in started(id) }
        port.node.onPause = { [unowned self] in paused(id) }
        // In a job, because nothing may be destroyed inside PipeWire's callback.
        port.node.onFailure = { [unowned self] _ in connection.later { [self] in lost(id, because: Self.lossMessage) } }
        if port.node.isStreaming { started(id) }
        ownLatencies.apply(to: port)
        recovery.portMade(port)
        clock.changed(port)
        monitors.graphChanged()
        // A patchbay may have linked the port already.
        for link in model.reducer.links(atNode: port.nodeID) {
            foreignConnections.linkAppeared(link)
            lanes.linkAppeared(link)
        }
        audioWatch.update()
        hungPeers.update()
        refreshPorts()
    }

    /// PipeWire runs a port from now on. Its first call may hold up the loop.
    private func started(_ id: GraphPort.ID) {
        guard let port = ports[id] else { return }
        blockWatch.watch(port.watched, limit: port.blockLimit)
        clock.changed(port)
    }

    /// PipeWire does not run a port any more, as when all of its peers are paused. That time is not missed.
    private func paused(_ id: GraphPort.ID) {
        if let port = ports[id] {
            blockWatch.forget(port.memory.cells)
            port.memory.markDiscontinuous()
            clock.changed(port)
        }
        if !ports.contains(where: { $0.node.isStreaming }) { declared.beforeCycle?.markDiscontinuous() }
        clock.update()
    }

    /// Waits until the port that is being made is in the graph, or is out of it if it was closed.
    func finishMaking() async {
        if connection.isOpen { await creationLock.withLock {} }
        await leaving.finish()
    }

    // MARK: Closing

    /// Removes a port from the graph. When the call returns, no client sees the port any more.
    func close(_ port: LivePort) async {
        drop(port)
        await leaving.finish()
    }

    private func drop(_ port: LivePort) {
        // Not twice: after the first time, another port may have taken the name.
        guard ports.remove(port) else { return }
        if let monitor = port.declared.monitor { drop(monitor.port) }
        declared.forget(port.declared)
        lostPorts.forget(port.declared.handle)
        port.declared.handle.close()
        remove(port)
        // Calls that wait for something to connect to it end.
        connection.wakeWaits()
        if port.receiver != nil { ownLatencies.updateFollowers(of: port.name) }
        if port.declaration.isMonitor { monitors.update() }
        // Nobody would read a filter's auxiliary inputs any more, and their names would be taken.
        for input in declared.ports where input.declaration.auxiliaryOf == port.name { drop(input.handle) }
    }

    /// Drops a port that belongs to another one. It may be in no graph at present, because it is about to be made again.
    private func drop(_ handle: PortHandle) {
        if let live = ports[handle] { drop(live) } else { declared.close(handle) }
    }

    /// Takes a port out of the graph that stays declared, with its connections.
    private func takeOut(_ port: LivePort) {
        let others = foreignConnections.portLost(port.id)
        tracker.portLost(port.id, connectedTo: others)
        _ = ports.remove(port)
        remove(port)
        if port.receiver != nil { ownLatencies.updateFollowers(of: port.name) }
    }

    /// Lets a port leave, after it is removed from the port table.
    func remove(_ port: LivePort) {
        links.releaseAll(atChannels: port.channels.all)
        order.removeLinks(of: port.name)
        selfConnections.forget(port.id)
        bypasses.forget(port.id)
        exchanges.forget(port.id)
        leaving.add(port.node, serial: port.id.serial) { [self] in
            // For as long as libpipewire waited for the block, it was watched.
            blockWatch.forget(port.memory.cells)
            port.leaveGraph()
            levelSharing.stopPublishing(port)
        }
    }

    // MARK: Loss

    /// Makes the port again that an object of the graph was a channel of, because another program removed the channel.
    ///
    /// libpipewire cannot add the channel alone again, and a receiver's lanes would shift.
    func channelDisappeared(id: UInt32) {
        guard let port = ports[input: id] ?? ports[output: id] else { return }
        // The links of the channel went with it. Nobody has removed them.
        port.channelWasLost()
        // After a round trip: channels are removed before their node, and the loss of the node is another message.
        connection.afterRoundTrip { [self, id = port.id] in lost(id, because: Self.channelLossMessage) }
    }

    /// Takes a port out of the graph and makes it again, because another program destroyed its node or a channel of it. The
    /// daemon still runs.
    private func lost(_ id: GraphPort.ID, because message: (LivePort) -> String) {
        guard connection.isOpen, let port = ports[id] else { return }
        guard lostPorts.removed(port.declared.handle, at: .now) else {
            drop(port)
            return notices.post(Notice(kind: .portLost, port: port.name, message: message(port) + Self.givenUp))
        }
        takeOut(port)
        notices.post(Notice(kind: .portRestored, port: port.name, message: message(port) + " It is added again."))
        startRestoring()
        // A task that runs already may wait for another port.
        connection.wakeWaits()
    }

    private static let givenUp =
        " It was added again several times, so it is gone now until its app adds it."

    private static func lossMessage(_ port: LivePort) -> String {
        "Another program removed the port \"\(Names.shown(port.title))\" from the graph."
    }

    private static func channelLossMessage(_ port: LivePort) -> String {
        "Another program removed a channel of the port \"\(Names.shown(port.title))\" from the graph."
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Handles the daemon's reports, inside PipeWire's callbacks. Urgent decisions are taken at once; all other parts are
/// marked as stale.
extension DaemonSession {
    func registryChanged(_ event: RegistryEvent) {
        switch event {
        case .added(let id, let kind, let properties): added(id, kind, properties)
        case .properties(let id, let properties):
            let changed = GraphEvent.properties(id: id, properties)
            model.apply(changed)
            if model.concernsOwnPorts(changed) { refresh.mark([.receivers, .latencies, .ports]) }
        case .feedback(let id, let isFeedback): return corrector.marked(link: id, isFeedback: isFeedback)
        case .nodeState(let id, let isRunning):
            nodeStates.changed(id, isRunning: isRunning)
            recovery.nodeState(id, isRunning: isRunning)
            // Connections may wait for it.
            return connection.wakeWaits()
        case .latency(let id, let isOutputLatency, let latency):
            channelLatencies.reported(latency, isOutputLatency: isOutputLatency, byChannel: id)
            return corrector.reported(latency, isOutputLatency: isOutputLatency, byChannel: id)
        case .removed(let id): removed(id)
        }
        connection.wakeWaits()
        if graphReaders.hasReaders { refresh.mark(.graphReaders) }
        monitors.graphChanged()
    }

    private func added(_ id: UInt32, _ kind: RegistryEvent.Kind, _ properties: [String: String]) {
        let event = GraphEvent.added(id: id, kind: GraphEvent.Kind(kind), properties: properties)
        model.apply(event)
        if kind == .node {
            connection.pipeWire.bind(id: id, kind: .node)
            owners.nodeAppeared(properties)
        }
        if kind == .link {
            foreignConnections.linkAppeared(id)
            lanes.linkAppeared(id)
        }
        if model.concernsOwnPorts(event) { markNearbyChange(id, isLink: kind == .link) }
        if kind == .link {
            audioWatch.update()
            hungPeers.update()
        }
        if kind == .profiler { profiler.appeared(id) }
        if kind == .metadata {
            remoteData.graphChanged()
            remoteTriggers.graphChanged()
            clock.appeared(id, properties)
            defaultDevice.appeared(id, properties)
        }
    }

    private func removed(_ id: UInt32) {
        channelDisappeared(id: id)
        let isLink = model.reducer.ends(ofLink: id) != nil
        if model.concernsOwnPorts(.removed(id: id)) { markNearbyChange(id, isLink: isLink) }
        if isLink {
            foreignConnections.linkDisappears(id)
            lanes.linkDisappears(id)
            tracker.linkDisappears(id)
        }
        corrector.forget(id)
        channelLatencies.forget(id)
        activity.forget(id)
        nodeStates.forget(id)
        if let serial = model.reducer.serial(ofNode: id) {
            lanes.sourceDisappeared(serial)
            stalls.sourceDisappears(serial)
        }
        if model.reducer.isClient(id) { awaitedApps.clientsChange() }
        profiler.disappeared(id)
        clock.disappeared(id)
        defaultDevice.disappeared(id)
        connection.pipeWire.unbind(id: id)
        owners.disappeared(id)
        model.apply(.removed(id: id))
        remoteData.graphChanged()
        remoteTriggers.graphChanged()
    }

    private func markNearbyChange(_ id: UInt32, isLink: Bool) {
        refresh.mark(.ports)
        if isLink { corrector.linkChanges(id) }
    }

    // MARK: Reports of components, in jobs

    /// Releases one of our links that failed, or that another program removed.
    func linkLost(_ key: LinkTable.Key) {
        if let link = links[key] { links.release(link) }
        lanes.linkLost(key)
        // A call that makes a connection with this link must fail.
        connection.wakeWaits()
    }

    /// Another program has destroyed the node of a source that hangs. Its connections are made again when it is back.
    func stalledSourceLost(_ source: GraphPort.ID) {
        foreignConnections.stalledSourceLost(source)
        connection.later { [weak self] in self?.startRestoring() }
    }

    /// Updates a port with a forbidden link that could not be removed.
    func linkKept(_ link: UInt32, at port: GraphPort.ID) {
        guard let port = ports[port] else { return }
        lanes.linkKept(link, at: port)
        refreshPorts()
    }
}

extension GraphEvent.Kind {
    init(_ kind: RegistryEvent.Kind) {
        self =
            switch kind {
            case .client: .client
            case .node: .node
            case .port: .port
            case .link: .link
            case .metadata: .metadata
            case .profiler, .other: .other
            }
    }
}

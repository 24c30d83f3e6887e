// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// What the daemon reports, straight from PipeWire's callbacks: what cannot wait is decided here, all else is marked as out
/// of date.
extension DaemonSession {
    func registryChanged(_ event: RegistryEvent) {
        switch event {
        case .added(let id, let kind, let properties):
            let added = GraphEvent.added(id: id, kind: GraphEvent.Kind(kind), properties: properties)
            model.apply(added)
            if kind == .node {
                connection.bind(id: id, kind: .node)
                bindOwner(properties)
            }
            if kind == .link { linkAppeared(id: id) }
            if surroundings.concerns(added, in: model.reducer) { changedNearby(id, kind == .link) }
            if kind == .link { watchAudio() }
        case .properties(let id, let properties):
            let changed = GraphEvent.properties(id: id, properties)
            model.apply(changed)
            if surroundings.concerns(changed, in: model.reducer) {
                markStale([.receivers, .latencies, .ports])
            }
        case .feedback(let id, let isFeedback): return feedbackMarked(id: id, isFeedback: isFeedback)
        case .latency(let id, let isOutputLatency, let latency):
            return channelReportedLatency(latency, isOutputLatency: isOutputLatency, byChannel: id)
        case .removed(let id):
            channelDisappeared(id: id)
            let isLink = model.reducer.ends(ofLink: id) != nil
            if surroundings.concerns(.removed(id: id), in: model.reducer) { changedNearby(id, isLink) }
            if isLink { linkDisappeared(id: id) }
            latencyWatch.forget(id)
            if let serial = model.reducer.serial(ofNode: id) {
                for port in ports {
                    port.lanes.sourceRemoved(serial)
                    port.returns.sourceRemoved(serial)
                }
            }
            connection.unbind(id: id)
            boundClients.remove(id)
            model.apply(.removed(id: id))
        }
        changeWaits.resumeAll()
        if context.graphReaders.hasReaders { markStale(.graphReaders) }
    }

    /// Asks for the properties of the client that a node belongs to. Most clients, every call of a tool such as `pw-link`
    /// among them, have no node, and nobody needs to know more of them than that they are there.
    private func bindOwner(_ properties: [String: String]) {
        guard let owner = properties["client.id"].flatMap({ UInt32($0) }), model.reducer.isClient(owner),
            boundClients.insert(owner).inserted
        else { return }
        connection.bind(id: owner, kind: .client)
    }

    private func changedNearby(_ id: UInt32, _ isLink: Bool) {
        markStale(.ports)
        if isLink { linksChange(id: id) }
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
            case .other: .other
            }
    }
}

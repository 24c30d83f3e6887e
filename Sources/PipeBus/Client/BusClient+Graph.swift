// SPDX-License-Identifier: MIT
public import ConnectionGraph
import PipeWireClient

extension BusClient {
    /// What is in the graph now.
    public var graph: GraphSnapshot { model.snapshot }

    /// The graph now, and then after every change. Changes that come together make one snapshot.
    public nonisolated var graphUpdates: Updates<GraphSnapshot> {
        Updates { [self] in await graphSnapshots() }
    }

    /// Events that an app may want to show its user. The first reader is given those that came before it, up to 64, and so
    /// is one that comes when nobody reads any more; any other is given those that come from then on. None is coalesced
    /// until 64 are waiting for a reader; then the oldest is dropped.
    public nonisolated var notices: Updates<Notice> {
        Updates { [self] in await noticeStream() }
    }

    private func graphSnapshots() -> AsyncStream<GraphSnapshot> {
        graphReaders.subscribe(first: ending == nil && connection != nil ? [model.snapshot] : [])
    }

    private func noticeStream() -> AsyncStream<Notice> { noticeLog.subscribe() }

    func post(_ notice: Notice) { noticeLog.post(notice) }

    // MARK: Events

    /// Comes on the loop, straight from PipeWire: what cannot wait is decided here.
    func registryChanged(_ event: RegistryEvent) {
        switch event {
        case .added(let id, let kind, let properties):
            let added = GraphEvent.added(id: id, kind: GraphEvent.Kind(kind), properties: properties)
            model.apply(added)
            if kind == .client || kind == .node { connection?.bind(id: id, kind: kind) }
            if kind == .link { linkAppeared(id: id) }
            if surroundings.concerns(added, in: model.reducer) { changedNearby(id, kind == .link) }
            if kind == .link { watchAudio() }
        case .properties(let id, let properties):
            let changed = GraphEvent.properties(id: id, properties)
            model.apply(changed)
            if surroundings.concerns(changed, in: model.reducer) {
                markStale([.receivers, .latencies, .ports])
            }
        case .feedback(let id, let isFeedback): return linkMarked(id: id, isFeedback: isFeedback)
        case .latency(let id, let isOutputLatency, let latency):
            return latencyTold(latency, isOutputLatency: isOutputLatency, byChannel: id)
        case .removed(let id):
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
            connection?.unbind(id: id)
            model.apply(.removed(id: id))
        }
        changeWaits.resumeAll()
        if graphReaders.hasReaders { markStale(.graphReaders) }
    }

    private func changedNearby(_ id: UInt32, _ isLink: Bool) {
        markStale(.ports)
        if isLink { linksChange(id: id) }
    }

    // MARK: Waiting

    /// Tries again after every change of the graph, until there is a result or the time is up.
    ///
    /// - Parameter what: completes "waited … for".
    func firstResult<Value>(
        by deadline: ContinuousClock.Instant, waitingFor what: String, _ attempt: () throws -> Value?
    ) async throws -> Value {
        while true {
            _ = try liveConnection()
            if let value = try attempt() { return value }
            try Task.checkCancellation()
            let left = max(ContinuousClock.now.duration(to: deadline), .zero)
            do {
                try await withTaskCancellationHandler {
                    try await changeWaits.wait(for: left, on: loop, waitingFor: what)
                } onCancel: {
                    Task { await self.wakeWaiters() }
                }
            } catch let error as PipeWireError {
                throw PipeBusError(error)
            }
        }
    }

    /// Has everybody who waits for a change look again.
    func wakeWaiters() {
        changeWaits.resumeAll()
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

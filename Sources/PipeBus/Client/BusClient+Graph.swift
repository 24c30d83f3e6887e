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
        let (stream, continuation) = AsyncStream.makeStream(
            of: GraphSnapshot.self, bufferingPolicy: .bufferingNewest(1))
        guard ending == nil, connection != nil else {
            continuation.finish()
            return stream
        }
        let reader = nextReader
        nextReader += 1
        graphReaders[reader] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.endGraphReader(reader) }
        }
        continuation.yield(model.snapshot)
        return stream
    }

    private func noticeStream() -> AsyncStream<Notice> {
        let (stream, continuation) = AsyncStream.makeStream(of: Notice.self, bufferingPolicy: .bufferingNewest(64))
        for notice in unreadNotices { continuation.yield(notice) }
        unreadNotices = []
        guard ending == nil, connection != nil else {
            continuation.finish()
            return stream
        }
        let reader = nextReader
        nextReader += 1
        noticeReaders[reader] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.endNoticeReader(reader) }
        }
        return stream
    }

    private func endGraphReader(_ reader: Int) { graphReaders[reader] = nil }
    private func endNoticeReader(_ reader: Int) { noticeReaders[reader] = nil }

    func tell(_ notice: Notice) {
        if noticeReaders.isEmpty {
            // Bounded: an app that never listens must not grow.
            if unreadNotices.count < 64 { unreadNotices.append(notice) }
        }
        for reader in noticeReaders.values { reader.yield(notice) }
    }

    // MARK: Events

    /// Comes on the loop, straight from PipeWire: what cannot wait is decided here.
    func registryChanged(_ event: RegistryEvent) {
        switch event {
        case .added(let id, let kind, let properties):
            model.apply(.added(id: id, kind: GraphEvent.Kind(kind), properties: properties))
            if kind == .client || kind == .node { connection?.bind(id: id, kind: kind) }
            if kind == .link {
                linkAppeared(id: id)
                linksChange(id: id)
                watchAudio()
            }
        case .properties(let id, let properties):
            model.apply(.properties(id: id, properties))
            updateReceiversLater()
            reviewLatenciesLater()
        case .feedback(let id, let isFeedback): return linkMarked(id: id, isFeedback: isFeedback)
        case .latency(let id, let isOutputLatency, let latency):
            return latencyTold(latency, isOutputLatency: isOutputLatency, byChannel: id)
        case .removed(let id):
            linkDisappeared(id: id)
            linksChange(id: id)
            latencyWatch.forget(id)
            if let serial = model.reducer.serial(ofNode: id) {
                for node in nodes {
                    node.lanes.sourceRemoved(serial)
                    node.returns.sourceRemoved(serial)
                }
            }
            connection?.unbind(id: id)
            model.apply(.removed(id: id))
        }
        wakeWaiters()
        scheduleBroadcast()
        updateStatesLater()
    }

    private func scheduleBroadcast() {
        guard !isBroadcastDue, !graphReaders.isEmpty else { return }
        isBroadcastDue = true
        // A job on our own loop: it runs after the events that are waiting there now.
        Task { broadcast() }
    }

    private func broadcast() {
        isBroadcastDue = false
        let snapshot = model.snapshot
        for reader in graphReaders.values { reader.yield(snapshot) }
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
            let waiter = Waiter<Void>()
            changeWaiters.append(waiter)
            let left = max(ContinuousClock.now.duration(to: deadline), .zero)
            do {
                try await withTaskCancellationHandler {
                    try await waiter.value(within: left, on: loop, waitingFor: what)
                } onCancel: {
                    Task { await self.wakeWaiters() }
                }
            } catch let error as PipeWireError {
                changeWaiters.removeAll { $0 === waiter }
                throw PipeBusError(error)
            }
        }
    }

    /// Has everybody who waits for a change look again.
    func wakeWaiters() {
        let waiters = changeWaiters
        changeWaiters = []
        for waiter in waiters { waiter.resume(returning: ()) }
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

// SPDX-License-Identifier: MIT
import ConnectionGraph

/// How the connections of our ports stand: for the app, and for the audio thread.
extension BusClient {
    // MARK: Asking

    func state(of id: GraphPort.ID) throws -> PortState {
        _ = try localNode(id)
        return PortState(of: id, in: model.snapshot, heard: model.audible)
    }

    /// States of a port, now and after every change; the newest wins.
    func stateSnapshots(of id: GraphPort.ID) -> AsyncStream<PortState> {
        let (stream, continuation) = AsyncStream.makeStream(of: PortState.self, bufferingPolicy: .bufferingNewest(1))
        guard let state = try? state(of: id) else {
            continuation.finish()
            return stream
        }
        let reader = nextReader
        nextReader += 1
        stateReaders[reader] = StateReader(port: id, last: state, continuation: continuation)
        continuation.onTermination = { [weak self] _ in
            Task { await self?.endStateReader(reader) }
        }
        continuation.yield(state)
        return stream
    }

    struct StateReader {
        var port: GraphPort.ID
        /// What it was told last.
        var last: PortState
        var continuation: AsyncStream<PortState>.Continuation
    }

    private func endStateReader(_ reader: Int) { stateReaders[reader] = nil }

    /// For a port that is closed: the last that its readers are told is that nothing is connected.
    func endStateReaders(of id: GraphPort.ID) {
        let last = PortState(of: id, in: GraphSnapshot(revision: 0, peers: [], ports: [], connections: []))
        for reader in stateReaders.values where reader.port == id {
            if reader.last != last { reader.continuation.yield(last) }
            reader.continuation.finish()
        }
        stateReaders = stateReaders.filter { $0.value.port != id }
    }

    // MARK: Keeping up

    /// Something in the graph has changed, and more may be waiting to be told.
    func updateStatesLater() {
        guard !areStatesStale, !nodes.isEmpty else { return }
        areStatesStale = true
        // A job on our own loop: it runs after the events that are waiting there now.
        Task { updateStates() }
    }

    func updateStates() {
        areStatesStale = false
        guard connection != nil, ending == nil, !nodes.isEmpty else { return }
        updateAllFollowers()
        let snapshot = model.snapshot
        let returns = model.forbiddenReturns
        let heard = model.audible
        for node in nodes {
            let state = PortState(of: node.id, in: snapshot, heard: heard)
            let isBlockedAnew = guardAgainst(returns, at: node, snapshot)
            if isBlockedAnew { updateReceiver(node) }
            if isBlockedAnew || state != node.state {
                node.state = state
                node.publishConnections()
                if node.receiver != nil { scheduleSourceBroadcast() }
            }
        }
        for (number, reader) in stateReaders {
            guard let state = nodes.first(where: { $0.id == reader.port })?.state, state != reader.last else {
                continue
            }
            stateReaders[number]?.last = state
            reader.continuation.yield(state)
        }
    }
}

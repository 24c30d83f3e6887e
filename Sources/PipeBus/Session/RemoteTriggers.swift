// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Reads and presses the triggers of other apps, and of this one. Confined to the loop.
final class RemoteTriggers {
    private let connection: SessionConnection
    private let model: GraphModel
    private let requests: PeerRequests
    private let watches: PeerWatches<TriggerWatch>
    private var pressCount = 0

    init(on connection: SessionConnection, _ model: GraphModel, _ requests: PeerRequests) {
        self.connection = connection
        self.model = model
        self.requests = requests
        watches = PeerWatches(on: connection, requests)
    }

    func triggers(of peer: Peer.ID) async throws -> [Trigger] {
        guard let object = try sharedState(of: peer) else { return [] }
        return try await withState(object.id, of: peer) { state in Trigger.all(in: state.values.texts) }
    }

    /// Presses a trigger, and waits until its app has taken the press.
    func press(_ id: String, of peer: Peer.ID) async throws {
        try Trigger.check(id: id)
        let none = PipeBusError(.unknownTrigger, "\(name(of: peer)) has no trigger \"\(id)\".")
        guard let object = try sharedState(of: peer) else { throw none }
        pressCount += 1
        let own = connection.pipeWire.clientID.flatMap { model.reducer.serial(ofClient: $0) }
        // The word makes the answer that of this press.
        let value = "\(own.map(String.init) ?? "0") \(UInt32.random(in: .min ... .max)).\(pressCount)"
        let key = TriggerKey(id: id, part: .press).text
        let answer = try await withState(object.id, of: peer) { state in
            guard Trigger.all(in: state.values.texts).contains(where: { $0.id == id }) else { throw none }
            return try await state.set(key, to: value, type: TriggerKey.type)
        }
        switch answer {
        case .taken: return
        case .refused(let reason): throw refusal(of: peer, because: reason)
        case .none:
            try await withState(object.id, of: peer) { state in
                // Read again: the daemon's reports from before a suspended app resumed may be incomplete, see Docs/Workarounds.md.
                if state.values[key] == value { return }
                guard let reason = state.values.refusal(of: key) else { throw noAnswer(of: peer) }
                throw refusal(of: peer, because: reason)
            }
        }
    }

    private func refusal(of peer: Peer.ID, because reason: String) -> PipeBusError {
        PipeBusError(.refused, "\(name(of: peer)) refused that: \(Names.shown(reason)).")
    }

    // MARK: Changes

    /// Begins to follow an app's triggers.
    ///
    /// - Returns: the view, and the number to end it with.
    func watch(_ peer: Peer.ID) async throws -> (watch: TriggerWatch, number: Int) {
        _ = try sharedState(of: peer)
        return try await watches.begin { side in
            TriggerWatch(over: side) { [unowned self] in try sharedState(of: peer) }
        }
    }

    func graphChanged() { watches.graphChanged() }

    /// Idempotent.
    func endWatch(_ number: Int) { watches.end(number) }

    func close() { watches.close() }

    // MARK: The other app

    private func sharedState(of peer: Peer.ID) throws -> GraphReducer.MetadataObject? {
        try connection.checkOpen()
        guard model.reducer.hasClient(withSerial: peer.serial) else {
            throw PipeBusError(.unknownApp, "The app is not in the graph any more.")
        }
        return model.reducer.metadataObject(of: peer, prefix: SharedState.namePrefix)
    }

    private func withState<Result: Sendable>(
        _ id: UInt32, of peer: Peer.ID, _ work: (RemoteState) async throws -> Result
    ) async throws -> Result {
        do {
            return try await requests.perform(over: try requests.makeRemoteState()) { state in
                try await state.open(id, timeout: .seconds(2))
                return try await work(state)
            }
        } catch let error as PipeWireError {
            guard case .timedOut = error else { throw PipeBusError(error) }
            if let silence = await connection.errorIfDaemonIsSilent() { throw silence }
            throw noAnswer(of: peer)
        }
    }

    private func noAnswer(of peer: Peer.ID) -> PipeBusError {
        PipeBusError(.timedOut, "\(name(of: peer)) does not answer; it may be stopped. Try again when it runs.")
    }

    private func name(of peer: Peer.ID) -> String { Names.shown(model.snapshot.peer(peer)?.name ?? "The app") }
}

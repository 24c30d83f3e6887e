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

    /// What is missing is read so many times: if several clients bind an object at once, the daemon may pass its values to the last of them
    /// alone.
    static let readings = 6
    /// The wait before something is read again: another time than others wait who read at once.
    static var pauseBeforeReading: Duration { .milliseconds(Int.random(in: 5...50)) }

    private func pauseBeforeReading() async { await connection.sleep(for: Self.pauseBeforeReading) }

    func triggers(of peer: Peer.ID) async throws -> [Trigger] {
        guard let object = try sharedState(of: peer) else { return [] }
        for _ in 0..<Self.readings {
            let triggers = try await withState(object.id, of: peer) { state in
                state.values.count == 0 ? nil : Trigger.all(in: state.values.texts)
            }
            if let triggers { return triggers }
            await pauseBeforeReading()
        }
        return []
    }

    /// Presses a trigger, and waits until its app has taken the press.
    func press(_ id: String, of peer: Peer.ID) async throws {
        try Trigger.check(id: id)
        let none = PipeBusError(.unknownTrigger, "\(name(of: peer)) has no trigger \"\(id)\".")
        guard let object = try sharedState(of: peer) else { throw none }
        pressCount += 1
        let own = connection.pipeWire.clientID.flatMap { model.reducer.serial(ofClient: $0) }
        let word = "\(UInt32.random(in: .min ... .max)).\(pressCount)"
        let value = "\(own.map(String.init) ?? "0") \(word)"
        let key = TriggerKey(id: id, part: .press).text
        var pressed: RemoteValues.Answer?
        for _ in 0..<Self.readings where pressed == nil {
            pressed = try await withState(object.id, of: peer) { state in
                guard Trigger.all(in: state.values.texts).contains(where: { $0.id == id }) else { return nil }
                return try await state.press(key, value, word: word)
            }
            if pressed == nil { await pauseBeforeReading() }
        }
        guard var answer = pressed else { throw none }
        if answer == .none {
            // Read again: the daemon's reports from before a suspended app resumed may be incomplete, see Docs/Workarounds.md.
            answer = try await withState(object.id, of: peer) { state in
                state.values[PressAnswers.key].flatMap { PressAnswers.answer(to: word, in: $0) } ?? .none
            }
        }
        switch answer {
        case .taken: return
        case .refused(let reason):
            throw PipeBusError(.refused, "\(name(of: peer)) refused that: \(Names.shown(reason)).")
        case .none: throw noAnswer(of: peer)
        }
    }

    // MARK: Changes

    /// Begins to follow an app's triggers.
    ///
    /// - Returns: the view, and the number to end it with.
    func watch(_ peer: Peer.ID) async throws -> (watch: TriggerWatch, number: Int) {
        _ = try sharedState(of: peer)
        return try await watches.begin { side in
            TriggerWatch(over: side, later: connection.after) { [unowned self] in try sharedState(of: peer) }
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
            throw PipeBusError.appIsGone
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

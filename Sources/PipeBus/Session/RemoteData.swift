// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Reads what other clients publish, and this one. Confined to the loop.
final class RemoteData {
    private let connection: SessionConnection
    private let model: GraphModel
    private let requests: PeerRequests
    private let watches: PeerWatches<DataWatch>

    init(on connection: SessionConnection, _ model: GraphModel, _ requests: PeerRequests) {
        self.connection = connection
        self.model = model
        self.requests = requests
        watches = PeerWatches(on: connection, requests)
    }

    /// The keys that an app publishes, with their objects.
    func objects(of peer: Peer.ID) throws -> [String: GraphReducer.MetadataObject] {
        try connection.checkOpen()
        guard model.reducer.hasClient(withSerial: peer.serial) else { throw PipeBusError.appIsGone }
        let all = model.reducer.publishedData(
            of: peer, namePrefix: PublishedData.namePrefix)
        let valid = all.filter { PublishedData.isValid(key: $0.key) }.prefix(PublishedData.mostKeys)
        // A key that is there twice is what came last.
        return Dictionary(valid.map { ($0.key, $0.object) }) { _, last in last }
    }

    /// - Returns: `nil` without the key.
    func data(forKey key: String, of peer: Peer.ID, timeout: Duration) async throws -> [UInt8]? {
        guard let object = try objects(of: peer)[key] else { return nil }
        do {
            return try await requests.perform(over: try requests.makeRemoteState()) { state in
                try await state.open(object.id, timeout: timeout)
                guard let text = state.values[PublishedData.valueKey] else { return nil }
                guard text.utf8.count <= Base64.length(ofBytes: PublishedData.longestValue),
                    let bytes = Base64.bytes(text)
                else {
                    throw PipeBusError(
                        .notSupported,
                        "The data \"\(Names.shown(key))\" of \(name(of: peer)) is not in the form of Docs/Protocols.md, so it cannot be read."
                    )
                }
                return bytes
            }
        } catch let error as PipeWireError {
            guard case .timedOut = error else { throw PipeBusError(error) }
            if let silence = await connection.errorIfDaemonIsSilent() { throw silence }
            // The object may have gone while it was bound.
            guard try objects(of: peer)[key] == object else {
                return try await data(forKey: key, of: peer, timeout: timeout)
            }
            throw PipeBusError(
                .timedOut, "\(name(of: peer)) does not answer; it may be stopped. Try again when it runs.")
        }
    }

    private func name(of peer: Peer.ID) -> String { Names.shown(model.snapshot.peer(peer)?.name ?? "The app") }

    // MARK: Changes

    /// Begins to follow an app's data.
    ///
    /// - Returns: the queue of changes, and the number to end it with.
    func watch(_ peer: Peer.ID) async throws -> (queue: DataChangeQueue, number: Int) {
        _ = try objects(of: peer)
        let (watch, number) = try await watches.begin { side in
            DataWatch(over: side) { [unowned self] in try objects(of: peer) }
        }
        return (watch.queue, number)
    }

    func graphChanged() { watches.graphChanged() }

    /// Idempotent.
    func endWatch(_ number: Int) { watches.end(number) }

    func close() { watches.close() }
}

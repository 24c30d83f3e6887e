// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// Data that an app publishes for all others to read: a picture, a text, the state of a display.
///
/// A key belongs to the client that publishes it: two apps may use the same one. The data is copied, and gone when its client is closed or
/// ends. It comes back by itself after a restart of the daemon.
extension BusClient {
    /// Publishes bytes under a key, in place of what was there.
    ///
    /// The call returns when the daemon has taken the bytes. Without a daemon they are kept, and published when there is one.
    ///
    /// - Parameters:
    ///   - bytes: 0…4 194 304 bytes (4 MiB), of any content. Without bytes a key is a flag.
    ///   - key: 1…128 bytes on one line, such as "icon.png". An app has at most 256 keys, with 64 MiB in all.
    /// - Throws: ``PipeBusError`` `invalidArgument` beyond these limits, and then nothing is changed; `timedOut`, `closed`.
    public func publish(_ bytes: [UInt8], forKey key: String) async throws {
        try checkOpen()
        try declared.data.set(bytes, forKey: key)
        guard !isInterrupted, let session else { return }
        do {
            try await session.dataPublisher.publish(key)
        } catch {
            // The next session publishes it.
            guard session.connection.isLost else { throw error }
        }
    }

    /// Takes a key back. Idempotent.
    ///
    /// - Throws: ``PipeBusError`` `closed`.
    public func unpublish(_ key: String) throws {
        try checkOpen()
        declared.data.remove(key)
        session?.dataPublisher.remove(key)
    }

    /// The keys that an app publishes, sorted.
    ///
    /// - Throws: ``PipeBusError`` `unknownApp`, `connectionLost`, `closed`.
    public func publishedKeys(of peer: Peer.ID) throws -> [String] {
        try liveSession().remoteData.objects(of: peer).keys.sorted()
    }

    /// Reads what an app publishes under a key.
    ///
    /// - Parameter timeout: time limit for the daemon's answer, and again for the app's.
    /// - Returns: the bytes; `nil` if the app does not publish the key.
    /// - Throws: ``PipeBusError`` `unknownApp`; `timedOut` when the app does not answer; `notSupported` for what is published in another
    ///   form; `connectionLost`, `closed`.
    public func publishedData(
        forKey key: String, of peer: Peer.ID, timeout: Duration = .seconds(2)
    ) async throws -> [UInt8]? {
        try await liveSession().remoteData.data(forKey: key, of: peer, timeout: timeout)
    }

    /// What an app publishes, as `added`, and then each change.
    ///
    /// Changes for a busy reader are coalesced by key: it gets the newest value, and no more than one change of each key waits for it. The
    /// sequence ends when the app leaves the graph, and with the connection to the daemon. It is empty for an app that is not in the graph.
    public nonisolated func publishedDataUpdates(of peer: Peer.ID) -> Updates<PublishedDataChange> {
        Updates { [self] in
            var produce: (() async -> PublishedDataChange?)?
            return {
                if produce == nil {
                    guard let queue = await self.watchData(of: peer) else { return nil }
                    produce = queue.makeProducer()
                }
                return await produce?()
            }
        }
    }

    private func watchData(of peer: Peer.ID) async -> DataChangeQueue? {
        guard let session = try? liveSession(), let (queue, number) = try? await session.remoteData.watch(peer) else {
            return nil
        }
        queue.onEnd { [weak self] in Task { await self?.endDataWatch(number) } }
        return queue
    }

    private func endDataWatch(_ number: Int) { session?.remoteData.endWatch(number) }
}

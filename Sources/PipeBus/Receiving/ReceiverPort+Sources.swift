// SPDX-License-Identifier: MIT
public import ConnectionGraph

extension ReceiverPort {
    /// The sources that are connected now, by lane.
    ///
    /// - Throws: ``PipeBusError`` `closed` or `connectionLost`.
    public var sources: [Source] {
        get async throws { try await client.sources(of: handle) }
    }

    /// The sources that are connected now, if any, and then every change. For a busy reader 64 changes wait; beyond
    /// that the oldest are coalesced.
    public var sourceUpdates: Updates<Source.Changes> {
        Updates { [client, handle] in
            var snapshots: AsyncStream<[Source]>.Iterator?
            var last: [Source]?
            return {
                if snapshots == nil { snapshots = await client.sourceSnapshots(of: handle).makeAsyncIterator() }
                while let sources = await snapshots?.next(isolation: #isolation) {
                    let changes = Source.Changes(from: last ?? [], to: sources)
                    defer { last = sources }
                    if last == nil || !changes.isEmpty { return changes }
                }
                return nil
            }
        }
    }

    /// Attaches a value of the app's own to a source, for as long as it is connected, interruptions included. It is read as
    /// ``Source/context``.
    ///
    /// - Parameter source: the ``Source/id``.
    /// - Throws: ``PipeBusError`` `notConnected`, `closed` or `connectionLost`.
    public func setContext(_ context: (any Sendable)?, for source: GraphPort.ID) async throws {
        try await client.setContext(context, of: source, at: handle)
    }

    /// Sets a number of the app's own for a source, for as long as it is connected. The process block reads it as
    /// ``ReceivedSource/tag`` from the next cycle on, for example to find the source's track.
    ///
    /// - Throws: ``PipeBusError`` `notConnected`, `closed` or `connectionLost`.
    public func setTag(_ tag: UInt64, for source: GraphPort.ID) async throws {
        try await client.setTag(tag, of: source, at: handle)
    }

    /// Gives up latency that the receiver holds for a source that was disconnected or got faster.
    ///
    /// Within 10 ms of the next cycle's start the aligned sources are crossfaded to shorter delays, and the sound
    /// between the two delays is lost. It is for live mixes that do not wait for silence; see ``Alignment``.
    /// Idempotent: without such latency it has no effect.
    ///
    /// - Throws: ``PipeBusError`` `closed` or `connectionLost`.
    public func realign() async throws { try await client.realign(handle) }

    /// The age of the oldest sound when it is handed over: the latency of the slowest chain that ends here, or the
    /// latency that is still held.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads timestamps.
    public var latency: Latency { Latency(frames: memory.totalLatency, sampleRate: memory.sampleRate) }
}

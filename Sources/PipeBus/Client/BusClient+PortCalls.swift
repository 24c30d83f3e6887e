// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The calls of port objects.
extension BusClient {
    private func livePort(_ port: PortHandle) throws -> (session: DaemonSession, port: LivePort) {
        let session = try liveSession()
        return (session, try session.livePort(port))
    }

    func title(of port: PortHandle) throws -> String { try livePort(port).port.title }

    func setTitle(_ title: String, of port: PortHandle) throws {
        try livePort(port).port.setTitle(title)
    }

    func statistics(of port: PortHandle) throws -> PortStatistics { try livePort(port).port.statistics }

    func state(of port: PortHandle) throws -> PortState {
        let (session, port) = try livePort(port)
        return session.state(of: port)
    }

    func closePort(_ port: PortHandle) async {
        // Between sessions too, and after the connection was lost: a port that the app closed must not come back.
        if let session, let live = session.ports[port] {
            await session.close(live)
        } else {
            declared.close(port)
            // It may be in the graph already, and is taken out there.
            await session?.finishMaking()
        }
    }

    /// Changes and publishes a flag of a port. When the call returns, the graph shows the change, and the daemon has
    /// notified the other clients.
    func set(_ flag: PortFlag, to value: Bool, of port: PortHandle) async throws {
        let (session, port) = try livePort(port)
        try port.publish(flag, value)
        try await session.connection.roundTrip()
    }

    func setLatency(_ latency: PortLatency, of port: PortHandle) async throws {
        let (session, port) = try livePort(port)
        try await session.ownLatencies.setLatency(checked(latency), of: port)
    }

    func setBypassed(_ isBypassed: Bool, of port: PortHandle) async throws {
        let (session, port) = try livePort(port)
        try await session.bypasses.setBypassed(isBypassed, ofOwn: port)
    }

    // MARK: Receivers

    func sources(of port: PortHandle) throws -> [Source] {
        let (session, port) = try livePort(port)
        return try session.sources.sources(of: port)
    }

    func realign(_ port: PortHandle) throws {
        let (session, port) = try livePort(port)
        try session.receivers.realign(port)
    }

    func localLevel(of source: GraphPort.ID, at port: PortHandle) throws -> Source.Level {
        let (session, port) = try livePort(port)
        return try session.levels.level(of: source, at: port)
    }

    func changeLevel(
        of source: GraphPort.ID, at port: PortHandle, _ change: @Sendable (inout Source.Level) -> Void
    ) throws {
        let (session, port) = try livePort(port)
        try session.levels.changeLevel(of: source, at: port, change)
    }

    func setContext(_ context: (any Sendable)?, of source: GraphPort.ID, at port: PortHandle) throws {
        let (session, port) = try livePort(port)
        try session.levels.setContext(context, of: source, at: port)
    }

    func setTag(_ tag: UInt64, of source: GraphPort.ID, at port: PortHandle) throws {
        let (session, port) = try livePort(port)
        try session.levels.setTag(tag, of: source, at: port)
    }

    func savedLevels(of port: PortHandle) throws -> SourceLevels {
        let (session, port) = try livePort(port)
        return try session.levels.savedLevels(of: port)
    }

    func restore(_ saved: SourceLevels, at port: PortHandle) throws {
        let (session, port) = try livePort(port)
        try session.levels.restore(saved, at: port)
    }

    // MARK: Sequences

    /// The state of a port, first the present one and then each after a change. Changes are coalesced.
    func stateSnapshots(of port: PortHandle) -> AsyncStream<PortState> {
        guard declared.contains(port) else { return AsyncStream { $0.finish() } }
        return port.streams.states.subscribe(first: (try? state(of: port)).map { [$0] } ?? [.disconnected])
    }

    /// The sources of a receiver, first the present ones and then those after each change. Changes are coalesced.
    func sourceSnapshots(of port: PortHandle) -> AsyncStream<[Source]> {
        guard declared.contains(port) else { return AsyncStream { $0.finish() } }
        return port.streams.sources.subscribe(first: [(try? sources(of: port)) ?? []])
    }

    // MARK: For tests

    package var hasPeerRequests: Bool { session.map { !$0.requests.isEmpty } ?? false }
    package var isSleeping: Bool { session?.connection.isSleeping ?? false }
}

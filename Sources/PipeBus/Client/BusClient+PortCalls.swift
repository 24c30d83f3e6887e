// SPDX-License-Identifier: MIT
import ConnectionGraph

/// What the port objects ask of their client.
extension BusClient {
    private func live(_ port: PortHandle) throws -> (session: DaemonSession, port: LivePort) {
        let session = try live()
        return (session, try session.livePort(port))
    }

    func title(of port: PortHandle) throws -> String { try live(port).port.title }

    func setTitle(_ title: String, of port: PortHandle) throws {
        let (session, port) = try live(port)
        try session.setTitle(title, of: port)
    }

    func statistics(of port: PortHandle) throws -> PortStatistics { try live(port).port.statistics }

    func state(of port: PortHandle) throws -> PortState {
        let (session, port) = try live(port)
        return session.state(of: port)
    }

    func closePort(_ port: PortHandle) async {
        // Also between sessions, and after the connection was lost: what the app closed must not come back.
        if let session, let live = session.ports[port] {
            await session.closePort(live)
        } else {
            declared.close(port)
        }
    }

    func setMonitoring(_ isMonitoring: Bool, of port: PortHandle) async throws {
        let (session, port) = try live(port)
        try await session.setFlag(.isMonitoring, to: isMonitoring, of: port)
    }

    func setFromLiveSource(_ isFromLiveSource: Bool, of port: PortHandle) async throws {
        let (session, port) = try live(port)
        try await session.setFlag(.isLiveSource, to: isFromLiveSource, of: port)
    }

    func setLatency(_ latency: PortLatency, of port: PortHandle) async throws {
        let (session, port) = try live(port)
        try await session.setLatency(checked(latency), of: port)
    }

    func setBypassed(_ isBypassed: Bool, of port: PortHandle) async throws {
        let (session, port) = try live(port)
        try await session.setBypassed(isBypassed, ofOwn: port)
    }

    // MARK: Receivers

    func sources(of port: PortHandle) throws -> [Source] {
        let (session, port) = try live(port)
        return try session.sources(of: port)
    }

    func realign(_ port: PortHandle) throws {
        let (session, port) = try live(port)
        try session.realign(port)
    }

    func localLevel(of source: GraphPort.ID, at port: PortHandle) throws -> SourceLevel {
        let (session, port) = try live(port)
        return try session.localLevel(of: source, at: port)
    }

    func changeLevel(
        of source: GraphPort.ID, at port: PortHandle, _ change: @Sendable (inout SourceLevel) -> Void
    ) throws {
        let (session, port) = try live(port)
        try session.changeLevel(of: source, at: port, change)
    }

    func setContext(_ context: (any Sendable)?, of source: GraphPort.ID, at port: PortHandle) throws {
        let (session, port) = try live(port)
        try session.setContext(context, of: source, at: port)
    }

    func setTag(_ tag: UInt64, of source: GraphPort.ID, at port: PortHandle) throws {
        let (session, port) = try live(port)
        try session.setTag(tag, of: source, at: port)
    }

    func savedLevels(of port: PortHandle) throws -> SourceLevels {
        let (session, port) = try live(port)
        return try session.savedLevels(of: port)
    }

    func restore(_ saved: SourceLevels, at port: PortHandle) throws {
        let (session, port) = try live(port)
        try session.restore(saved, at: port)
    }

    // MARK: Sequences

    /// States of a port, now and after every change; the newest wins.
    func stateSnapshots(of port: PortHandle) -> AsyncStream<PortState> {
        guard declared.contains(port) else { return AsyncStream { $0.finish() } }
        return port.streams.states.subscribe(first: (try? state(of: port)).map { [$0] } ?? [.disconnected])
    }

    /// Sources of a receiver, now and after every change; the newest wins.
    func sourceSnapshots(of port: PortHandle) -> AsyncStream<[Source]> {
        guard declared.contains(port) else { return AsyncStream { $0.finish() } }
        return port.streams.sources.subscribe(first: [(try? sources(of: port)) ?? []])
    }

    // MARK: For tests

    package var isAsking: Bool { session?.isAsking ?? false }
    package var isPausing: Bool { session?.isPausing ?? false }
}

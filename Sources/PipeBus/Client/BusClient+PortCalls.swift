// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The calls of port objects.
///
/// A port may be in no graph at present: then a call changes what is declared, and the next session uses it.
extension BusClient {
    /// A port that the app has not closed.
    func declaredPort(_ handle: PortHandle) throws -> DeclaredPort {
        if let port = declared.port(of: handle) { return port }
        throw termination.error
            ?? PipeBusError(.closed, "This port was closed before; add it again to go on.")
    }

    /// A port in the present graph; `nil` while it is in none.
    private func livePort(_ handle: PortHandle) throws -> (session: DaemonSession, port: LivePort)? {
        if let error = termination.error { throw error }
        _ = try declaredPort(handle)
        guard let session, session.connection.isOpen, let port = session.ports[handle] else { return nil }
        return (session, port)
    }

    /// Performs a change of a port in the graph. If the connection is lost meanwhile, the change is declared already, and the
    /// next session makes it.
    private func changing(_ session: DaemonSession, _ change: () async throws -> Void) async throws {
        do { try await change() } catch {
            guard session.connection.isLost, termination.error == nil else { throw error }
        }
    }

    func title(of port: PortHandle) throws -> String { try declaredPort(port).title }

    func setTitle(_ title: String, of port: PortHandle) throws {
        if let (_, live) = try livePort(port) {
            try live.setTitle(title)
        } else {
            try Names.check(text: title, what: "A title")
            try declaredPort(port).change { $0.title = title }
        }
        if let monitor = try declaredPort(port).monitor {
            try setTitle(DeclaredMonitor.title(for: title), of: monitor.port)
        }
    }

    func setIconName(_ iconName: String?, of port: PortHandle) throws {
        if let iconName { try Names.check(text: iconName, what: "The name of an icon") }
        if let (_, live) = try livePort(port) {
            try live.setIconName(iconName, appIconName: app.iconName)
        } else {
            try declaredPort(port).change { $0.iconName = iconName }
        }
    }

    func statistics(of port: PortHandle) throws -> PortStatistics { try declaredPort(port).statistics }

    func state(of port: PortHandle) throws -> PortState {
        guard let (session, port) = try livePort(port) else { return .disconnected }
        return session.state(of: port)
    }

    func closePort(_ port: PortHandle) async {
        let inputs = declared.ports.filter { $0.declaration.auxiliaryOf == port.name && declared.contains(port) }
        await closeOne(port)
        for input in inputs { await closeOne(input.handle) }
    }

    private func closeOne(_ port: PortHandle) async {
        if declared.port(of: port)?.monitor != nil { await endMonitoring(of: port) }
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
        guard let (session, live) = try livePort(port) else {
            let declaredPort = try declaredPort(port)
            declaredPort.change { $0[keyPath: flag.declaration] = value }
            // It may have to be late by its block's size now.
            if declaredPort.memory.addsLatency { port.latency.frames = declaredPort.ownFrames }
            return
        }
        try live.publish(flag, value)
        session.ownLatencies.update(live)
        session.monitors.graphChanged()
        try await changing(session) { try await session.connection.roundTrip() }
    }

    func setLatency(_ latency: PortLatency, of port: PortHandle) async throws {
        let latency = try checked(latency)
        let declaredPort = try declaredPort(port)
        try declared.check(latency, of: declaredPort)
        guard let (session, live) = try livePort(port) else {
            declaredPort.change { $0.latency = latency }
            return port.latency.frames = declaredPort.ownFrames
        }
        try await changing(session) { try await session.ownLatencies.setLatency(latency, of: live) }
    }

    func setBypassed(_ isBypassed: Bool, of port: PortHandle) async throws {
        guard let (session, live) = try livePort(port) else {
            return try declaredPort(port).setBypassedOutsideGraph(isBypassed)
        }
        try await changing(session) { try await session.bypasses.setBypassed(isBypassed, ofOwn: live) }
    }

    // MARK: Receivers

    func sources(of port: PortHandle) throws -> [Source] {
        guard let (session, port) = try livePort(port) else { return [] }
        return try session.sources.sources(of: port)
    }

    func realign(_ port: PortHandle) throws {
        if let (session, port) = try livePort(port) { try session.receivers.realign(port) }
    }

    func localLevel(of source: GraphPort.ID, at port: PortHandle) throws -> Source.Level {
        let (session, live) = try connectedPort(port)
        return try session.levels.level(of: source, at: live)
    }

    func changeLevel(
        of source: GraphPort.ID, at port: PortHandle, _ change: @Sendable (inout Source.Level) -> Void
    ) throws {
        let (session, live) = try connectedPort(port)
        try session.levels.changeLevel(of: source, at: live, change)
    }

    func setContext(_ context: (any Sendable)?, of source: GraphPort.ID, at port: PortHandle) throws {
        let (session, live) = try connectedPort(port)
        try session.levels.setContext(context, of: source, at: live)
    }

    func setTag(_ tag: UInt64, of source: GraphPort.ID, at port: PortHandle) throws {
        let (session, live) = try connectedPort(port)
        try session.levels.setTag(tag, of: source, at: live)
    }

    func savedLevels(of port: PortHandle) throws -> SourceLevels {
        let declaredPort = try declaredPort(port)
        try declaredPort.checkMixes()
        return declared.levels(at: declaredPort.name)
    }

    func restore(_ saved: SourceLevels, at port: PortHandle) throws {
        if let (session, live) = try livePort(port) { return try session.levels.restore(saved, at: live) }
        let declaredPort = try declaredPort(port)
        try declaredPort.checkMixes()
        declared.setLevels(saved, at: declaredPort.name)
    }

    /// A port that has sources: while it is in no graph, it has none.
    private func connectedPort(_ handle: PortHandle) throws -> (session: DaemonSession, port: LivePort) {
        if let live = try livePort(handle) { return live }
        try declaredPort(handle).checkMixes()
        throw PipeBusError(
            .notConnected, "That source is not connected to \(try declaredPort(handle).title) any more.")
    }

    // MARK: Sequences

    /// The state of a port, first the present one and then each after a change. Changes are coalesced.
    func stateSnapshots(of port: PortHandle) -> AsyncStream<PortState> {
        guard declared.contains(port) else { return AsyncStream { $0.finish() } }
        return port.streams.states.subscribe(first: (try? state(of: port)).map { [$0] } ?? [.disconnected])
    }

    /// The sources of a receiver, first the present ones and then those after each change.
    func sourceSnapshots(of port: PortHandle) -> AsyncStream<[Source]> {
        guard declared.contains(port) else { return AsyncStream { $0.finish() } }
        return port.streams.subscribeToSources((try? sources(of: port)) ?? [])
    }

    // MARK: For tests

    package var hasPeerRequests: Bool { session.map { !$0.requests.isEmpty } ?? false }
    package var isMeasuringActivity: Bool { session?.profiler.isReading(.activity) ?? false }
    package var isReadingDefaultDevice: Bool { session?.monitors.isReadingDevice ?? false }
    package var isSleeping: Bool { session?.connection.isSleeping ?? false }
}

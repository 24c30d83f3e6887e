// SPDX-License-Identifier: MIT
public import PipeBus

extension BusClient {
    /// Connects a source to a destination, and starts the installed app of a port that is not there.
    ///
    /// A name that no port has is looked for among the installed apps: an app's name or id, or "app:port". If an app is installed under it, it is
    /// started, and its port is waited for; both ends at once. A name of no port and no app is waited for first, so that nothing is started in vain.
    /// All else is as with `connect(_:to:channels:lingers:timeout:)`, which never starts anything.
    ///
    /// - Parameters:
    ///   - launches: whether missing apps are started.
    ///   - timeout: time limit for ports of which no app is installed, again for those of apps that are started, and again for the connection.
    /// - Throws: ``LaunchFailure``; ``PipeBusError`` as the other call does; `CancellationError`.
    @discardableResult
    public nonisolated func connect(
        _ source: some PortDesignator & Sendable, to destination: some PortDesignator & Sendable,
        channels pairing: ChannelPairing = .matching, lingers: Bool = false, launches: Bool,
        timeout: Duration = .seconds(10)
    ) async throws -> Connection {
        guard launches else {
            return try await connect(source, to: destination, channels: pairing, lingers: lingers, timeout: timeout)
        }
        let designations: [(PortDesignation, GraphSnapshot.Role)] = [
            (source.portDesignation, .source), (destination.portDesignation, .destination),
        ]
        try await waitForOthers(
            than: designations.compactMap { designation, role in
                if case .name(let name) = designation { (name, role) } else { nil }
            }, waitsForAll: true, timeout: timeout)
        async let from = launchIfMissing(source.portDesignation, as: .source, timeout: timeout)
        async let to = launchIfMissing(destination.portDesignation, as: .destination, timeout: timeout)
        let ends = try await (from, to)
        return try await connect(
            ends.0 ?? source.portDesignation, to: ends.1 ?? destination.portDesignation, channels: pairing,
            lingers: lingers,
            timeout: timeout)
    }

    private nonisolated func launchIfMissing(
        _ designation: PortDesignation, as role: GraphSnapshot.Role, timeout: Duration
    ) async throws -> PortDesignation? {
        guard case .name(let name) = designation else { return nil }
        return try await launchIfMissing(name, as: role, timeout: timeout).map { .id($0.id) }
    }

    /// Waits for those of some names which no port has and no app is installed under.
    ///
    /// - Parameter waitsForAll: whether it waits also if no app of another name is to be started.
    /// - Throws: ``PipeBusError`` `timedOut`, `closed`; `CancellationError`.
    package nonisolated func waitForOthers(
        than names: [(text: String, role: GraphSnapshot.Role)], waitsForAll: Bool, timeout: Duration,
        willWait: @Sendable ([(text: String, role: GraphSnapshot.Role)]) -> Void = { _ in }
    ) async throws {
        let apps = AppDirectory.apps
        let graph = await graph
        let missing = names.filter { graph.port(named: $0.text, as: $0.role) == .missing }
        let awaited = missing.filter { InstalledName.port($0.text, as: $0.role, among: apps) == nil }
        guard !awaited.isEmpty, waitsForAll || awaited.count < missing.count else { return }
        willWait(awaited)
        let isThere = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await Task.sleep(for: timeout)
                return false
            }
            group.addTask { [self] in
                for await graph in graphUpdates
                where awaited.allSatisfy({ graph.port(named: $0.text, as: $0.role) != .missing }) { return true }
                try Task.checkCancellation()
                throw PipeBusError(.closed, "The client was closed while it waited for a port.")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        guard isThere else {
            let shown = awaited.map { "\"\(Names.shown($0.text))\"" }.joined(separator: " and ")
            throw PipeBusError(
                .timedOut,
                "No port \(shown) came within \(LaunchFailure.words(timeout)), and no app is installed by that name, so nothing was started; \"pipebus list --all\" shows what there is."
            )
        }
    }

    /// Starts the installed app of a name that no port has.
    ///
    /// - Parameter willLaunch: called before an app is started.
    /// - Returns: the port; `nil` if a port has the name, or no app is installed under it.
    package nonisolated func launchIfMissing(
        _ name: String, as role: GraphSnapshot.Role, timeout: Duration, activationToken: String? = nil,
        willLaunch: @Sendable (InstalledPort) -> Void = { _ in }
    ) async throws -> GraphPort? {
        guard await graph.port(named: name, as: role) == .missing,
            let port = InstalledName.port(name, as: role, among: AppDirectory.apps)
        else { return nil }
        willLaunch(port)
        return try await port.launch(for: self, activationToken: activationToken, timeout: timeout)
    }
}

// SPDX-License-Identifier: MIT
public import PipeBus

extension BusClient {
    /// Connects a source to a destination, and starts the installed app of a port that is not there.
    ///
    /// A name that no port has is looked for among the installed apps: an app's name or id, or "app:port". If an app is installed under it, it is
    /// started, and its port is waited for; both ends at once. All else is as with
    /// `connect(_:to:channels:lingers:timeout:)`, which never starts anything.
    ///
    /// - Parameters:
    ///   - launches: whether missing apps are started.
    ///   - timeout: time limit for the ports to appear, and again for the connection.
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

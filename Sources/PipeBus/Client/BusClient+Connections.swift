// SPDX-License-Identifier: MIT
public import ConnectionGraph

extension BusClient {
    /// Connects a port that gives sound to one that takes it, all channels or none.
    ///
    /// Waits until both ports exist and until sound can pass. N channels go to N; one goes to both of a stereo pair; what
    /// does not fit is refused. At a PipeBus receiver the source gets the first free lane.
    ///
    /// ```swift
    /// try await bus.connect("Tone", to: input)
    /// ```
    ///
    /// - Parameters:
    ///   - source: a port, or the name of an app or a port; see ``ConnectionGraph/GraphSnapshot/port(named:as:)``.
    ///   - destination: likewise.
    ///   - lingers: whether the connection stays when this client goes. For patchbays; others leave it alone.
    ///   - timeout: how long to wait for the ports to appear and the links to become active, in all.
    /// - Returns: the connection as it is in the graph now.
    /// - Throws: ``PipeBusError`` `timedOut`, `unknownPort` for an ambiguous name, `channelMismatch`, `noFreeLane`,
    ///   `alreadyConnected`, `selfConnection`, `noPermission`, `linkFailed`, `connectionLost`, `closed`; `CancellationError`
    ///   when the task is cancelled while it waits for the ports.
    @discardableResult
    public func connect(
        _ source: some PortDesignator & Sendable, to destination: some PortDesignator & Sendable, lingers: Bool = false,
        timeout: Duration = .seconds(10)
    ) async throws -> Connection {
        try await cancellable { session in
            try await session.connect(
                source.portDesignation, to: destination.portDesignation, lingers: lingers, timeout: timeout)
        }
    }

    /// Removes all links from one port to another, by whomever they were made. At a receiver of this client the source
    /// is faded out first.
    ///
    /// - Throws: ``PipeBusError`` `unknownPort`, `notConnected`, `noPermission`, `timedOut`, `connectionLost`, `closed`.
    public func disconnect(
        _ source: some PortDesignator & Sendable, from destination: some PortDesignator & Sendable
    ) async throws {
        try await cancellable { session in
            try await session.disconnect(source.portDesignation, from: destination.portDesignation)
        }
    }

    /// The name of the first sender that was added: the one a patchbay picks when only the app is named.
    public var defaultSender: String? { declared.ports.first { $0.declaration.kind == .sender }?.name }
    /// The name of the first filter that was added.
    public var defaultFilter: String? { declared.ports.first { $0.declaration.kind == .filter }?.name }
    /// The name of the first receiver that was added.
    public var defaultReceiver: String? { declared.ports.first { $0.declaration.kind == .receiver }?.name }
}

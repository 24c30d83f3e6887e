// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// Levels at any app's receivers, for patchbays. An app sets the levels at its own receivers with ``ReceiverPort``.
///
/// The ports must be there: no call waits for a name. One that no port has is `unknownPort` at once.
extension BusClient {
    /// Reads the levels of all sources of a receiver, of this app or of another one.
    ///
    /// - Parameter receiver: a port, or the name of an app or a port; see ``ConnectionGraph/GraphSnapshot/port(named:as:)``.
    /// - Returns: the level of each connected source with a lane of its own. Empty for a port without levels: one that is
    ///   no PipeBus receiver, or a receiver of separate streams.
    /// - Throws: ``PipeBusError`` `unknownPort`, `timedOut` when the other app does not answer, `connectionLost`, `closed`.
    public func levels(at receiver: some PortDesignator & Sendable) async throws -> [GraphPort.ID: Source.Level] {
        try await liveSession().remoteLevels.levels(at: receiver.portDesignation)
    }

    /// Reads the level of one source of a receiver.
    ///
    /// - Throws: ``PipeBusError`` as ``levels(at:)`` does; `notConnected`, and `notSupported` for a port without levels, such
    ///   as a receiver of separate streams.
    public func level(
        of source: some PortDesignator & Sendable, at receiver: some PortDesignator & Sendable
    ) async throws -> Source.Level {
        try await liveSession().remoteLevels.level(of: source.portDesignation, at: receiver.portDesignation)
    }

    /// Changes the level of one source of a receiver, and waits until the receiver uses the change.
    ///
    /// - Returns: the present level.
    /// - Throws: ``PipeBusError`` as ``level(of:at:)`` does; `invalidArgument` when the other app refuses the change.
    @discardableResult
    public func setLevel(
        _ change: LevelChange, of source: some PortDesignator & Sendable, at receiver: some PortDesignator & Sendable
    ) async throws -> Source.Level {
        try await liveSession().remoteLevels.setLevel(change, of: source.portDesignation, at: receiver.portDesignation)
    }
}

// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// Levels at any app's receivers, for patchbays. An app sets those of its own with ``ReceiverPort``.
extension BusClient {
    /// How a receiver mixes its sources, of this app or of another one.
    ///
    /// - Parameter receiver: a port, or the name of an app or a port; see ``ConnectionGraph/GraphSnapshot/port(named:as:)``.
    /// - Returns: a level for each source that is connected and kept apart; none for ports of other apps than PipeBus's, nor
    ///   for a receiver that takes its sources separately.
    /// - Throws: ``PipeBusError`` `unknownPort`, `timedOut` when the other app does not answer, `connectionLost`, `closed`.
    public func levels(at receiver: some PortDesignator & Sendable) async throws -> [GraphPort.ID: SourceLevel] {
        try await live().levels(at: receiver.portDesignation)
    }

    /// How a receiver mixes one source.
    ///
    /// - Throws: ``PipeBusError`` as ``levels(at:)`` does; `notConnected`, and `notSupported` for a port that keeps no levels,
    ///   such as a receiver that takes its sources separately.
    public func level(
        of source: some PortDesignator & Sendable, at receiver: some PortDesignator & Sendable
    ) async throws -> SourceLevel {
        try await live().level(of: source.portDesignation, at: receiver.portDesignation)
    }

    /// Sets how a receiver mixes one source, and waits until it does.
    ///
    /// - Returns: the level as it is now.
    /// - Throws: ``PipeBusError`` as ``level(of:at:)`` does; `invalidArgument` when the other app refuses it.
    @discardableResult
    public func setLevel(
        _ change: LevelChange, of source: some PortDesignator & Sendable, at receiver: some PortDesignator & Sendable
    ) async throws -> SourceLevel {
        try await live().setLevel(change, of: source.portDesignation, at: receiver.portDesignation)
    }
}

// SPDX-License-Identifier: MIT
public import ConnectionGraph

extension BusClient {
    /// Connects a source to a destination, all channels or none.
    ///
    /// The call waits until both ports exist, and then until sound can pass. At a PipeBus receiver the source gets the first
    /// free lane. While a source that hangs was disconnected from some port, PipeWire may make no link: then the call waits until that
    /// source answers, and `timedOut` names it. A call that throws leaves none of its links.
    ///
    /// | channels of the source | of the destination | links |
    /// | --- | --- | --- |
    /// | any number | the same number | each channel to the channel of its number |
    /// | one | two | the channel to both |
    /// | any other numbers | | none: the call throws `channelMismatch` |
    ///
    /// `channels` changes that: `.downmix()`, `.single(output: "FL")`, `.crossed`, `.pairs(…)`. The connection is made again with the
    /// same channels.
    ///
    /// ```swift
    /// try await bus.connect("Tone", to: input)
    /// ```
    ///
    /// - Parameters:
    ///   - source: a port, or the name of an app or a port; see ``ConnectionGraph/GraphSnapshot/port(named:as:)``.
    ///   - destination: likewise.
    ///   - pairing: the channels that go together.
    ///   - lingers: whether the connection stays when this client ends. It is for patchbays. Such a connection belongs to no
    ///     client: after an interruption the PipeBus app at one of its ends makes it again, as one of another program.
    ///   - timeout: time limit for the whole call: for the ports to appear and the links to become active.
    /// - Returns: the connection in the present graph.
    /// - Throws: ``PipeBusError`` `timedOut`; at once `unknownPort` for an ambiguous name, `invalidArgument` for a
    ///   receiver as the source or a sender as the destination, and for a channel that a port has not; `channelMismatch`, `noFreeLane`,
    ///   `alreadyConnected`, also if another program connects the two at the same time; `selfConnection`, `noPermission`,
    ///   `linkFailed`, `connectionLost`, `closed`; `CancellationError` when the task is cancelled while it waits.
    @discardableResult
    public func connect(
        _ source: some PortDesignator & Sendable, to destination: some PortDesignator & Sendable,
        channels pairing: ChannelPairing = .matching, lingers: Bool = false, timeout: Duration = .seconds(10)
    ) async throws -> Connection {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        var isRepeated = false
        return try await cancellable(by: deadline) { session in
            defer { isRepeated = true }
            return try await session.connector.connect(
                source, to: destination, pairing, lingers: lingers, isRepeated: isRepeated, by: deadline,
                timeout: timeout)
        }
    }

    /// Removes all links from one port to another, whichever program made them. At a receiver of this client the source is
    /// faded out first. Both ports must be there: the call does not wait for a name.
    ///
    /// - Throws: ``PipeBusError`` `unknownPort`, `notConnected`, `noPermission`, `timedOut`, `connectionLost`, `closed`.
    public func disconnect(
        _ source: some PortDesignator & Sendable, from destination: some PortDesignator & Sendable
    ) async throws {
        let (source, destination) = (source.portDesignation, destination.portDesignation)
        do {
            guard !isInterrupted else { throw reconnector.interruption }
            try await cancellable(by: .now) { session in
                try await session.connector.disconnect(source, from: destination)
            }
        } catch {
            // There is no session, or it was lost meanwhile: the next one must not make the connection again.
            guard isInterrupted else { throw error }
            try checkOpen()
            try declared.disconnect(source, from: destination)
        }
    }

    /// The name of the first sender that was added. A patchbay picks that sender for the app's name alone.
    public var defaultSender: String? { declared.ports.first { $0.declaration.kind == .sender }?.name }
    /// The name of the first filter that was added. A patchbay picks that filter for the app's name alone.
    public var defaultFilter: String? { declared.ports.first { $0.declaration.kind == .filter }?.name }
    /// The name of the first receiver that was added. A patchbay picks that receiver for the app's name alone.
    public var defaultReceiver: String? { declared.ports.first { $0.declaration.kind == .receiver }?.name }
}

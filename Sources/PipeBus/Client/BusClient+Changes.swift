// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// Changes of several connections: all of a change is made, or nothing of it.
///
/// New connections are made before old ones are ended. Where a source of a PipeBus receiver or filter is replaced by another, it
/// fades from one to the other in the same cycle, after the new one sounds: no sample is lost, and none is heard twice. At a receiver the
/// new source takes over the old one's level, which belongs to its place in the mix. A filter does not delay sound, so at a filter that
/// holds for sources of one latency. At any other port both are heard for some cycles.
///
/// New connections end with this client, unless a call says `lingers`. Where a connection of somebody else is replaced, those that come in its
/// place always stay: an app that puts a filter in, takes it out and ends leaves the graph as it was.
///
/// | call | waits for a port that a name does not find yet |
/// | --- | --- |
/// | ``connect(through:lingers:timeout:)``, ``connect(_:to:channels:lingers:timeout:)``, ``waitUntilFlowing(from:to:timeout:)`` | yes, until its time limit |
/// | ``insert(_:from:to:lingers:timeout:)``, ``takeOut(_:lingers:timeout:)``, ``replace(_:at:with:lingers:timeout:)``, ``apply(_:lingers:timeout:)``, ``disconnect(_:from:)`` | no: `unknownPort` at once |
///
/// A call whose task is cancelled takes its connections back, or, once all are made, comes to its end.
extension BusClient {
    /// Connects each port to the next: a sender, filters, a receiver. Connections that are there already stay.
    ///
    /// ```swift
    /// try await bus.connect(through: ["Pad", "Echo", "Recorder"])
    /// ```
    ///
    /// - Parameters:
    ///   - path: at least two ports, or names as for ``connect(_:to:channels:lingers:timeout:)``. The call waits until all of them
    ///     exist, and while the daemon is away.
    ///   - lingers: whether the connections stay when this client ends.
    ///   - timeout: time limit for the ports to appear, and again for each connection.
    /// - Returns: what was changed.
    /// - Throws: ``PipeBusError`` `invalidArgument` for fewer than two ports and for a port in between that no sound can pass;
    ///   `timedOut` for one that does not come, and what `connect` throws.
    @discardableResult
    public func connect(
        through path: [any PortDesignator & Sendable], lingers: Bool = false, timeout: Duration = .seconds(10)
    ) async throws -> ConnectionChange {
        let designations = path.map(\.portDesignation)
        return try await change(lingers: lingers, timeout: timeout, designations) { graph, finder in
            guard let last = designations.last, designations.count > 1 else { throw ChangeFault.tooShort }
            // A port in between is looked up as what it gives.
            let ports =
                [try finder.find(designations[0], as: .source)]
                + (try designations.dropFirst().dropLast().map(finder.findInPath))
                + [try finder.find(last, as: .destination)]
            let present = ports.compactMap { $0 }
            return present.count == ports.count ? try graph.change(connecting: present) : nil
        }
    }

    /// Ends the connections of a pipeline that no other pipeline needs.
    ///
    /// - Returns: what was changed.
    /// - Throws: ``PipeBusError`` `notConnected` if the pipeline is not in the graph any more; `notSupported` if all of its connections are
    ///   parts of other pipelines too; and what `disconnect` throws.
    @discardableResult
    public func disconnect(_ pipeline: Pipeline) async throws -> ConnectionChange {
        try await change(lingers: true, timeout: .seconds(10)) { graph, _ in
            try graph.change(disconnecting: pipeline.id)
        }
    }

    /// Puts a filter into a connection: the source is connected to the filter, and the filter to the destination.
    ///
    /// ```swift
    /// try await bus.insert("Echo", from: "Pad", to: "Recorder")
    /// ```
    ///
    /// - Parameters:
    ///   - filter: a port with inputs and outputs, made with PipeBus or not.
    ///   - source: the source of the connection.
    ///   - destination: the destination of the connection.
    ///   - lingers: whether the new connections stay when this client ends, also if they replace one of its own.
    ///   - timeout: time limit for each of the two new connections until sound can pass, and again for the exchange at the
    ///     destination: until the filter sounds there and the old source is silent. It is none for ports to appear: the call does
    ///     not wait for those, nor for the daemon.
    /// - Returns: what was changed.
    /// - Throws: ``PipeBusError`` `notConnected` if the source is not connected to the destination, or if a connection is lost meanwhile,
    ///   since an app has ended or stopped: all is as before then; `invalidArgument` for a filter that no sound can pass; `unknownPort`, and what `connect` throws, such as `noFreeLane`: until the filter sounds, both take a lane.
    @discardableResult
    public func insert(
        _ filter: some PortDesignator & Sendable, from source: some PortDesignator & Sendable,
        to destination: some PortDesignator & Sendable, lingers: Bool = false, timeout: Duration = .seconds(10)
    ) async throws -> ConnectionChange {
        let (filter, source, destination) = (
            filter.portDesignation, source.portDesignation, destination.portDesignation
        )
        return try await change(lingers: lingers, timeout: timeout) { graph, finder in
            try graph.change(
                inserting: try finder.requirePassage(filter), from: try finder.require(source, as: .source),
                to: try finder.require(destination, as: .destination))
        }
    }

    /// Takes a filter out: all that feeds it is connected to all that it feeds.
    ///
    /// The filter must be there: the call does not wait for a name. `timeout` is as for ``insert(_:from:to:lingers:timeout:)``.
    ///
    /// - Returns: what was changed.
    /// - Throws: ``PipeBusError`` `notConnected` if the filter has no source or no destination; `unknownPort`, and what `connect` throws.
    @discardableResult
    public func takeOut(
        _ filter: some PortDesignator & Sendable, lingers: Bool = false, timeout: Duration = .seconds(10)
    ) async throws -> ConnectionChange {
        let filter = filter.portDesignation
        return try await change(lingers: lingers, timeout: timeout) { graph, finder in
            try graph.change(takingOut: try finder.requirePassage(filter))
        }
    }

    /// Connects one source to a destination in place of another.
    ///
    /// All three must be there: the call does not wait for a name. `timeout` is as for ``insert(_:from:to:lingers:timeout:)``.
    ///
    /// - Returns: what was changed.
    /// - Throws: ``PipeBusError`` `notConnected` if the old source is not connected to the destination; `unknownPort`, and what `connect`
    ///   throws.
    @discardableResult
    public func replace(
        _ old: some PortDesignator & Sendable, at destination: some PortDesignator & Sendable,
        with new: some PortDesignator & Sendable, lingers: Bool = false, timeout: Duration = .seconds(10)
    ) async throws -> ConnectionChange {
        let (old, destination, new) = (old.portDesignation, destination.portDesignation, new.portDesignation)
        return try await change(lingers: lingers, timeout: timeout) { graph, finder in
            try graph.change(
                replacing: try finder.require(old, as: .source), at: try finder.require(destination, as: .destination),
                with: try finder.require(new, as: .source))
        }
    }

    /// Makes a change. What is so already is left out.
    ///
    /// The ports to be connected must be there: the call does not wait for a name. `timeout` is as for
    /// ``insert(_:from:to:lingers:timeout:)``.
    ///
    /// ```swift
    /// let change = try await bus.insert("Echo", from: "Pad", to: "Recorder")
    /// try await bus.apply(change.inverse)
    /// ```
    ///
    /// - Returns: what was changed.
    /// - Throws: ``PipeBusError`` `unknownPort` if a port that is to be connected is not there, and what `connect` and `disconnect` throw.
    @discardableResult
    public func apply(
        _ change: ConnectionChange, lingers: Bool = false, timeout: Duration = .seconds(10)
    ) async throws -> ConnectionChange {
        try await self.change(lingers: lingers, timeout: timeout) { _, _ in change }
    }

    private func change(
        lingers: Bool, timeout: Duration, _ path: [PortDesignation] = [],
        _ plan: (GraphSnapshot, PortFinder) throws -> ConnectionChange?
    ) async throws -> ConnectionChange {
        // Whoever waits for ports waits for the daemon too.
        try await cancellable(by: path.isEmpty ? .now : .now.advanced(by: timeout)) { session in
            let made = try await session.changer.make(
                lingers: lingers, timeout: timeout, missing: { Self.missing(path, $0) }
            ) { graph in
                do {
                    return try plan(graph, PortFinder(graph))
                } catch let fault as ChangeFault {
                    throw PipeBusError(fault)
                }
            }
            // In a task that nobody cancels.
            try await Task { try await self.finish(made) }.value
            return made.change
        }
    }

    private func finish(_ made: ConnectionChanger.Made) async throws {
        try checkOpen()
        guard let session else { throw reconnector.interruption }
        try await session.changer.finish(made)
    }

    /// The message for a person about the first port of a path that is missing.
    private static func missing(_ path: [PortDesignation], _ finder: PortFinder) -> String? {
        for (index, port) in path.enumerated() {
            let role = index == path.count - 1 ? GraphSnapshot.Role.destination : .source
            // One that is ambiguous was an error at once.
            if (try? finder.find(port, as: role)) == nil { return finder.message(forMissing: port, as: role) }
        }
        return nil
    }
}

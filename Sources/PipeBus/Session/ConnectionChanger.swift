// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Makes and ends connections together. Confined to the loop.
///
/// | order | why |
/// | --- | --- |
/// | all is checked | what cannot be done leaves everything as it is |
/// | PipeBus filters keep the sound of their input | PipeWire adds up what comes |
/// | connections are made | sound comes before the sound that it replaces goes |
/// | sources are exchanged at PipeBus receivers and filters | each without a gap; see ``SourceExchanges`` and ``FilterExchanges`` |
/// | connections are ended | |
final class ConnectionChanger {
    private let connection: SessionConnection
    private let model: GraphModel
    private let connector: Connector
    private let requester: ExchangeRequester

    init(
        on connection: SessionConnection, _ model: GraphModel, _ connector: Connector, _ requester: ExchangeRequester
    ) {
        self.connection = connection
        self.model = model
        self.connector = connector
        self.requester = requester
    }

    /// A change whose connections are made, or could not be made. It must be finished, whatever has become of the call: a task that is
    /// cancelled would leave half of it.
    struct Made: Sendable {
        let change: ConnectionChange
        fileprivate let changer: ObjectIdentifier
        fileprivate var made: [Ends] = []
        fileprivate let old: [Ends]
        /// The sources of each destination of `old`, before.
        fileprivate let sources: [GraphPort.ID: Set<GraphPort.ID>]
        fileprivate let exchanged: [ExchangeRequester.Exchange]
        fileprivate let lingers: Bool
        fileprivate let timeout: Duration
        fileprivate var failure: (any Error)?
    }

    /// A connection, by its ends.
    struct Ends: Sendable {
        let source: GraphPort
        let destination: GraphPort
        let channels: ChannelPairing
    }

    /// Makes a plan from the present graph, and its connections.
    ///
    /// - Parameters:
    ///   - lingers: whether new connections stay when the app ends. What comes in place of somebody else's connection always does.
    ///   - plan: from the present graph; `nil` while a port is missing that is waited for.
    ///   - missing: says which port is missing.
    ///   - timeout: for missing ports, for each connection that is made, and for each exchange.
    func make(
        lingers: Bool, timeout: Duration, missing: (PortFinder) -> String?,
        _ plan: (GraphSnapshot) throws -> ConnectionChange?
    ) async throws -> Made {
        try connection.checkOpen()
        try await connection.settle(by: .now.advanced(by: .seconds(5)))
        let whole: ConnectionChange
        do {
            whole = try await connection.firstResult(by: .now.advanced(by: timeout), waitingFor: "the ports") {
                () -> ConnectionChange? in
                try plan(model.snapshot)
            }
        } catch let error as PipeBusError where error.code == .timedOut {
            guard let message = missing(model.finder) else { throw error }
            throw PipeBusError.missing(message, after: timeout)
        }
        // The channels of a new port come one by one.
        try await connection.settle(by: .now.advanced(by: .seconds(5)))
        let change = model.snapshot.remainder(of: try plan(model.snapshot) ?? whole)
        let new = try change.connected.map(ends)
        let old = try change.disconnected.map(ends)
        try connector.check(new.map { ($0.source, $0.destination, $0.channels) })
        let lingers = lingers || !old.allSatisfy { connector.isOwn($0.source.id, $0.destination.id) }
        var result = Made(
            change: change, changer: ObjectIdentifier(self), old: old,
            sources: Dictionary(old.map { ($0.destination.id, sources(of: $0.destination.id)) }) { $1 },
            exchanged: await requester.hold(requester.exchanges(of: old, for: new)), lingers: lingers, timeout: timeout)
        do {
            // A task that is cancelled has not waited until all are ready.
            try Task.checkCancellation()
            // Another patchbay may have been first. What comes now would be heard beside its sources.
            if !new.isEmpty, let lost = old.first(where: { !isPresent($0) }) { throw Self.loss(of: lost) }
            for ends in new {
                _ = try await connector.connect(
                    ends.source, to: ends.destination, ends.channels, lingers: lingers,
                    by: .now.advanced(by: timeout), timeout: timeout)
                result.made.append(ends)
            }
        } catch {
            result.failure = error
        }
        return result
    }

    /// Ends what a change ends, or takes it back if it could not be made.
    ///
    /// - Throws: the reason why it was taken back.
    func finish(_ made: Made) async throws {
        // Of another session nothing is left.
        guard made.changer == ObjectIdentifier(self) else { throw PipeBusError(PipeWireError.closed) }
        if let failure = made.failure {
            // What has come is not heard yet.
            await undo(made.made)
            await requester.cancel(made.exchanged)
            throw failure
        }
        // Somebody else has changed what was to be replaced.
        if !made.made.isEmpty, let lost = made.old.first(where: { !isPresent($0) }) {
            throw await takenBack(made, lost)
        }
        for exchange in made.exchanged { await requester.run(exchange, timeout: made.timeout) }
        await waitForRivals(of: made)
        // The app of an inserted filter may have ended meanwhile.
        if let lost = made.made.first(where: { !isPresent($0) }) {
            // Nobody is left silent: what the exchange has ended is made again.
            for ends in made.old where !isPresent(ends) && !isReplaced(ends, by: made) && !leads(ends) {
                _ = try? await connector.connect(
                    ends.source, to: ends.destination, ends.channels, lingers: made.lingers,
                    by: .now.advanced(by: made.timeout), timeout: made.timeout)
            }
            throw await takenBack(made, lost)
        }
        try await disconnect(made.old, undoing: made.made, lingers: made.lingers, timeout: made.timeout)
    }

    private func isPresent(_ ends: Ends) -> Bool {
        model.snapshot.connection(from: ends.source.id, to: ends.destination.id) != nil
    }

    /// Whether the sound comes there by another way, which another patchbay has made, maybe before this change was planned.
    private func leads(_ ends: Ends) -> Bool {
        model.snapshot.sourcesRecursive(of: ends.destination.id).contains { $0.id == ends.source.id }
    }

    private func sources(of destination: GraphPort.ID) -> Set<GraphPort.ID> {
        Set(model.snapshot.connections(to: destination).map(\.source))
    }

    /// Whether another patchbay has put something in place of an old connection meanwhile.
    private func isReplaced(_ old: Ends, by made: Made) -> Bool {
        let own = made.made.filter { $0.destination.id == old.destination.id }.map(\.source.id)
        return !sources(of: old.destination.id).subtracting(made.sources[old.destination.id] ?? []).subtracting(own)
            .isEmpty
    }

    /// Waits until one change is left of several that replace the same connection: its receiver ends what the others have made.
    ///
    /// What comes from others for another reason stays, and is waited for in vain.
    private func waitForRivals(of made: Made) async {
        guard !made.exchanged.isEmpty else { return }
        try? await connection.firstResult(by: .now.advanced(by: .seconds(1)), waitingFor: "another patchbay") {
            () -> Void? in
            made.made.contains { !isPresent($0) }
                || !made.old.contains { !isPresent($0) && isReplaced($0, by: made) } ? () : nil
        }
    }

    /// Ends what a change has made.
    ///
    /// - Returns: the reason: a connection that was lost.
    private func takenBack(_ made: Made, _ lost: Ends) async -> PipeBusError {
        await undo(made.made)
        await requester.cancel(made.exchanged)
        return Self.loss(of: lost)
    }

    private static func loss(of lost: Ends) -> PipeBusError {
        PipeBusError(
            .notConnected,
            "\(lost.source.shownTitle) was disconnected from \(lost.destination.shownTitle) meanwhile, because somebody removed that, or an "
                + "app has ended or stopped; so all is as before, as far as it is there. Try again.")
    }

    private func ends(_ item: ConnectionChange.Item) throws -> Ends {
        Ends(
            source: try require(item.source), destination: try require(item.destination), channels: item.channels)
    }

    private func require(_ name: PortName) throws -> GraphPort {
        guard let port = name.port(in: model.snapshot) else {
            throw PipeBusError(
                .unknownPort, "\(Names.shown(name.nodeName)) is not in the graph; start its app and try again.")
        }
        return port
    }

    // MARK: The end of connections

    private func disconnect(_ old: [Ends], undoing made: [Ends], lingers: Bool, timeout: Duration) async throws {
        var ended: [Ends] = []
        do {
            for ends in old {
                do {
                    try await connector.disconnect(.id(ends.source.id), from: .id(ends.destination.id))
                } catch let error as PipeBusError where error.code == .notConnected || error.code == .unknownPort {
                    // Its receiver has exchanged it, or its app has ended.
                }
                ended.append(ends)
            }
        } catch {
            for ends in ended.reversed() {
                _ = try? await connector.connect(
                    ends.source, to: ends.destination, ends.channels, lingers: lingers,
                    by: .now.advanced(by: timeout), timeout: timeout)
            }
            await undo(made)
            throw error
        }
    }

    private func undo(_ made: [Ends]) async {
        for ends in made.reversed() {
            try? await connector.disconnect(.id(ends.source.id), from: .id(ends.destination.id))
        }
    }
}

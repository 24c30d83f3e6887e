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
    private let ports: PortTable
    private let connector: Connector
    private let exchanges: SourceExchanges
    private let requests: PeerRequests

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ connector: Connector,
        _ exchanges: SourceExchanges, _ requests: PeerRequests
    ) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.connector = connector
        self.exchanges = exchanges
        self.requests = requests
    }

    /// A change whose connections are made, or could not be made. It must be finished, whatever has become of the call: a task that is
    /// cancelled would leave half of it.
    struct Made: Sendable {
        let change: ConnectionChange
        fileprivate let changer: ObjectIdentifier
        fileprivate var made: [Ends] = []
        fileprivate let old: [Ends]
        fileprivate let exchanged: [Exchange]
        fileprivate let lingers: Bool
        fileprivate let timeout: Duration
        fileprivate var failure: (any Error)?
    }

    fileprivate struct Ends: Sendable {
        let source: GraphPort
        let destination: GraphPort
        let channels: ChannelPairing
    }

    fileprivate struct Exchange: Sendable {
        let request: ExchangeRequest
        let destination: GraphPort
    }

    /// Makes a plan from the present graph, and its connections.
    ///
    /// - Parameters:
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
            throw PipeBusError(.timedOut, "\(message) Waited \(max(timeout, .zero).inWords) for it.")
        }
        // The channels of a new port come one by one.
        try await connection.settle(by: .now.advanced(by: .seconds(5)))
        let change = model.snapshot.remainder(of: try plan(model.snapshot) ?? whole)
        let new = try change.connected.map(ends)
        let old = try change.disconnected.map(ends)
        try connector.check(new.map { ($0.source, $0.destination, $0.channels) })
        var result = Made(
            change: change, changer: ObjectIdentifier(self), old: old,
            exchanged: await hold(exchanges(of: old, for: new)), lingers: lingers, timeout: timeout)
        do {
            // A task that is cancelled has not waited until all are ready.
            try Task.checkCancellation()
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
            await cancel(made.exchanged)
            throw failure
        }
        // Somebody else has changed what was to be replaced.
        if !made.made.isEmpty, let lost = made.old.first(where: { !isPresent($0) }) {
            throw await takenBack(made, lost)
        }
        for exchange in made.exchanged { await run(exchange, timeout: made.timeout) }
        // The app of an inserted filter may have ended meanwhile.
        if let lost = made.made.first(where: { !isPresent($0) }) {
            // Nobody is left silent: what the exchange has ended is made again.
            for ends in made.old where !isPresent(ends) {
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

    /// Ends what a change has made.
    ///
    /// - Returns: the reason: a connection that was lost.
    private func takenBack(_ made: Made, _ lost: Ends) async -> PipeBusError {
        await undo(made.made)
        await cancel(made.exchanged)
        return PipeBusError(
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

    // MARK: Exchanges

    /// The time within which a filter must be ready for other sources.
    private static let longestPreparation: Duration = .seconds(3)

    /// The receivers and filters at which sources leave and others come.
    private func exchanges(of old: [Ends], for new: [Ends]) -> [Exchange] {
        var destinations: [GraphPort] = []
        for port in new.map(\.destination) where !destinations.contains(where: { $0.id == port.id }) {
            destinations.append(port)
        }
        return destinations.compactMap { port in
            let leaving = old.filter { $0.destination.id == port.id }.map(\.source.id)
            let coming = new.filter { $0.destination.id == port.id }.map(\.source.id)
            guard port.isPipeBus, port.kind == .receiver || isExchangingFilter(port), !leaving.isEmpty,
                max(leaving.count, coming.count) <= ExchangeRequest.limit
            else { return nil }
            return Exchange(request: ExchangeRequest(old: leaving, new: coming), destination: port)
        }
    }

    private func isExchangingFilter(_ port: GraphPort) -> Bool {
        port.kind == .filter && model.reducer.heldExchange(ofNodeWithSerial: port.id.serial) != nil
    }

    /// Whether a filter is ready for other sources, and has not exchanged them yet.
    private func isHolding(_ exchange: Exchange) -> Bool {
        if let port = ports[exchange.destination.id] {
            return port.kind == .filter && exchanges.isUnderWay(exchange.request, at: port)
        }
        return model.reducer.heldExchange(ofNodeWithSerial: exchange.destination.id.serial) == exchange.request.text
    }

    /// - Returns: the exchanges for which the receiver's or filter's app could be asked. One that is stopped gets its sources all the same.
    private func hold(_ all: [Exchange]) async -> [Exchange] {
        var held: [Exchange] = []
        for exchange in all {
            if let port = ports[exchange.destination.id] {
                exchanges.hold(exchange.request, at: port)
            } else if await !request(PipeBusProperty.holdSources, exchange) {
                continue
            }
            held.append(exchange)
            if exchange.destination.kind == .filter { await waitUntilHeld(exchange) }
        }
        return held
    }

    private func waitUntilHeld(_ exchange: Exchange) async {
        let port = ports[exchange.destination.id]
        try? await connection.firstResult(
            by: .now.advanced(by: Self.longestPreparation), waitingFor: "the filter"
        ) { () -> Void? in
            guard let port else { return isHolding(exchange) ? () : nil }
            let isDropped = !exchanges.isUnderWay(exchange.request, at: port)
            return isDropped || exchanges.isHeld(exchange.request, at: port) ? () : nil
        }
    }

    @discardableResult
    private func request(_ key: String, _ exchange: Exchange) async -> Bool {
        do {
            _ = try await requests.request(key, exchange.request.text, of: exchange.destination)
            return true
        } catch {
            return false
        }
    }

    /// Lets a receiver or filter exchange its sources, and waits until the old ones are disconnected. What it does not do, the caller
    /// does after that.
    private func run(_ exchange: Exchange, timeout: Duration) async {
        if let port = ports[exchange.destination.id] {
            exchanges.exchange(exchange.request, at: port)
        } else if await !request(PipeBusProperty.exchangeSources, exchange) {
            return
        }
        try? await connection.firstResult(by: .now.advanced(by: timeout), waitingFor: "the receiver") { () -> Void? in
            // A filter says when it is done.
            if exchange.destination.kind == .filter { return isHolding(exchange) ? nil : () }
            func isConnected(_ source: GraphPort.ID) -> Bool {
                model.snapshot.connection(from: source, to: exchange.destination.id) != nil
            }
            // Without all new ones nothing is exchanged.
            return exchange.request.old.contains(where: isConnected) && exchange.request.new.allSatisfy(isConnected)
                ? nil : ()
        }
    }

    private func cancel(_ exchanged: [Exchange]) async {
        for exchange in exchanged {
            if let port = ports[exchange.destination.id] {
                exchanges.cancel(exchange.request, at: port)
            } else {
                // Without an answer it ends by itself.
                await request(PipeBusProperty.cancelExchange, exchange)
            }
            // The next request may be the same.
            try? await connection.firstResult(by: .now.advanced(by: .seconds(2)), waitingFor: "the filter") {
                () -> Void? in
                isHolding(exchange) ? nil : ()
            }
        }
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

// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Lets receivers and filters exchange their sources, those of this app and of others. Confined to the loop.
final class ExchangeRequester {
    /// An exchange, and the receiver or filter at which it is.
    struct Exchange: Sendable {
        let request: ExchangeRequest
        let destination: GraphPort
    }

    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    /// Those of this app.
    private let exchanges: SourceExchanges
    private let requests: PeerRequests

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ exchanges: SourceExchanges,
        _ requests: PeerRequests
    ) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.exchanges = exchanges
        self.requests = requests
    }

    /// The time within which a filter must be ready for other sources.
    private static let longestPreparation: Duration = .seconds(3)

    /// The receivers and filters at which sources leave and others come.
    func exchanges(of old: [ConnectionChanger.Ends], for new: [ConnectionChanger.Ends]) -> [Exchange] {
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
    func hold(_ all: [Exchange]) async -> [Exchange] {
        var held: [Exchange] = []
        for exchange in all {
            if let port = ports[exchange.destination.id] {
                exchanges.hold(exchange.request, at: port, isOwn: true)
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
            // Another patchbay may have taken an old source meanwhile.
            guard exchange.request.old.allSatisfy({ isConnected($0, exchange) }) else { return () }
            guard let port else { return isHolding(exchange) ? () : nil }
            let isDropped = !exchanges.isUnderWay(exchange.request, at: port)
            return isDropped || exchanges.isHeld(exchange.request, at: port) ? () : nil
        }
    }

    private func isConnected(_ source: GraphPort.ID, _ exchange: Exchange) -> Bool {
        model.snapshot.connection(from: source, to: exchange.destination.id) != nil
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
    func run(_ exchange: Exchange, timeout: Duration) async {
        if let port = ports[exchange.destination.id] {
            exchanges.exchange(exchange.request, at: port)
        } else if await !request(PipeBusProperty.exchangeSources, exchange) {
            return
        }
        try? await connection.firstResult(by: .now.advanced(by: timeout), waitingFor: "the receiver") { () -> Void? in
            // A filter says when it is done.
            if exchange.destination.kind == .filter { return isHolding(exchange) ? nil : () }
            // Without all new ones nothing is exchanged.
            return exchange.request.old.contains { isConnected($0, exchange) }
                && exchange.request.new.allSatisfy { isConnected($0, exchange) } ? nil : ()
        }
    }

    func cancel(_ exchanged: [Exchange]) async {
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
}

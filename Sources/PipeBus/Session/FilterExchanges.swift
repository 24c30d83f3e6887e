// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Exchanges sources of our own filters without a gap, for this app and for others. Confined to the loop.
///
/// | step | who | what |
/// | --- | --- | --- |
/// | 1 | the patchbay | requests that the old sources be held |
/// | 2 | the filter | hears a tap of its input, and says so by a property |
/// | 3 | the patchbay | connects the new sources, unheard |
/// | 4 | the patchbay | requests the exchange |
/// | 5 | the filter | waits until the new ones sound; ends the connections of the old ones; fades from the tap to its input; takes the property back |
///
/// A patchbay that ends on the way changes nothing: after ``SourceExchanges/longestHold`` the filter hears its input again. Exchanges at
/// one filter come one after the other.
final class FilterExchanges {
    /// Any process may request exchanges. Beyond this number at a filter, requests are dropped.
    private static let limit = 8

    private let parts: FilterExchange.Parts
    /// Starts a task that calls ``run(at:)``.
    private let startTask: @Sendable (GraphPort.ID) -> Void
    private var exchanges: [GraphPort.ID: [FilterExchange]] = [:]
    private var running: Set<GraphPort.ID> = []

    init(_ parts: FilterExchange.Parts, startTask: @escaping @Sendable (GraphPort.ID) -> Void) {
        self.parts = parts
        self.startTask = startTask
    }

    /// Whether a filter has an exchange, which has begun or will begin.
    func contains(_ request: ExchangeRequest, at port: LivePort) -> Bool {
        exchanges[port.id]?.contains { $0.request == request } ?? false
    }

    /// Whether links at a filter may change now for an exchange, unheard.
    func isHeld(_ request: ExchangeRequest, at port: LivePort) -> Bool {
        exchanges[port.id]?.contains { $0.request == request && $0.isHeld } ?? false
    }

    /// Keeps the sound of the input as it is while links come.
    ///
    /// - Parameter isOwn: whether a call of this app waits for it.
    func hold(_ request: ExchangeRequest, at port: LivePort, isOwn: Bool) {
        let snapshot = parts.model.snapshot
        func isConnected(_ source: GraphPort.ID) -> Bool { snapshot.connection(from: source, to: port.id) != nil }
        guard parts.connection.isOpen, !request.new.contains(where: isConnected),
            request.old.allSatisfy(isConnected)
        else { return }
        if let same = waiting(request, at: port) { return same.renew() }
        // A patchbay that tries again, after a change that failed, waits for no earlier request. A call of this app has not failed
        // yet, and its links would be heard without the tap.
        for exchange in exchanges[port.id, default: []]
        where !exchange.isOwn && exchange.isWaiting && exchange.concerns(request) {
            exchange.cancel()
        }
        guard exchanges[port.id, default: []].count < Self.limit else { return }
        exchanges[port.id, default: []].append(FilterExchange(of: request, at: port, parts, isOwn: isOwn))
        if running.insert(port.id).inserted { startTask(port.id) }
    }

    func exchange(_ request: ExchangeRequest, at port: LivePort) { waiting(request, at: port)?.perform() }

    /// Gives up an exchange that nobody has requested. Idempotent.
    func cancel(_ request: ExchangeRequest, at port: LivePort) { waiting(request, at: port)?.cancel() }

    private func waiting(_ request: ExchangeRequest, at port: LivePort) -> FilterExchange? {
        exchanges[port.id]?.first { $0.isWaiting && $0.request == request }
    }

    /// Takes the exchanges at a filter to their ends, one after the other.
    func run(at id: GraphPort.ID) async {
        while let exchange = exchanges[id]?.first {
            await exchange.run()
            guard exchanges[id]?.first === exchange else { break }
            exchanges[id]?.removeFirst()
            // Calls of this app wait for its end.
            parts.connection.wakeWaits()
        }
        exchanges[id] = nil
        running.remove(id)
    }

    /// Forgets one of our own ports that has left the graph. Idempotent.
    func forget(_ port: GraphPort.ID) {
        for exchange in exchanges.removeValue(forKey: port) ?? [] { exchange.close() }
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Exchanges sources of our own receivers without a gap, for this app and for others. Confined to the loop.
///
/// | step | who | what |
/// | --- | --- | --- |
/// | 1 | the patchbay | requests that the new sources be held |
/// | 2 | the patchbay | connects them; they are taken in, and silent |
/// | 3 | the patchbay | requests the exchange |
/// | 4 | the receiver | waits until the new ones sound; exchanges them for the old ones in one cycle, with a fade; ends the connections of the old ones |
///
/// A patchbay that ends on the way leaves nobody silent: sources that are held are heard after ``longestHold``, or as soon as the old ones
/// have gone.
final class SourceExchanges {
    /// The time after which sources are heard whose exchange nobody requests.
    static let longestHold: Duration = .seconds(10)
    /// Any process may request exchanges. Beyond this number at a receiver, requests are dropped.
    static let limit = 64

    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    private let links: LinkTable
    private let levels: LevelKeeper
    /// Filters have only one set of inputs, and exchange their sources in another way.
    private let filters: FilterExchanges
    private let notices: NoticeLog
    private var exchanges: [GraphPort.ID: [SourceExchange]] = [:]
    private var allowed = RateLimit(burst: 256, perSecond: 100)

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ links: LinkTable,
        _ levels: LevelKeeper, _ filters: FilterExchanges, notices: NoticeLog
    ) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.links = links
        self.levels = levels
        self.filters = filters
        self.notices = notices
    }

    /// Handles another process's request to a port. Requests of other kinds are dropped.
    func requested(_ key: String, _ value: String, of id: GraphPort.ID) {
        let keys = [PipeBusProperty.holdSources, PipeBusProperty.exchangeSources, PipeBusProperty.cancelExchange]
        guard keys.contains(key), let port = ports[id] else { return }
        guard allowed.allows(at: .now) else {
            return refuse(port, because: "requests come faster than that can be done")
        }
        guard let request = ExchangeRequest(value) else {
            return refuse(port, because: "the sources are not given as \"8,9 12\"")
        }
        guard port.kind != .sender else { return refuse(port, because: "it has no sources") }
        switch key {
        case PipeBusProperty.holdSources: hold(request, at: port)
        case PipeBusProperty.exchangeSources: exchange(request, at: port)
        // What has begun comes to its end.
        default: cancel(request, at: port, ifWaiting: true)
        }
    }

    private func refuse(_ port: LivePort, because reason: String) {
        notices.post(
            Notice(
                kind: .requestRefused, port: port.name,
                message: "Another app asked to exchange sources of \(port.title), which cannot be done: \(reason)."))
    }

    /// Holds sources silent when they come.
    ///
    /// - Parameter isOwn: whether a call of this app waits for it.
    func hold(_ request: ExchangeRequest, at port: LivePort, isOwn: Bool = false) {
        if port.kind == .filter { return filters.hold(request, at: port, isOwn: isOwn) }
        guard connection.isOpen, let control = port.receiver,
            // A source that is connected is heard: nobody may silence it so.
            !request.new.contains(where: { control.lane(of: $0) != nil })
        else { return }
        // A patchbay that tries again, after a change that failed, waits for no earlier request.
        for exchange in exchanges[port.id, default: []] where exchange.isWaiting && exchange.concerns(request.new) {
            exchange.cancel()
        }
        let running = exchanges[port.id, default: []].filter(\.isRunning)
        guard running.count < Self.limit, !running.contains(where: { $0.concerns(request.new) }) else { return }
        let exchange = SourceExchange(
            of: request, at: port, control, on: connection, model, links, levels,
            notices: notices, cancelledAt: .now.advanced(by: Self.longestHold))
        if running.contains(where: { !$0.isWaiting && $0.isRival(of: request) }) { exchange.giveWay() }
        exchanges[port.id] = running + [exchange]
        exchange.start()
    }

    /// Exchanges sources that are held.
    func exchange(_ request: ExchangeRequest, at port: LivePort) {
        if port.kind == .filter { return filters.exchange(request, at: port) }
        guard let exchange = exchanges[port.id]?.first(where: { $0.isWaiting && $0.request == request }) else { return }
        exchange.perform()
        // Two patchbays may change one connection at the same moment: the first one has it.
        for other in exchanges[port.id] ?? [] where other.isWaiting && other.isRival(of: request) { other.giveWay() }
    }

    /// Lets sources be heard whose exchange was given up. Idempotent.
    ///
    /// - Parameter ifWaiting: whether an exchange that was requested goes on.
    func cancel(_ request: ExchangeRequest, at port: LivePort, ifWaiting: Bool = false) {
        if port.kind == .filter { return filters.cancel(request, at: port) }
        exchanges[port.id]?.first { (ifWaiting ? $0.isWaiting : $0.isRunning) && $0.request == request }?.cancel()
    }

    /// Whether a filter has an exchange, which has begun or will begin.
    func isUnderWay(_ request: ExchangeRequest, at filter: LivePort) -> Bool { filters.contains(request, at: filter) }

    /// Whether links at a filter may change now for an exchange, unheard.
    func isHeld(_ request: ExchangeRequest, at filter: LivePort) -> Bool { filters.isHeld(request, at: filter) }

    /// Forgets one of our own ports that has left the graph. Idempotent.
    func forget(_ port: GraphPort.ID) {
        exchanges[port] = nil
        filters.forget(port)
    }
}

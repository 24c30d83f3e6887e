// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient
import Synchronization

/// Takes other apps' requests that this one end, and sends such requests. Confined to the loop.
final class QuitRequests {
    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    private let requests: PeerRequests
    /// A person asks once or twice.
    private var allowed = RateLimit(burst: 8, perSecond: 1)
    private var count = 0
    /// The requests that the app has not answered.
    private var pending: [Int: (port: GraphPort.ID, word: String)] = [:]
    /// Counts over all sessions: the app may answer in a later one.
    private static let counter = Atomic<Int>(0)
    /// Called on the loop for each request of another app, with the number to answer it by.
    var onRequest: ((QuitRequest, Int) -> Void)?

    init(on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ requests: PeerRequests) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.requests = requests
    }

    // MARK: Requests of other apps

    /// Handles another process's request to a port. Requests for other properties are dropped.
    func requested(_ key: String, _ value: String, of id: GraphPort.ID) {
        guard key == PipeBusProperty.quitRequest, let request = QuitMessage.Request(value), ports[id] != nil,
            allowed.allows(at: .now)
        else { return }
        let peer = request.serial == 0 ? nil : model.snapshot.peer(Peer.ID(serial: request.serial))
        let number = Self.counter.add(1, ordering: .relaxed).newValue
        pending[number] = (id, request.word)
        onRequest?(QuitRequest(peer: peer), number)
    }

    /// Publishes the app's answer. Idempotent.
    func answer(_ number: Int, _ answer: QuitRequest.Answer) {
        guard let (id, word) = pending.removeValue(forKey: number), connection.isOpen, let port = ports[id] else {
            return
        }
        try? port.setProperties([(PipeBusProperty.quitAnswer, QuitMessage.text(of: answer, to: word))])
    }

    // MARK: Requests of this app

    /// Asks an app to end, and waits until it has left the graph.
    func quit(_ peer: Peer.ID, by deadline: ContinuousClock.Instant) async throws {
        try connection.checkOpen()
        guard let app = model.snapshot.peer(peer) else {
            throw PipeBusError.appIsGone
        }
        let name = Names.shown(app.name)
        guard let port = model.snapshot.ports(of: peer).first(where: \.isPipeBus) else {
            throw PipeBusError(
                .notSupported, "\(name) is no PipeBus app, so it takes no request to end; end it where it was started.")
        }
        count += 1
        let own = connection.pipeWire.clientID.flatMap { model.reducer.serial(ofClient: $0) }
        let request = QuitMessage.Request(serial: own ?? 0, word: "\(UInt32.random(in: .min ... .max)).\(count)")
        do {
            let limit = min(.seconds(2), max(ContinuousClock.now.duration(to: deadline), .milliseconds(1)))
            _ = try await requests.request(PipeBusProperty.quitRequest, request.text, of: port, within: limit)
        } catch let error as PipeBusError where error.code == .timedOut {
            // It may have ended at once, before the side connection had its answer.
            guard model.snapshot.peer(peer) != nil else { return }
            throw PipeBusError(
                .timedOut, "\(name) does not answer; it may be stopped. If it goes on, it takes the request then.")
        }
        var isAgreed = false
        do {
            let refusal = try await connection.firstResult(by: deadline, waitingFor: "\(name) to end") {
                guard model.snapshot.peer(peer) != nil else { return String?.none as String?? }
                let text = model.reducer.quitAnswer(ofNodeWithSerial: port.id.serial)
                switch text.flatMap({ QuitMessage.answer(in: $0, to: request.word) }) {
                case .refuse(let reason): return .some(reason)
                case .quit: isAgreed = true
                case nil: break
                }
                return nil
            }
            if let refusal { throw PipeBusError(.refused, "\(name) does not end: \(refusal).") }
        } catch let error as PipeBusError where error.code == .timedOut {
            throw PipeBusError(
                .timedOut,
                isAgreed
                    ? "\(name) wanted to end and has not done so; it may hang. End its process, or wait."
                    : "\(name) does not answer; it may be stopped, or not take such requests. End its process instead.")
        }
    }
}

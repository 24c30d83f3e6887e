// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Publishes the levels of our receivers' sources to other processes. Confined to the loop.
final class LevelSharing {
    private let connection: SessionConnection
    private let ports: PortTable
    private let appID: String
    private let notices: NoticeLog
    /// The state shared with other processes, from the first receiver on.
    private var state: SharedState?
    /// Called on the loop when another process requests a change.
    var onRequest: ((ExportedMetadata.Request) -> Void)?

    init(on connection: SessionConnection, _ ports: PortTable, appID: String, notices: NoticeLog) {
        self.connection = connection
        self.ports = ports
        self.appID = appID
        self.notices = notices
    }

    /// Starts to share the levels. Idempotent.
    ///
    /// A failure is only a notice: all else works without, but other processes cannot set the levels.
    func start() async {
        guard state == nil, connection.isOpen else { return }
        do throws(PipeWireError) {
            let state = try SharedState(on: connection.pipeWire, appID: appID) { [unowned self] request in
                onRequest?(request)
            }
            self.state = state
            try await state.waitUntilSeen()
            state.onLost = { [unowned self] in scheduleLoss() }
            // There are receivers already if an earlier state was lost.
            for port in ports { publish(port) }
        } catch {
            guard connection.isOpen else { return }
            post("Other apps cannot set the levels of this one: \(PipeBusError(error).message)")
        }
    }

    /// Handles the loss in a job, because nothing may be destroyed inside PipeWire's callback.
    private func scheduleLoss() { if connection.isOpen { connection.later { [self] in lost() } } }

    /// Closes and reports the shared state, because another program removed it. The daemon still runs, and the next
    /// receiver makes the state again.
    private func lost() {
        guard connection.isOpen, let state, state.failure != nil else { return }
        close()
        post("Another program removed this app's shared levels from the graph: other apps cannot set them any more.")
    }

    private func post(_ message: String) { notices.post(Notice(kind: .notShared, port: nil, message: message)) }

    // MARK: Publishing

    /// Publishes all levels at a receiver.
    func publish(_ port: LivePort) {
        guard let state, let control = port.receiver, !port.declaration.isSeparate else { return }
        let all = control.lanes.filter(\.isLinked).map { values(of: $0, at: port) }.joined()
        state.publish(
            Dictionary(all.map { ($0.key, $0.value) }) { first, _ in first }, prefix: prefix(of: port))
    }

    /// Publishes the level on one lane only: a fader may move hundreds of times a second.
    func publish(_ lane: ControlLane, of port: LivePort) {
        guard let state, lane.isLinked else { return }
        state.publish(values(of: lane, at: port), prefix: "\(prefix(of: port))\(lane.source)/")
    }

    private func values(of lane: ControlLane, at port: LivePort) -> [String: (type: String, value: String)] {
        var values: [String: (type: String, value: String)] = [:]
        for part in LevelKey.Part.allCases {
            let key = LevelKey(receiver: port.name, source: GraphPort.ID(serial: lane.source), part: part)
            values[key.text] = (part.type, part.text(of: lane.level))
        }
        return values
    }

    /// Removes all levels at a receiver that is closed.
    func stopPublishing(_ port: LivePort) {
        if port.receiver != nil { state?.publish([:], prefix: prefix(of: port)) }
    }

    private func prefix(of port: LivePort) -> String { "level/\(port.name)/" }

    // MARK: Answers

    /// Confirms a request: publishes the requested value, even if it has not changed.
    func confirm(_ key: String, _ part: LevelKey.Part, _ level: Source.Level) {
        state?.post(key, part.type, part.text(of: level))
    }

    func refuse(_ key: String, because reason: String) { state?.refuse(key, because: reason) }

    // MARK: The end

    func connectionLost(_ error: PipeWireError) { state?.connectionLost(error) }

    func close() {
        state?.close()
        state = nil
    }
}

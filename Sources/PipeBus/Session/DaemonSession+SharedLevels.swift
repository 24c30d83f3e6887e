// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// The levels of our receivers' sources as other processes see them, and what they ask for.
extension DaemonSession {
    /// Begins to share what others may see of this client, once. Without it everything works but the setting of levels from
    /// elsewhere, so a failure is a notice and no more.
    func share() async {
        guard sharedState == nil, isOpen else { return }
        do throws(PipeWireError) {
            let state = try SharedState(on: connection, appID: app.id) { [unowned self] request in requested(request) }
            sharedState = state
            try await state.waitUntilSeen()
            state.onLost = { [unowned self] in sharedStateLostLater() }
            // Of receivers from before it was lost.
            for node in ports { shareLevels(of: node) }
        } catch {
            guard isOpen else { return }
            post(
                Notice(
                    kind: .notShared, port: nil,
                    message: "Other apps cannot set the levels of this one: \(PipeBusError(error).message)"))
        }
    }

    /// Not inside PipeWire's callback, where nothing may be destroyed: a job later.
    private func sharedStateLostLater() {
        guard isOpen else { return }
        jobs.add { [self] in sharedStateLost() }
    }

    /// Somebody took it out of the graph, and the daemon is still there. The next receiver makes it again.
    private func sharedStateLost() {
        guard isOpen, let state = sharedState, state.failure != nil else { return }
        state.close()
        sharedState = nil
        post(
            Notice(
                kind: .notShared, port: nil,
                message: "Somebody took what this app shows of its levels away: other apps cannot set them any more."))
    }

    func shareLevels(of node: LivePort) {
        guard let sharedState, let control = node.receiver, !node.declaration.isSeparate else { return }
        let values = control.lanes.filter(\.isLinked).map { shared($0, of: node) }.joined()
        sharedState.publish(
            Dictionary(values.map { ($0.key, $0.value) }) { first, _ in first },
            prefix: "level/\(node.declaration.name)/")
    }

    /// Only one: a fader may move hundreds of times a second.
    func shareLevel(of node: LivePort, lane: ReceiverControl.Lane) {
        guard let sharedState, lane.isLinked else { return }
        let prefix = "level/\(node.declaration.name)/\(lane.source)/"
        sharedState.publish(shared(lane, of: node), prefix: prefix)
    }

    private func shared(_ lane: ReceiverControl.Lane, of node: LivePort) -> [String: (type: String, value: String)] {
        var values: [String: (type: String, value: String)] = [:]
        for part in LevelKey.Part.allCases {
            let key = LevelKey(receiver: node.declaration.name, source: GraphPort.ID(serial: lane.source), part: part)
            values[key.text] = (part.type, part.text(of: lane.level))
        }
        return values
    }

    /// Takes what belongs to a receiver that is closed away from everybody.
    func stopSharing(_ node: LivePort) {
        guard node.receiver != nil else { return }
        sharedState?.publish([:], prefix: "level/\(node.declaration.name)/")
    }

    private func requested(_ request: ExportedMetadata.Request) {
        guard let key = request.key else {
            return refuse(nil, "everything", because: "levels can be set, and not cleared")
        }
        guard let levelKey = LevelKey(key) else {
            return refuse(nil, key, because: "that is no key that can be written")
        }
        guard let node = ports.first(where: { $0.declaration.name == levelKey.receiver && $0.receiver != nil }),
            let control = node.receiver
        else { return refuse(nil, key, because: "there is no receiver of that name") }
        guard !node.declaration.isSeparate else {
            return refuse(node.declaration.name, key, because: "that receiver does not mix its sources")
        }
        guard let lane = control.lane(of: levelKey.source) else {
            return refuse(node.declaration.name, key, because: "that source is not connected")
        }
        guard let text = request.value else {
            return refuse(node.declaration.name, key, because: "a level can be set, and not removed")
        }
        var level = control.lanes[lane].level
        if let reason = levelKey.part.set(&level, to: text) {
            return refuse(node.declaration.name, key, because: reason)
        }
        setLevel(level, lane: lane, at: node, control)
        // Also if it is what it was, and if others share the lane.
        sharedState?.tell(key, levelKey.part.type, levelKey.part.text(of: level))
    }

    private func refuse(_ port: String?, _ key: String, because reason: String) {
        sharedState?.refuse(key, because: reason)
        post(
            Notice(
                kind: .requestRefused, port: port,
                message: "Another app wanted to set \"\(Names.shown(key))\", which was refused: \(reason)."))
    }
}

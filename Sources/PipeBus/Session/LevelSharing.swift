// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Publishes the levels of our receivers' sources to other processes. Confined to the loop.
final class LevelSharing {
    private let sharing: StateSharing

    init(_ sharing: StateSharing) { self.sharing = sharing }

    /// Publishes all levels at a receiver.
    func publish(_ port: LivePort) {
        guard let control = port.receiver, !port.declaration.isSeparate else { return }
        let all = control.lanes.filter(\.isLinked).map { values(of: $0, at: port) }.joined()
        sharing.publish(
            Dictionary(all.map { ($0.key, $0.value) }) { first, _ in first }, prefix: prefix(of: port))
    }

    /// Publishes the level on one lane only: a fader may move hundreds of times a second.
    func publish(_ lane: ControlLane, of port: LivePort) {
        guard lane.isLinked else { return }
        sharing.publish(values(of: lane, at: port), prefix: "\(prefix(of: port))\(lane.source)/")
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
        if port.receiver != nil { sharing.publish([:], prefix: prefix(of: port)) }
    }

    private func prefix(of port: LivePort) -> String { "\(LevelKey.prefix)\(port.name)/" }

    /// Confirms a request: publishes the requested value, even if it has not changed.
    func confirm(_ key: String, _ part: LevelKey.Part, _ level: Source.Level) {
        sharing.post(key, part.type, part.text(of: level))
    }
}

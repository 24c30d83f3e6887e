// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Publishes the app's triggers to other processes, and takes their presses. Confined to the loop.
final class TriggerSharing {
    private let model: GraphModel
    private let ports: PortTable
    private let declared: DeclaredTriggers
    private let sharing: StateSharing
    private var answers = PressAnswers()
    /// A person presses a few times a second.
    private var allowed = RateLimit(burst: 64, perSecond: 50)

    init(_ model: GraphModel, _ ports: PortTable, _ declared: DeclaredTriggers, _ sharing: StateSharing) {
        self.model = model
        self.ports = ports
        self.declared = declared
        self.sharing = sharing
    }

    func publish() { for trigger in declared.all { publish(trigger) } }

    func publish(_ trigger: DeclaredTrigger) {
        sharing.publish(trigger.trigger.values(place: trigger.place), prefix: Self.prefix(of: trigger.local.id))
    }

    func stopPublishing(_ id: String) { sharing.publish([:], prefix: Self.prefix(of: id)) }

    private static func prefix(of id: String) -> String { "\(TriggerKey.prefix)\(id)/" }

    /// Handles another process's request.
    ///
    /// - Returns: the refusal; `nil` if the app gets the press.
    func handle(_ key: String, _ value: String?) -> StateSharing.Refusal? {
        let refusal = take(key, value)
        // The process that pressed waits for it.
        if let value, refusal == nil { sharing.post(key, TriggerKey.type, value) }
        if let word = value.flatMap({ PressAnswers.word(of: $0) }) {
            answers.add(word, refusal: refusal?.reason)
            sharing.post(PressAnswers.key, TriggerKey.type, answers.text)
        }
        return refusal
    }

    private func take(_ key: String, _ value: String?) -> StateSharing.Refusal? {
        guard let triggerKey = TriggerKey(key), triggerKey.part == .press else {
            return refusal("of a trigger only the key that presses it can be written")
        }
        guard let trigger = declared[triggerKey.id] else { return refusal("there is no such trigger") }
        guard let value else { return refusal("a press can be written, and not removed") }
        guard PressAnswers.word(of: value) != nil, value.utf8.first.map({ 0x30...0x39 ~= $0 }) == true else {
            return refusal("a press is a number, a space and a word")
        }
        guard trigger.trigger.state != .disabled else { return refusal("the trigger is disabled") }
        guard allowed.allows(at: .now) else { return refusal("it is pressed too often") }
        let press = press(triggerKey.id, by: value)
        guard trigger.press(press) else { return refusal("the app has not handled the presses before") }
        return nil
    }

    private func refusal(_ reason: String) -> StateSharing.Refusal { StateSharing.Refusal(port: nil, reason: reason) }

    private func press(_ id: String, by value: String) -> TriggerPress {
        let graph = model.snapshot
        guard let serial = value.split(separator: " ").first.flatMap({ UInt64($0) }),
            let peer = graph.peer(Peer.ID(serial: serial))
        else { return TriggerPress(triggerID: id, peer: nil, ports: []) }
        let theirs = Set(graph.ports(of: peer.id).map(\.id))
        let names = ports.filter { port in
            let connected = graph.sourcesRecursive(of: port.id) + graph.destinationsRecursive(of: port.id)
            return connected.contains { theirs.contains($0.id) }
        }.map(\.name)
        return TriggerPress(triggerID: id, peer: peer, ports: names)
    }
}

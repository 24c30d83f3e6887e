// SPDX-License-Identifier: MIT

/// The keys under which triggers are shared: `trigger/ID/PART`. Docs/Protocols.md describes them.
struct TriggerKey: Hashable, Sendable {
    enum Part: String, Sendable {
        case kind, state, title, icon, color, place
        /// Written by whoever presses the trigger: the serial of the client that presses, or 0, a space, and any word.
        case press
    }

    /// The prefix of all such keys.
    static let prefix = "trigger/"
    static let type = "Spa:String"

    var id: String
    var part: Part

    init(id: String, part: Part) {
        self.id = id
        self.part = part
    }

    /// `nil` for any other text.
    init?(_ text: String) {
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 3, text.hasPrefix(Self.prefix), Trigger.isValid(id: String(words[1])),
            let part = Part(rawValue: String(words[2]))
        else { return nil }
        self.init(id: String(words[1]), part: part)
    }

    var text: String { "\(Self.prefix)\(id)/\(part.rawValue)" }
}

extension Trigger {
    /// The values that others read.
    ///
    /// - Parameter place: the order among triggers of one kind.
    func values(place: Int) -> [String: (type: String, value: String)] {
        var parts: [TriggerKey.Part: String] = [
            .kind: kind.rawValue, .state: state.rawValue, .title: face.title, .place: "\(place)",
        ]
        parts[.icon] = face.iconName
        parts[.color] = face.color?.description
        return Dictionary(
            uniqueKeysWithValues: parts.map { (TriggerKey(id: id, part: $0).text, (TriggerKey.type, $1)) })
    }

    /// The triggers among the values of another app, in the order in which they are shown. What is no trigger is left out.
    static func all(in values: [String: String]) -> [Trigger] {
        var parts: [String: [TriggerKey.Part: String]] = [:]
        for (text, value) in values { if let key = TriggerKey(text) { parts[key.id, default: [:]][key.part] = value } }
        let found = parts.compactMap { id, parts -> (trigger: Trigger, order: (Int, Int))? in
            guard let kind = parts[.kind].flatMap({ TriggerKind(rawValue: $0) }),
                let state = parts[.state].flatMap({ TriggerState(rawValue: $0) })
            else { return nil }
            // Texts of another process are checked as our own are.
            func shown(_ text: String?) -> String? {
                text.flatMap { (try? Names.check(text: $0, what: "")) == nil ? nil : $0 }
            }
            let face = TriggerFace(
                title: shown(parts[.title]) ?? kind.title, iconName: shown(parts[.icon]),
                color: parts[.color].flatMap { TriggerColor($0) })
            let place = parts[.place].flatMap { Int($0) } ?? Int.max
            let rank = TriggerKind.allCases.firstIndex(of: kind) ?? 0
            return (Trigger(id: id, kind: kind, state: state, face: face), (rank, place))
        }
        return found.sorted { ($0.order.0, $0.order.1, $0.trigger.id) < ($1.order.0, $1.order.1, $1.trigger.id) }
            .prefix(largestCount).map(\.trigger)
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The triggers of all apps, as `triggers` shows them and as `trigger` finds them. Pure.
struct TriggerListing: Encodable {
    struct Entry: Encodable {
        /// The app's name.
        var app: String
        var appID: String?
        var id: String
        var kind: String
        var state: String
        var title: String
        var icon: String?
        /// As in "#ff8000".
        var color: String?
        var peer: Peer.ID

        enum CodingKeys: CodingKey { case app, appID, id, kind, state, title, icon, color }

        /// The name that finds the trigger, in every command.
        var name: String { "\(app):\(id)" }

        init(_ trigger: Trigger, of peer: Peer) {
            app = peer.name
            appID = peer.applicationID
            id = trigger.id
            kind = trigger.kind.rawValue
            state = trigger.state.rawValue
            title = trigger.face.title
            icon = trigger.face.iconName
            color = trigger.face.color?.description
            self.peer = peer.id
        }
    }

    /// Changes if a field gets another meaning.
    var version = 1
    /// By app, and in the order in which an app's triggers should be shown.
    var triggers: [Entry]
    /// Sentences on apps that do not answer.
    var problems: [String] = []

    /// Requests the triggers of all apps at once: one that is suspended takes the whole time limit.
    static func read(from bus: BusClient, of app: Peer? = nil) async -> TriggerListing {
        let graph = await bus.graph
        let peers = app.map { [$0] } ?? graph.peers.filter { graph.ports(of: $0.id).contains(where: \.isPipeBus) }
        let answers = await withTaskGroup { group in
            for peer in peers {
                group.addTask { (peer, await Result { try await bus.triggers(of: peer.id) }) }
            }
            return await group.reduce(into: [(Peer, Result<[Trigger], any Error>)]()) { $0.append($1) }
        }
        var listing = TriggerListing(triggers: [])
        for (peer, answer) in answers.naturallySorted(by: { $0.0.name }) {
            switch answer {
            case .success(let triggers): listing.triggers += triggers.map { Entry($0, of: peer) }
            // One that has left since has none.
            case .failure(let error as PipeBusError) where error.code == .unknownApp: break
            case .failure(let error): listing.problems.append("\(error)")
            }
        }
        return listing
    }

    /// A line for each trigger. The name comes first, and can be typed.
    var text: String {
        let rows = triggers.map { entry in
            [ShellText.shown(entry.name), entry.title, entry.state == "normal" ? "" : entry.state].map {
                TerminalText.printable($0)
            }
        }
        let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) } + [row[2]]
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    /// The trigger that a person named, by "app:trigger", or by one of the two where only one fits.
    ///
    /// - Throws: ``ToolFailure``.
    func find(_ text: String) throws -> Entry {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { $0.lowercased() }
        func isNamed(_ entry: Entry, _ name: String) -> Bool {
            entry.id.lowercased() == name || entry.title.lowercased() == name
        }
        let found: [Entry]
        if parts.count == 2 {
            found = triggers.filter { $0.app.lowercased() == parts[0] && isNamed($0, parts[1]) }
        } else {
            let named = triggers.filter { isNamed($0, parts[0]) }
            found = named.isEmpty ? triggers.filter { $0.app.lowercased() == parts[0] } : named
        }
        if found.count == 1 { return found[0] }
        let names = (found.isEmpty ? triggers : found).prefix(8).map(\.name.quoted).joined(separator: ", ")
        if !found.isEmpty {
            throw ToolFailure("\(text.quoted) is the name of \(found.count) triggers: \(names). Name one of them.")
        }
        let problem = problems.first.map { " \($0)" } ?? ""
        guard !triggers.isEmpty else { throw ToolFailure("No app has a trigger.\(problem)") }
        let near = EditDistance.nearest(to: text, among: triggers.flatMap { [$0.name, $0.id, $0.title] })
        throw ToolFailure(
            "There is no trigger called \(text.quoted)"
                + (near.map { "; is \($0.quoted) meant? \"pipebus triggers\" shows all." } ?? "; there is \(names).")
                + problem)
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The triggers of apps, as `triggers` shows them. Pure.
struct TriggerListing: Encodable {
    struct Entry: Encodable {
        /// The name that finds the trigger and no other, in every command.
        var name: String
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

        enum CodingKeys: CodingKey { case name, app, appID, id, kind, state, title, icon, color }

        /// - Parameter app: a name that finds the app and no other.
        init(_ trigger: Trigger, of peer: Peer, named app: String) {
            name = "\(app):\(trigger.id)"
            self.app = peer.name
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

    private enum CodingKeys: CodingKey { case version, triggers, problems }

    /// Changes if a field gets another meaning.
    var version = 1
    /// By app, and in the order in which an app's triggers should be shown.
    var triggers: [Entry]
    /// Sentences on apps that do not answer.
    var problems: [String] = []
    /// The sentence on each app that does not answer.
    var silent: [Peer.ID: String] = [:]

    /// The apps that can have triggers.
    static func apps(in graph: GraphSnapshot) -> [Peer] {
        graph.peers.filter { graph.ports(of: $0.id).contains(where: \.isPipeBus) }
    }

    /// Requests the triggers of apps at once: one that is suspended takes the whole time limit.
    ///
    /// - Parameters:
    ///   - peers: the apps; `nil` for all.
    ///   - limit: the longest wait for whoever cannot wait. An app that does not answer within it, or takes far longer than the others, is
    ///     left out without a sentence.
    static func read(
        from bus: BusClient, of peers: [Peer]? = nil, in graph: GraphSnapshot, within limit: Duration? = nil
    ) async -> TriggerListing {
        let apps = apps(in: graph)
        let answers = await answers(of: peers ?? apps, to: bus, within: limit).map { peer, answer in
            (peer: peer, name: TypedApp.name(of: peer, in: graph, among: apps), answer: answer)
        }
        var listing = TriggerListing(triggers: [])
        for (peer, name, answer) in answers.naturallySorted(by: { $0.name }) {
            switch answer {
            case .success(let triggers): listing.triggers += triggers.map { Entry($0, of: peer, named: name) }
            // One that has left since has none.
            case .failure(let error as PipeBusError) where error.code == .unknownApp: break
            case .failure(let error):
                listing.problems.append("\(error)")
                listing.silent[peer.id] = "\(error)"
            }
        }
        return listing
    }

    private typealias Answer = (peer: Peer, triggers: Result<[Trigger], any Error>)

    private static func answers(of peers: [Peer], to bus: BusClient, within limit: Duration?) async -> [Answer] {
        guard !peers.isEmpty else { return [] }
        let start = ContinuousClock.now
        let (stream, continuation) = AsyncStream.makeStream(of: Answer.self)
        for peer in peers {
            Task { continuation.yield((peer, await Result { try await bus.triggers(of: peer.id) })) }
        }
        func finish(after limit: Duration) -> Task<Void, Never> {
            Task { if (try? await Task.sleep(until: start.advanced(by: limit))) != nil { continuation.finish() } }
        }
        var timer = limit.map { finish(after: $0) }
        defer { timer?.cancel() }
        var answers: [Answer] = []
        for await answer in stream {
            answers.append(answer)
            if answers.count == peers.count { break }
            guard let limit else { continue }
            // One that takes far longer than the others hangs.
            timer?.cancel()
            timer = finish(after: min(limit, max(.milliseconds(50), start.duration(to: .now) * 4)))
        }
        return answers
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
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// Saves and restores the states of a routing's apps.
enum RoutingStates {
    /// The ids of the PipeBus apps that have a connection, each once.
    static func apps(in graph: GraphSnapshot) -> [String] {
        Set(connectedApps(in: graph).compactMap(\.applicationID)).sorted()
    }

    /// Whether several processes of an app have a connection.
    static func hasSeveral(of app: String, in graph: GraphSnapshot) -> Bool {
        Set(connectedApps(in: graph).filter { $0.applicationID == app }.map(\.processID)).count > 1
    }

    private static func connectedApps(in graph: GraphSnapshot) -> [Peer] {
        // A receiver has no links to a source that hangs, and the routing has that connection.
        let stalled = graph.ports.filter { !$0.stalledSources.isEmpty }.flatMap { [$0.id] + $0.stalledSources }
        let connected = Set(graph.connections.flatMap { [$0.source, $0.destination] } + stalled)
        return graph.peers.filter { peer in
            graph.ports(of: peer.id).contains { $0.isPipeBus && connected.contains($0.id) }
        }
    }

    /// Asks all apps at once: each has the whole time limit.
    ///
    /// - Returns: the states of those that keep one, and a sentence for each that is not saved.
    static func save(of apps: [String]) async -> (
        states: [RoutingState], problems: [(app: String, text: String)]
    ) {
        let answers = await withTaskGroup { group in
            for app in apps {
                group.addTask { (app, await Result { try await AppStates.save(of: app) }) }
            }
            return await group.reduce(into: [String: Result<AppState?, any Error>]()) { $0[$1.0] = $1.1 }
        }
        var states: [RoutingState] = []
        var problems: [(app: String, text: String)] = []
        for (app, answer) in answers {
            do {
                guard let state = try answer.get() else { continue }
                states.append(
                    try RoutingState(app: app, type: state.type, version: state.version, bytes: state.bytes))
            } catch {
                problems.append((app, "\(error)"))
            }
        }
        let (fitting, others) = fitting(states)
        for state in others {
            problems.append(
                (
                    state.app,
                    "it has \(state.bytes.count) bytes, and a routing has room for \(RoutingPreset.largestStates) bytes of at most \(RoutingPreset.mostStates) states."
                ))
        }
        return (
            fitting,
            problems.sorted { $0.app < $1.app }.map { ($0.app, "The state of \($0.app) is not saved: \($0.text)") }
        )
    }

    /// Leaves out what is beyond the limits of a routing, the largest states first. Pure.
    static func fitting(_ states: [RoutingState]) -> (fitting: [RoutingState], others: [RoutingState]) {
        var (fitting, others, size) = ([RoutingState](), [RoutingState](), 0)
        for state in states.sorted(by: { ($0.bytes.count, $0.app) < ($1.bytes.count, $1.app) }) {
            let fits =
                size + state.bytes.count <= RoutingPreset.largestStates && fitting.count < RoutingPreset.mostStates
            if fits { fitting.append(state) } else { others.append(state) }
            if fits { size += state.bytes.count }
        }
        return (fitting.sorted { $0.app < $1.app }, others)
    }

    /// Gives all of a routing's apps that run their states back, all at once.
    ///
    /// - Returns: an event for each state.
    static func restore(_ states: [RoutingState], routing: String?, in graph: GraphSnapshot) async -> [RoutingEvent] {
        let running = Set(graph.peers.compactMap(\.applicationID))
        let events = await withTaskGroup(of: (Int, RoutingEvent?).self) { group in
            for (place, state) in RoutingPreset.firstStates(states).enumerated() {
                group.addTask {
                    guard running.contains(state.app) else {
                        return (place, RoutingEvent(.stateFailed, state.app, reason: "The app does not run."))
                    }
                    return (place, await StateRestorer(state, routing: routing).restore())
                }
            }
            return await group.reduce(into: [Int: RoutingEvent]()) { $0[$1.0] = $1.1 }
        }
        return events.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Gives each app its state back when it has come and is connected, once for each of its lives. It goes on until its task is cancelled.
    static func keep(
        _ routing: KeptRouting, named name: String?, in bus: BusClient,
        reporting report: @escaping @Sendable (RoutingEvent) -> Void
    ) async {
        // An app that hangs holds up none of the others.
        await withTaskGroup { group in
            for state in RoutingPreset.firstStates(routing.preset.states) {
                group.addTask { await StateRestorer(state, routing: name).keep(routing, in: bus, reporting: report) }
            }
        }
    }

    /// The name of a routing, for apps to show: its file's without the end.
    static func name(of file: String) -> String? {
        guard file != "-", let last = file.split(separator: "/").last else { return nil }
        return String(last.split(separator: ".", omittingEmptySubsequences: false).dropLast().joined(separator: "."))
            .nonEmpty ?? String(last)
    }
}

extension RoutingPreset {
    /// Of two states of one app the first counts.
    fileprivate static func firstStates(_ states: [RoutingState]) -> [RoutingState] {
        var seen: Set<String> = []
        return states.filter { seen.insert($0.app).inserted }
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

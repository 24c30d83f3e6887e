// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// Saves and restores the states of a routing's apps.
enum RoutingStates {
    /// The ids of the PipeBus apps that have a connection, each once.
    static func apps(in graph: GraphSnapshot) -> [String] {
        let connected = Set(graph.connections.flatMap { [$0.source, $0.destination] })
        let ids = graph.peers.filter { peer in
            graph.ports(of: peer.id).contains { $0.isPipeBus && connected.contains($0.id) }
        }.compactMap(\.applicationID)
        return Set(ids).sorted()
    }

    /// Asks all apps at once: each has the whole time limit.
    ///
    /// - Returns: the states of those that keep one, and a sentence for each that did not give it.
    static func save(of apps: [String]) async -> (states: [RoutingState], problems: [String]) {
        let answers = await withTaskGroup { group in
            for app in apps {
                group.addTask { (app, await Result { try await AppStates.save(of: app) }) }
            }
            return await group.reduce(into: [String: Result<AppState?, any Error>]()) { $0[$1.0] = $1.1 }
        }
        var states: [RoutingState] = []
        var problems: [String] = []
        for (app, answer) in answers.sorted(by: { $0.key < $1.key }) {
            do {
                guard let state = try answer.get() else { continue }
                states.append(
                    try RoutingState(app: app, type: state.type, version: state.version, bytes: state.bytes))
            } catch {
                problems.append("The state of \(app) is not saved: \(error)")
            }
        }
        return (states, problems)
    }

    /// The time for an app to come to the session bus: its ports are there a moment before.
    private static let patience: Duration = .seconds(3)

    /// Gives an app its state back.
    static func restore(_ state: RoutingState, routing: String?) async -> RoutingEvent {
        let deadline = ContinuousClock.now + patience
        while true {
            let event = await attempt(state, routing: routing)
            guard let event else {
                if .now < deadline, (try? await Task.sleep(for: .milliseconds(50))) != nil { continue }
                return RoutingEvent(
                    .stateFailed, state.app, reason: "The app is not on the session bus, or keeps no state.")
            }
            return event
        }
    }

    /// - Returns: `nil` for an app that is not on the bus.
    private static func attempt(_ state: RoutingState, routing: String?) async -> RoutingEvent? {
        do {
            let message = try await AppStates.load(
                AppState(type: state.type, version: state.version, bytes: state.bytes), into: state.app,
                routing: routing)
            return RoutingEvent(.stateRestored, state.app, reason: message)
        } catch let error as PipeBusError where error.code == .unknownApp {
            return nil
        } catch {
            return RoutingEvent(.stateFailed, state.app, reason: "\(error)")
        }
    }

    /// Gives all of a routing's apps that run their states back, all at once.
    ///
    /// - Returns: an event for each state.
    static func restore(_ states: [RoutingState], routing: String?, in graph: GraphSnapshot) async -> [RoutingEvent] {
        let running = Set(graph.peers.compactMap(\.applicationID))
        let events = await withTaskGroup { group in
            for (place, state) in states.enumerated() {
                group.addTask {
                    guard running.contains(state.app) else {
                        return (place, RoutingEvent(.stateFailed, state.app, reason: "The app does not run."))
                    }
                    return (place, await restore(state, routing: routing))
                }
            }
            return await group.reduce(into: [Int: RoutingEvent]()) { $0[$1.0] = $1.1 }
        }
        return events.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Gives each app its state back when it has come and is connected, once for each of its lives. It goes on until its task is cancelled.
    static func keep(
        _ states: [RoutingState], routing: String?, in bus: BusClient,
        reporting report: @Sendable (RoutingEvent) -> Void
    ) async {
        guard !states.isEmpty else { return }
        var restored: Set<Peer.ID> = []
        for await graph in bus.graphUpdates {
            let connected = Set(graph.connections.flatMap { [$0.source, $0.destination] })
            restored.formIntersection(graph.peers.map(\.id))
            for state in states {
                let coming = graph.peers.filter { peer in
                    peer.applicationID == state.app && !restored.contains(peer.id)
                        && graph.ports(of: peer.id).contains { connected.contains($0.id) }
                }
                guard !coming.isEmpty else { continue }
                restored.formUnion(coming.map(\.id))
                report(await restore(state, routing: routing))
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

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

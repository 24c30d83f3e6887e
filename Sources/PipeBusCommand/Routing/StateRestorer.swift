// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps

/// Gives one app its state back, once for each of its lives.
///
/// A life is that of the process with the app's name on the session bus: it outlives the daemon, and other processes of the app have no state.
actor StateRestorer {
    private let state: RoutingState
    private let routing: String?
    /// The process that was given it last, whether it took it or not.
    private var process: String?
    /// The app's connected clients that were looked at.
    private var seen: Set<Peer.ID> = []

    init(_ state: RoutingState, routing: String?) {
        self.state = state
        self.routing = routing
    }

    /// The time for an app to come to the session bus: its ports are there a moment before.
    private static let patience: Duration = .seconds(3)

    /// Restores the state.
    ///
    /// - Returns: `nil` if the app's process was given it before.
    func restore() async -> RoutingEvent? {
        let deadline = ContinuousClock.now + Self.patience
        do {
            while true {
                let present = try await AppStates.process(of: state.app)
                if let present, present == process { return nil }
                if present != nil, let event = await attempt() {
                    process = present
                    return event
                }
                if .now < deadline, (try? await Task.sleep(for: .milliseconds(50))) != nil { continue }
                process = present
                return RoutingEvent(
                    .stateFailed, state.app, reason: "The app is not on the session bus, or keeps no state.")
            }
        } catch {
            return RoutingEvent(.stateFailed, state.app, reason: "\(error)")
        }
    }

    /// - Returns: `nil` for an app that is not on the bus, or keeps no state yet.
    private func attempt() async -> RoutingEvent? {
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

    /// Restores the state whenever the app comes and is connected, with its levels. It goes on until its task is cancelled.
    func keep(
        _ routing: KeptRouting, in bus: BusClient, reporting report: @Sendable (RoutingEvent) -> Void
    ) async {
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let tasks = [
            Task { for await _ in bus.graphUpdates { change.yield() } },
            Task { for await _ in routing.statusUpdates { change.yield() } },
            Task {
                for await _ in bus.stateUpdates {
                    // Another daemon gives others the same ids.
                    forgetClients()
                    change.yield()
                }
            },
        ]
        defer { for task in tasks { task.cancel() } }
        for await _ in changes {
            guard routing.status.isSettled else { continue }
            let graph = await bus.graph
            let connected = Set(graph.connections.flatMap { [$0.source, $0.destination] })
            seen.formIntersection(graph.peers.map(\.id))
            let coming = graph.peers.filter { peer in
                peer.applicationID == state.app && !seen.contains(peer.id)
                    && graph.ports(of: peer.id).contains { connected.contains($0.id) }
            }
            guard !coming.isEmpty else { continue }
            seen.formUnion(coming.map(\.id))
            if let event = await restore(), !Task.isCancelled { report(event) }
        }
    }

    private func forgetClients() { seen = [] }
}

// SPDX-License-Identifier: MIT
public import PipeBus
import Synchronization

/// An installed app, and whether it runs.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct AppPresence: Sendable, Hashable, Identifiable {
    /// The app, as its desktop entry describes it.
    public let app: InstalledApp
    /// Whether a process of the app is in the graph, with a port.
    public let isRunning: Bool

    /// The app's id.
    public var id: String { app.id }
}

extension AppDirectory {
    /// The installed apps with whether they run, as a client sees it: the present list, and then each other one.
    ///
    /// ```swift
    /// for await list in AppDirectory.updates(seenBy: bus) { for entry in list { print(entry.app.name, entry.isRunning) } }
    /// ```
    ///
    /// Changes are coalesced. While there is no daemon, no app runs. The sequence ends when the client is closed.
    public static func updates(seenBy bus: BusClient) -> AsyncStream<[AppPresence]> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let list = PresenceList(continuation)
            let apps = Task { for await apps in updates { list.update { $0.apps = apps } } }
            let graphs = Task {
                for await graph in bus.graphUpdates {
                    let running = Set(graph.peers.compactMap(\.applicationID))
                    list.update { $0.running = running }
                }
                apps.cancel()
                continuation.finish()
            }
            continuation.onTermination = { _ in
                apps.cancel()
                graphs.cancel()
            }
        }
    }
}

/// Puts together what two sequences say.
private final class PresenceList: Sendable {
    struct State {
        var apps: [InstalledApp]?
        var running: Set<String>?
        var last: [AppPresence]?
    }
    private let state = Mutex(State())
    private let continuation: AsyncStream<[AppPresence]>.Continuation

    init(_ continuation: AsyncStream<[AppPresence]>.Continuation) { self.continuation = continuation }

    func update(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            guard let apps = state.apps, let running = state.running else { return }
            let list = apps.map { AppPresence(app: $0, isRunning: running.contains($0.id)) }
            guard list != state.last else { return }
            state.last = list
            // Within the lock, so that lists keep their order.
            continuation.yield(list)
        }
    }
}

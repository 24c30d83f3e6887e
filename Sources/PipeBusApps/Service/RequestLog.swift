// SPDX-License-Identifier: MIT
import Synchronization

/// The requests to an app, as they come: before the app has handled them.
///
/// - Thread: any.
final class RequestLog: Sendable {
    typealias Observer = @Sendable (ServiceRequest) -> Void

    private struct State {
        /// It says what a process that D-Bus started was started for.
        var first: ServiceRequest?
        var launcherID: String?
        var observer: Observer?
    }

    private let state = Mutex(State())

    /// The app that asked last for a port.
    var launcherID: String? { state.withLock(\.launcherID) }

    func note(_ request: ServiceRequest) {
        let observer = state.withLock { state in
            if state.first == nil { state.first = request }
            if case .port(let launch) = request, let id = launch.launcherID { state.launcherID = id }
            return state.observer
        }
        observer?(request)
    }

    /// Passes the first request on, if there was one, and then each later one. `nil` ends it.
    func observe(_ observer: Observer?) {
        let first = state.withLock { state in
            state.observer = observer
            return state.first
        }
        if let first { observer?(first) }
    }
}

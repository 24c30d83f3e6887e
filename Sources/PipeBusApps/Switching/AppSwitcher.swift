// SPDX-License-Identifier: MIT
import DesktopSupport
public import PipeBus

/// Raises other apps: asks them over the session bus to show themselves.
///
/// It never raises the app itself: no app comes to the front unasked.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct AppSwitcher: Sendable {
    private let bus: BusClient

    /// - Parameter bus: the client of the app that asks.
    public init(for bus: BusClient) { self.bus = bus }

    /// Raises an app. One that does not run is started as from a menu, if it is installed.
    ///
    /// - Parameters:
    ///   - id: the app's id (`Peer.applicationID`, ``InstalledApp/id``).
    ///   - activationToken: what the window system gave this app for the user's click or key. Without one many window systems do not let the other
    ///     app's window come to the front.
    ///   - timeout: time limit for the answer.
    /// - Throws: ``PipeBusError`` `invalidArgument` for the app's own id; `unknownApp`; `noSessionBus`; `timedOut`; `notSupported` for an app that is
    ///   not on the session bus; `refused`; ``LaunchFailure`` `wouldNotStart`, `exited`, `killed`.
    public func show(_ id: String, activationToken: String? = nil, timeout: Duration = .seconds(5)) async throws {
        try Names.check(appID: id)
        guard id != bus.appID else {
            throw PipeBusError(.invalidArgument, "An app does not raise itself; show your own window by your toolkit.")
        }
        let graph = await bus.graph
        let target = Target(
            id: id, app: AppDirectory.app(id), runningName: graph.peers.first { $0.applicationID == id }?.name)
        let request = AppLaunch(
            launcherID: bus.appID, launcherName: bus.name, remote: bus.remoteForOthers, activationToken: activationToken
        )
        do {
            let session = try await SessionBus.connect()
            _ = try await session.call(
                "Activate", of: BusName.application, at: BusName.path(ofApp: id), ofName: id,
                [.dictionary(request.platformData)], startsService: target.isStartedByBus, timeout: timeout)
        } catch let error as DBusError {
            // Not on the bus, and not running: its entry says how a menu starts it.
            guard error.isAbsence, target.isStartable, let app = target.app else {
                throw target.failure(of: error, after: timeout)
            }
            do {
                let program = try await StartedProgram.start(
                    entryAt: app.entryPath, environment: request.tokenVariables,
                    removing: AppLaunch.Key.variablesOfOneProgram)
                // One that cannot start ends soon.
                switch await program.end(within: .milliseconds(300)) {
                case .exited(let status) where status != 0: throw LaunchFailure.exited(app: app.name, status: status)
                case .killed(let signal): throw LaunchFailure.killed(app: app.name, signal: signal)
                default: break
                }
            } catch let error as GLibError {
                throw LaunchFailure.wouldNotStart(app: app.name, reason: error.message)
            }
        }
    }
}

/// An app that is to be raised.
private struct Target {
    let id: String
    let app: InstalledApp?
    /// Its name in the graph; `nil` if it does not run.
    let runningName: String?

    var isStartedByBus: Bool { runningName == nil && app?.isDBusActivatable == true }
    /// Whether its `Exec` line starts it.
    var isStartable: Bool { runningName == nil && app?.isDBusActivatable == false }

    func failure(of error: DBusError, after timeout: Duration) -> any Error {
        let name = Names.shown(runningName ?? app?.name ?? id)
        switch error {
        case .noBus(let reason):
            return PipeBusError(
                .noSessionBus,
                "There is no session bus (\(Names.shown(reason))), so \(name) cannot be asked to show itself; bring its window to the front by hand."
            )
        case .unknownName where runningName != nil:
            return PipeBusError(
                .notSupported,
                "\(name) is not on the session bus, so it cannot be asked to show itself; bring its window to the front by hand."
            )
        case .unknownName where app != nil:
            return LaunchFailure.wouldNotStart(
                app: name, reason: "its entry says that D-Bus starts it, and no service file does")
        case .unknownName:
            return PipeBusError(
                .unknownApp,
                "No app with the id \"\(Names.shown(id))\" runs, and none that declares ports is installed; \"pipebus list --all\" shows all."
            )
        case .timedOut:
            return PipeBusError(
                .timedOut,
                "\(name) did not answer within \(LaunchFailure.words(timeout)); it may hang, so end it and try again.")
        case .unknownMethod:
            return PipeBusError(
                .notSupported, "\(name) takes no requests to show itself; bring its window to the front by hand.")
        case .spawnFailed(let reason): return LaunchFailure.wouldNotStart(app: name, reason: reason)
        case .disconnected: return LaunchFailure.wouldNotStart(app: name, reason: "it ended before it answered")
        case .remote(_, let message):
            return PipeBusError(.refused, "\(name) refused to show itself (\(Names.shown(message))).")
        }
    }
}

extension DBusError {
    /// Whether it says that nobody is there to ask.
    fileprivate var isAbsence: Bool {
        switch self {
        case .noBus, .unknownName: true
        default: false
        }
    }
}

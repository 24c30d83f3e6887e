// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc
import PipeBus

/// Starts an installed app and waits for its port.
struct AppLauncher {
    let app: InstalledApp
    /// The port that is wanted; `nil` for the app's first.
    let port: AppPort?
    let launch: AppLaunch
    let bus: BusClient
    let timeout: Duration

    /// - Throws: ``LaunchFailure``; ``PipeBusError`` of the client; `CancellationError`.
    func run() async throws -> GraphPort {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        if let port = try await presentPort { return await tell(port) }
        let lock: LaunchLock?
        do {
            lock = try await LaunchLock.acquire(forApp: app.id, by: deadline)
        } catch let failure as LaunchLock.Failure {
            throw LaunchFailure.wouldNotStart(app: app.name, reason: failure.reason)
        }
        defer { withExtendedLifetime(lock) {} }
        // Whoever had the lock, or has it still, may have seen the port, and this client may not have yet.
        if let port = try await presentPort { return await tell(port) }
        guard let lock else { throw await missing(startedAs: notedProcess) }
        var program: StartedProgram?
        if await app.isRunning(in: bus.graph) {
            _ = try? await activate(startsService: false, timeout: .seconds(1))
        } else if app.isDBusActivatable {
            try await startOverDBus(by: deadline)
        } else if notedProcess == nil {
            let started = try await startProgram()
            lock.note(process: started.pid, at: launch.remote)
            program = started
        }
        return try await waitForPort(of: program, notedProcess, by: deadline)
    }

    /// The program that was started last, for this daemon.
    private var notedProcess: Int32? { LaunchLock.process(ofApp: app.id, at: launch.remote) }

    private var presentPort: GraphPort? {
        get async throws {
            try await bus.refreshGraph()
            return await port(in: bus.graph)
        }
    }

    private func port(in graph: GraphSnapshot) -> GraphPort? {
        app.presentPorts(in: graph).first { $0.name == wanted.name }
    }

    /// Tells an app that is there which port is wanted, if it listens.
    private func tell(_ port: GraphPort) async -> GraphPort {
        _ = try? await activate(startsService: false, timeout: .seconds(1))
        return port
    }

    // MARK: Starting

    private func startProgram() async throws -> StartedProgram {
        do {
            return try await StartedProgram.start(
                entryAt: app.entryPath, environment: launch.environment,
                removing: AppLaunch.Key.variablesOfOneProgram)
        } catch let error as GLibError {
            throw LaunchFailure.wouldNotStart(app: app.name, reason: error.message)
        }
    }

    private func startOverDBus(by deadline: ContinuousClock.Instant) async throws {
        let limit = max(ContinuousClock.now.duration(to: deadline), .milliseconds(1))
        do {
            try await activate(startsService: true, timeout: limit)
        } catch let error as DBusError {
            switch error {
            case .noBus: throw LaunchFailure.noSessionBus(app: app.name)
            case .unknownName:
                throw LaunchFailure.wouldNotStart(
                    app: app.name, reason: "its entry says that D-Bus starts it, and no service file does")
            case .spawnFailed(let reason): throw LaunchFailure.wouldNotStart(app: app.name, reason: reason)
            case .timedOut: throw LaunchFailure.noAnswer(app: app.name, after: timeout)
            case .disconnected:
                throw LaunchFailure.wouldNotStart(app: app.name, reason: "it ended before it answered")
            // It is there, and knows nothing of ports.
            case .unknownMethod: return
            case .remote(_, let message): throw LaunchFailure.wouldNotStart(app: app.name, reason: message)
            }
        }
    }

    /// Asks the app over D-Bus to be there for a port.
    private func activate(startsService: Bool, timeout: Duration) async throws {
        let session = try await SessionBus.connect()
        let port: [DBusValue] = launch.port.map { [.variant(.string($0))] } ?? []
        _ = try await session.call(
            "ActivateAction", of: BusName.application, at: BusName.path(ofApp: app.id), ofName: app.id,
            [.string(AppLaunch.Key.portAction), .array(of: "v", port), .dictionary(launch.platformData)],
            startsService: startsService, timeout: timeout)
    }

    // MARK: Waiting

    private enum Event: Sendable {
        case graph(GraphSnapshot)
        case ended(StartedProgram.End)
        case deadline
    }

    /// - Parameter process: that of the program; it may be another launcher's.
    private func waitForPort(
        of program: StartedProgram?, _ process: Int32?, by deadline: ContinuousClock.Instant
    ) async throws -> GraphPort {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let tasks = [
            Task { [bus] in for await graph in bus.graphUpdates { continuation.yield(.graph(graph)) } },
            Task { if let program { for await end in program.end { continuation.yield(.ended(end)) } } },
            Task {
                try? await Task.sleep(until: deadline, clock: .continuous)
                continuation.yield(.deadline)
            },
        ]
        defer { for task in tasks { task.cancel() } }
        var hasEnded = false
        for await event in events {
            switch event {
            case .graph(let graph):
                if let port = port(in: graph) { return port }
            case .ended(.exited(0)):
                // A program that starts another one, as one with a single instance does.
                hasEnded = true
            case .ended(.exited(let status)): throw LaunchFailure.exited(app: app.name, status: status)
            case .ended(.killed(let signal)): throw LaunchFailure.killed(app: app.name, signal: signal)
            case .deadline:
                if hasEnded, await !app.isRunning(in: bus.graph) {
                    throw LaunchFailure.exited(app: app.name, status: 0)
                }
                throw await missing(startedAs: process)
            }
        }
        if Task.isCancelled, let program, notedProcess == program.pid {
            // Nobody wants it any more.
            kill(program.pid, SIGTERM)
        }
        try Task.checkCancellation()
        throw PipeBusError(.closed, "The client was closed while \(Names.shown(app.name)) was started.")
    }

    private var wanted: AppPort { port ?? app.ports[0] }

    /// - Parameter process: the program that was started, where that is known.
    private func missing(startedAs process: Int32?) async -> LaunchFailure {
        let graph = await bus.graph
        let present = app.presentPorts(in: graph).map(\.name)
        // One that is there under another id. Its name is not proof, and is all there is where a script has started it.
        let other = graph.peers.first { peer in
            peer.applicationID != app.id && (peer.processID == process && process != nil || peer.name == app.name)
        }
        if present.isEmpty, let other {
            return .otherID(app: app.name, id: other.applicationID, entry: app.entryPath)
        }
        let running = process.flatMap { ProcessFacts(pid: $0).isRunning ? $0 : nil }
        return .portMissing(
            app: app.name, port: wanted.name, present: present, process: present.isEmpty ? running : nil, after: timeout
        )
    }
}

// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import PipeBusApps
import ToolSupport

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Makes the connections of a saved routing, with levels and bypasses.",
        discussion: """
            Says of each connection whether it was made, was there already, or is missing a port. They stay when the command ends. The exit \
            status is 0 only if all of the routing is there. Installed apps that the routing names are started if they do not run \
            (`list --all`), and their ports are waited for. `run` keeps a routing, and `undo` takes back the connections of `load`.
            """)

    @Argument(help: "The file of `save`; - for the standard input.")
    var file: String
    @Flag(
        help:
            "Removes all other connections of the ports that the routing names, before and after. Those of other ports stay."
    )
    var exclusive = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time limit for ports that are missing to appear, in seconds, up to 86400. Without it they are not waited for.",
            valueName: "s"))
    var timeout: Double?
    @Flag(inversion: .prefixedNo, help: "Starts installed apps that the routing names and that do not run.")
    var launch = true
    @OptionGroup var remote: RemoteOptions

    /// The longest time that apps may take for what is asked of them, beyond the time limit.
    private static let patience: Duration = .seconds(30)

    func validate() throws { try Check.that("--timeout", timeout, isIn: 0...86_400, unit: "seconds") }

    func run() async throws {
        // Before any watch: a pipe may give nothing, and a signal ends the process at once then.
        let preset = try RoutingFile.read(file)
        let watch = SignalWatch()
        let history = ChangeHistoryFile(remote: remote.name)
        let (status, events) = try await Patchbay.with(remote) { [file, exclusive, timeout, launch] bus in
            if launch { try await Self.launchApps(of: preset, bus, watch) }
            var removed: [ConnectionChange.Item] = []
            var status: RoutingStatus?
            let result: Result<RoutingStatus, any Error>
            do {
                if exclusive { try await Self.removeOthers(than: preset, bus, &removed) }
                let loaded = try await Self.load(preset, within: .seconds(timeout ?? 0), bus, watch, &status)
                // Some may have come with ports that have appeared since.
                if exclusive { try await Self.removeOthers(than: preset, bus, &removed) }
                result = .success(loaded)
            } catch {
                result = .failure(error)
            }
            // Also of a load that has failed half-way.
            Self.record(Self.made(status, in: await bus.graph), removed, in: history)
            if case .failure = result { status.map(Self.reportMade) }
            let loaded = try result.get()
            do {
                let events = try await Interruptible.run(on: bus, since: watch) {
                    let events = await RoutingStates.restore(
                        preset.states, routing: RoutingStates.name(of: file), in: bus.graph)
                    try Task.checkCancellation()
                    return events
                }
                return (loaded, events)
            } catch {
                Self.reportMade(loaded)
                throw error
            }
        }
        for line in status.connections {
            // A person reads once of each app that is missing.
            if Terminal.isInteractive, case .waiting = line.state { continue }
            (RoutingEvent(line)
                ?? RoutingEvent(.failed, line.sourceName, line.destinationName, reason: "It takes too long."))
                .report()
            if let problem = line.levelProblem {
                RoutingEvent(.levelFailed, line.sourceName, line.destinationName, reason: problem).report()
            }
        }
        if Terminal.isInteractive {
            for app in MissingApp.all(in: status, of: preset) { print(TerminalText.printable(app.sentence)) }
        }
        for line in status.bypasses { RoutingEvent(line)?.report() }
        for event in events { event.report() }
        try Self.check(status, of: file, hasWaited: timeout != nil)
        let failed = events.count { $0.kind == .stateFailed }
        if failed > 0 {
            throw ToolFailure("\(failed) of \(events.count) states of apps could not be restored; see the lines above.")
        }
    }

    /// The longest wait for an app that is started.
    static let launchLimit: Duration = .seconds(10)

    private static func launchApps(of preset: RoutingPreset, _ bus: BusClient, _ watch: SignalWatch) async throws {
        let apps = RoutingApps(of: preset, in: await bus.graph, among: AppDirectory.apps)
        guard !apps.ports.isEmpty else { return }
        try await Interruptible.run(on: bus, since: watch) { await apps.launch(by: bus, within: launchLimit) }
    }

    private static func check(_ status: RoutingStatus, of file: String, hasWaited: Bool) throws {
        guard !status.isWhole else { return }
        guard status.isComplete else {
            throw ToolFailure(
                "The rules of \(file.quoted) fit more than \(RoutingPreset.mostConnections) pairs of ports, and only so many are connected; make them narrower."
            )
        }
        let missing = status.connections.count { line in
            switch line.state {
            case .connected, .leftOut: line.levelProblem != nil
            case .waiting, .making, .removed, .stopped, .failed: true
            }
        }
        let bypasses = status.bypasses.count { !$0.isSet }
        throw ToolFailure(
            "\(missing) of \(status.connections.count) connections"
                + (bypasses > 0 ? " and \(bypasses) of \(status.bypasses.count) bypasses" : "")
                + " are not as in \(file.quoted); see the lines above\(hasWaited ? "" : ", and --timeout to wait for ports")."
        )
    }

    /// What a load that has ended half-way leaves behind.
    private static func reportMade(_ status: RoutingStatus) {
        for line in status.connections {
            guard case .connected(isMade: true) = line.state else { continue }
            RoutingEvent(line)?.report()
        }
    }

    /// As one change; as two if a connection was replaced by one of other channels, since a change connects two ports in one way.
    private static func record(
        _ made: [ConnectionChange.Item], _ removed: [ConnectionChange.Item], in history: ChangeHistoryFile
    ) {
        let pairs = Set(made.map { [$0.source, $0.destination] })
        guard removed.contains(where: { pairs.contains([$0.source, $0.destination]) }) else {
            return history.record(ConnectionChange(connected: made, disconnected: removed))
        }
        history.record(ConnectionChange(connected: [], disconnected: removed))
        history.record(ConnectionChange(connected: made, disconnected: []))
    }

    /// The connections that a routing has made.
    private static func made(_ status: RoutingStatus?, in graph: GraphSnapshot) -> [ConnectionChange.Item] {
        let connections = (status?.connections ?? []).compactMap { line -> Connection? in
            guard case .connected(isMade: true) = line.state, let source = line.source,
                let destination = line.destination
            else { return nil }
            return graph.connection(from: source, to: destination)
        }
        return graph.items(of: connections)
    }

    /// - Parameter last: the status at the end, also of a load that fails.
    /// - Returns: the status when all is there, or when nothing more can be done.
    private static func load(
        _ preset: RoutingPreset, within timeout: Duration, _ bus: BusClient, _ watch: SignalWatch,
        _ last: inout RoutingStatus?
    ) async throws -> RoutingStatus {
        let routing = try await bus.keep(preset)
        let end = ContinuousClock.now + timeout
        defer { last = routing.status }
        return try await withThrowingTaskGroup(of: RoutingStatus?.self) { group in
            group.addTask {
                for await status in routing.statusUpdates where status.isSettled {
                    if status.isWhole || .now >= end { return status }
                }
                return nil
            }
            group.addTask {
                try await Task.sleep(until: end, clock: .continuous)
                // What is under way at the time limit may come to its end.
                for await status in routing.statusUpdates where status.isSettled { return status }
                return nil
            }
            group.addTask {
                try await Task.sleep(until: end + Self.patience, clock: .continuous)
                return routing.status
            }
            group.addTask {
                if timeout > .zero { await RoutingWait.announce(routing, within: timeout / .seconds(1)) }
                return nil
            }
            group.addTask {
                for await state in bus.stateUpdates {
                    guard let reason = state.reason, reason.isConnectionLost else { continue }
                    throw PipeBusError(.connectionLost, reason.message)
                }
                return nil
            }
            group.addTask {
                if case .signal(let signal) = await bus.waitForSignal(since: watch) { throw ExitCode(128 + signal) }
                return nil
            }
            let result: Result<RoutingStatus, any Error>
            do {
                var status: RoutingStatus?
                while status == nil, let next = try await group.next() { status = next }
                result = .success(status ?? routing.status)
            } catch { result = .failure(error) }
            group.cancelAll()
            await routing.release()
            return try result.get()
        }
    }

    private static func removeOthers(
        than preset: RoutingPreset, _ bus: BusClient, _ removed: inout [ConnectionChange.Item]
    ) async throws {
        let graph = await bus.graph
        for connection in preset.otherConnections(in: graph) {
            guard let source = graph.port(connection.source), let destination = graph.port(connection.destination)
            else {
                continue
            }
            do {
                try await bus.disconnect(source, from: destination)
                removed += graph.items(of: [connection])
            } catch let error as PipeBusError where [.notConnected, .unknownPort].contains(error.code) {
                // Somebody else has removed it.
                continue
            }
            let names = (graph.uniqueName(of: source), graph.uniqueName(of: destination))
            Terminal.report(
                "\(ShellText.shown(names.0)) no longer goes to \(ShellText.shown(names.1)), \(LinkCount.words(connection.links.count)) removed",
                [
                    "state": "disconnected", "source": names.0, "destination": names.1,
                    "links": "\(connection.links.count)",
                ])
        }
    }
}

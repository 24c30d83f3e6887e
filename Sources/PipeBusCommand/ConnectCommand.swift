// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import PipeBusApps
import ToolSupport

struct ConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Connects a source to a destination, all channels or none.",
        discussion: """
            Waits until both exist and until sound can pass. The connection stays when this command ends. After a restart of the \
            daemon the PipeBus apps at its ends make it again, if it had been there for a second.

            As many channels as the destination has go one to one, and mono goes to both sides of stereo. "Lead:FL" is one channel of a \
            port. More than two ports are a path, each connected to the next, as in "connect Pad Echo Recorder": all of it is made, \
            or nothing.

            A name that no port has may be that of an installed app, or of a port of one, as in "Synth:out"; then the app is started, when every other \
            name is there. `list --all` shows them. --no-launch starts nothing.

            At a prompt the beginning of a name is enough, in upper or lower case, if it fits one port that is there. A script, and \
            a command with --timeout, wait for a port of exactly that name, and say at once if one of nearly that name is there; with --timeout 0 the beginning is enough there too.
            """)

    @Argument(help: "The source, by a name that `list` shows, or its app.")
    var source: String
    @Argument(help: "The destination, by a name that `list` shows, or its app.")
    var destination: String
    @Argument(help: "Where the sound goes on to.")
    var further: [String] = []
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time limit for ports of exactly these names to appear, in seconds, up to 86400; 0 does not wait for them. Without it "
                + "10 s.", valueName: "s"
        )
    )
    var timeout: Double?
    @Flag(inversion: .prefixedNo, help: "Starts the installed app of a port that is not there.")
    var launch = true
    @OptionGroup var channels: TypedChannels
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        try Check.that("--timeout", timeout, isIn: 0...86_400, unit: "seconds")
        guard further.isEmpty || channels.isEmpty else {
            throw ValidationError(
                "The channels of one connection can be chosen, not those of a path; connect two ports at a time.")
        }
    }

    func run() async throws {
        guard further.isEmpty else {
            return try await ConnectedPath(
                ports: [source, destination] + further, timeout, launches: launch, remote
            ).run()
        }
        let watch = SignalWatch()
        let history = ChangeHistoryFile(remote: remote.name)
        let timeLimit = timeout ?? 10
        // Whoever says how long to wait means a port that may be yet to come, and no other whose name begins so.
        let isTyped = timeout == 0 || timeout == nil && Terminal.isTyped
        try await Patchbay.with(remote) { [self] bus in
            let graph = await bus.graph
            let ends = [
                ConnectEnd(source, .source, in: graph, isTyped: isTyped),
                ConnectEnd(destination, .destination, in: graph, isTyped: isTyped),
            ]
            let pairing = try channels.pairing(from: ends[0].channel, to: ends[1].channel)
            let expectation = ConnectExpectation(ends[0].port, ends[1].port, in: graph, isTyped: isTyped)
            try expectation.checkOrder()
            var (source, destination) = try expectation.names()
            if launch, timeLimit > 0 {
                let found = try await AppStarter(bus, watch, within: timeLimit).launch([
                    (source, .source), (destination, .destination),
                ])
                (source, destination) = (found[0], found[1])
            }
            let present = await bus.graph
            let rest = ConnectExpectation(source, destination, in: present, isTyped: isTyped)
            if timeLimit > 0, let missing = rest.missing {
                ConnectWait(rest.missingNames, in: present, within: timeLimit).announce(missing)
            }
            // The limit is for the ports; links between ports that are there take their own time.
            let limit = rest.missing == nil ? max(timeLimit, 5) : timeLimit
            let hint = Task { [source, destination] in
                try await Task.sleep(for: .seconds(2))
                let expectation = ConnectExpectation(source, destination, in: await bus.graph)
                guard expectation.missing == nil else { return }
                Terminal.note("\(expectation.reason) Control-C ends the wait.")
            }
            defer { hint.cancel() }
            let connection = try await connect(source, destination, pairing, within: limit, ends, bus, watch)
            let graphWithIt = await bus.graph
            history.record(ConnectionChange(connected: graphWithIt.items(of: [connection]), disconnected: []))
            let from = graphWithIt.port(connection.source).map { graphWithIt.uniqueName(of: $0) } ?? source
            let to = graphWithIt.port(connection.destination).map { graphWithIt.uniqueName(of: $0) } ?? destination
            Terminal.report(
                "\(ShellText.shown(from)) → \(ShellText.shown(to)), \(LinkCount.words(connection.links.count))",
                ["source": from, "destination": to, "links": "\(connection.links.count)"])
        }
    }

    private func connect(
        _ source: String, _ destination: String, _ pairing: ChannelPairing, within limit: Double, _ ends: [ConnectEnd],
        _ bus: BusClient, _ watch: SignalWatch
    ) async throws -> Connection {
        do {
            return try await Interruptible.run(on: bus, since: watch) {
                try await bus.connect(
                    source, to: destination, channels: pairing, lingers: true,
                    timeout: .milliseconds(Int64(limit * 1000)))
            }
        } catch let error as PipeBusError where error.code == .channelMismatch {
            // The library's sentence knows no options.
            let graph = await bus.graph
            guard case .found(let from) = graph.port(named: source, as: .source),
                case .found(let to) = graph.port(named: destination, as: .destination)
            else { throw error }
            throw ToolFailure(
                ChannelAdvice(
                    source: from, output: ends[0].channel, destination: to, input: ends[1].channel, graph: graph
                )
                .sentence)
        }
    }
}

// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc
import PipeBus
import ToolSupport

struct QuitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit", abstract: "Asks an app to end, and waits until it has.",
        discussion: """
            A PipeBus app is asked over PipeWire, and ends as at control-C; it may refuse, with a reason. With --force an app that refuses, does \
            not answer or is none of PipeBus gets SIGTERM; a stopped one goes on, to take it.
            """)

    @Argument(help: ArgumentHelp("The app, by its name, its id, or one of its ports.", valueName: "app"))
    var app: String
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The longest wait, in seconds: 0.1 to 600.", valueName: "s"))
    var timeout = 10.0
    @Flag(help: "Ends the process with SIGTERM, if asking is in vain.")
    var force = false
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        try TypedApp.checkGiven(app)
        try Check.that("--timeout", timeout, isIn: 0.1...600, unit: "seconds")
    }

    func run() async throws {
        let watch = SignalWatch()
        try await Patchbay.with(remote) { [app, timeout, force] bus in
            let peer = try TypedApp.find(app, in: await bus.graph)
            let limit = Duration.seconds(timeout)
            do {
                try await Interruptible.run(on: bus, since: watch) { try await bus.quit(peer.id, timeout: limit) }
            } catch let exit as ExitCode {
                Terminal.complain("\(peer.name) has the request to end, and may still do so.", as: "pipebus")
                throw exit
            } catch let error as PipeBusError where [.refused, .timedOut, .notSupported].contains(error.code) {
                guard force else {
                    throw ToolFailure(
                        "\(error.message) \"pipebus quit \(ShellText.quoted(app)) --force\" ends its process.")
                }
                try await Self.end(peer, of: bus, within: limit)
            }
            Terminal.report("\(peer.name) has ended.", ["ended": peer.name])
        }
    }

    /// Ends the process of an app, and waits until the app has left the graph.
    private static func end(_ peer: Peer, of bus: BusClient, within limit: Duration) async throws {
        let name = TerminalText.printable(peer.name)
        guard let process = peer.ownProcessID else {
            throw ToolFailure(
                "The process of \(name) is not known, because it uses PulseAudio's emulation; end it where it was started."
            )
        }
        guard process != getpid(), kill(process, SIGTERM) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw ToolFailure(
                "Process \(process) of \(name) cannot be ended (\(reason)); end it as the user who started it.")
        }
        // A stopped one takes no signal until it goes on.
        kill(process, SIGCONT)
        let deadline = ContinuousClock.now.advanced(by: limit)
        let waiting = Task {
            for await graph in bus.graphUpdates where graph.peer(peer.id) == nil { return true }
            return false
        }
        let timer = Task {
            try? await Task.sleep(until: deadline, clock: .continuous)
            waiting.cancel()
        }
        defer { timer.cancel() }
        guard await waiting.value else {
            throw ToolFailure(
                "\(name) does not end at SIGTERM; \"kill -9 \(process)\" ends it for certain, and what it has not saved is lost."
            )
        }
    }
}

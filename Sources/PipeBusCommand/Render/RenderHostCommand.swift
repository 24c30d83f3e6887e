import ArgumentParser
// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc
import PipeBus
import PipeBusApps
import PipeBusTesting
import ToolSupport

/// The process between `pipebus render` and one filter: it starts the filter's program, and ends all that came of it when its
/// own standard input ends. That is so when the command ends, crashes or is killed.
///
/// It prints ``RenderHost/Event``s, each on a line.
struct RenderHostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render-host", abstract: "Keeps a filter of `render`.", shouldDisplay: false)

    @Option(help: "The id of an installed app.") var app: String?
    @Option(help: "The port of it that is wanted.") var port: String?
    @Option(help: "A command for a shell, in place of an app.") var command: String?
    @Option(help: "A folder for the bus.") var folder: String
    @Option(help: "The socket of the daemon.") var remote: String

    /// The time that programs have to end by themselves.
    private static let grace: Duration = .seconds(1)

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let watch = SignalWatch()
        guard ProcessTree.adoptOrphans() else { throw ToolFailure("The system lets no process adopt orphans.") }
        let input = try CommandInput.lines()
        let bus = await RenderBus.start(in: folder)
        // Without a bus an app is as in a session that has none.
        if bus == nil { unsafe setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", 1) }
        try say(.bus(bus != nil))
        let program = Task { [app, port, command, remote] in
            if let command { return await Self.run(command) }
            return await Self.run(app ?? "", port, at: remote)
        }
        let reporter = Task {
            guard let event = await program.value else { return }
            try? say(event)
        }
        let reader = Task { for await _ in input {} }
        let poll = Task {
            while watch.signal == nil { try await Task.sleep(for: .milliseconds(50)) }
            reader.cancel()
        }
        await reader.value
        poll.cancel()
        await ProcessTree.endDescendants(sparing: bus.map { [$0.pid] } ?? [], after: Self.grace)
        reporter.cancel()
    }

    /// Runs an app's program to its end.
    private static func run(_ id: String, _ port: String?, at remote: String) async -> RenderHost.Event? {
        guard let app = AppDirectory.app(id) else { return .failed("\(LaunchFailure.notInstalled(app: id))") }
        do {
            let program = try await app.startProgram(
                for: port, launcher: (RenderStage.appID, RenderStage.appName), remote: remote)
            for await end in program.end {
                switch end {
                case .exited(let status): return .ended(.exited(status), "")
                case .killed(let signal): return .ended(.killed(signal: signal), "")
                }
            }
            return nil
        } catch {
            return .failed("\(error)")
        }
    }

    /// Runs a command to its end.
    private static func run(_ command: String) async -> RenderHost.Event? {
        do {
            let shell = try ChildProcess("/bin/sh", ["-c", command], endMethod: .endOfInput)
            shell.closeInput()
            while true {
                guard let ending = try? await shell.waitForEnd(within: .seconds(3600)) else { continue }
                return .ended(ending, shell.errors.lines.last ?? "")
            }
        } catch {
            return .failed("\(error)")
        }
    }

    private func say(_ event: RenderHost.Event) throws {
        print(event.line)
        try Terminal.flush()
    }
}

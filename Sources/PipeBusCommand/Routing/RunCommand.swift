// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import PipeBusApps
import ToolSupport

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Keeps a saved routing until control-C.",
        discussion: """
            Starts installed apps that the routing names and that do not run. Makes each connection when both of its ports are there, and again when an app or the daemon comes back, with levels and bypasses; \
            and prints a line for each change. Nobody is fought: what somebody removes is not made again before one of its ports comes \
            back, and after the second time not at all. At its end the connections stay.
            """)

    @Argument(help: "The file of `save`; - for the standard input.")
    var file: String
    @Flag(help: "As JSON, an object on a line for each change.")
    var json = false
    @Flag(inversion: .prefixedNo, help: "Starts installed apps that the routing names and that do not run.")
    var launch = true
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        // Before any watch: a pipe may give nothing, and a signal ends the process at once then.
        let preset = try RoutingFile.read(file)
        let tool = ToolRun(as: "pipebus")
        let bus = try await Patchbay.connect(remote, isCancelled: { tool.isCancelled })
        let routing = try await bus.keep(preset)
        let entries = preset.connections.count
        Terminal.note(
            "Keeping \(entries) connection\(entries == 1 ? "" : "s") of \(file == "-" ? "the standard input" : file.quoted) until control-C."
        )
        let reader = Task { [json] in
            var changes = RoutingChanges()
            for await status in routing.statusUpdates {
                for event in changes.events(of: status) { json ? RoutingEventLine(event).print() : event.report() }
                // A reader that is gone does not end the routing.
                do { try Terminal.flush() } catch  where Terminal.hasLostItsReader {}
            }
        }
        let starting = Task { [launch] in
            guard launch else { return }
            await RoutingApps(of: preset, in: bus.graph, among: AppDirectory.apps)
                .launch(by: bus, within: LoadCommand.launchLimit)
        }
        let restoring = Task { [file, json] in
            await RoutingStates.keep(routing, named: RoutingStates.name(of: file), in: bus) { event in
                json ? RoutingEventLine(event).print() : event.report()
                do { try Terminal.flush() } catch {}
            }
        }
        defer {
            starting.cancel()
            restoring.cancel()
        }
        try await tool.keep(
            bus, until: { false },
            atEnd: {
                // Apps whose ports have not come are ended.
                starting.cancel()
                await starting.value
                await routing.release()
            }, showing: { [] })
        _ = await reader.result
    }
}

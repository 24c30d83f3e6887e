// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// The live view of the graph.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows pipelines, levels, latencies and xruns live, and connects and mixes by keys.",
        discussion: """
            On a terminal it fills the screen until control-C or the key q; ? shows all keys. In a pipe, and in the background, it \
            prints a line for each event: ports and connections that come and go, xruns and whose fault they were, levels that \
            change. The levels of at most 16 sources on the screen are measured, by links that make nothing run and that no \
            PipeBus app counts as a connection. With NAME, only what has it in its name is shown.
            """)

    @Argument(help: ArgumentHelp("A part of the name of an app or a port.", valueName: "name"))
    var name: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time between two measurements of load, xruns, latencies and volumes, in seconds: 0.1 to 3600.",
            valueName: "s"))
    var interval = 1.0
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time after which it ends, in seconds; endless without it.", valueName: "s"))
    var duration: Double?
    @Flag(help: "Measures no levels, and adds nothing to the graph.")
    var noMeters = false
    @Flag(help: "An event a line, as JSON for other programs, on a terminal too.")
    var json = false
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        try Check.that("--interval", interval, isIn: 0.1...3600, unit: "seconds")
        try Check.that("--duration", duration, isIn: 0.1...1_000_000_000, unit: "seconds")
        if name == "" { throw ValidationError("The name is empty; leave it out for the whole graph.") }
    }

    func run() async throws {
        let tool = ToolRun(as: "pipebus")
        let bus = try await Patchbay.connect(remote, isCancelled: { tool.isCancelled })
        let duration = duration.map { Duration.seconds($0) }
        if !json, Terminal.isInForeground {
            let screen = WatchScreen(
                on: bus, remote: remote.name, every: .seconds(interval), hasMeters: !noMeters, filter: name ?? "")
            try await screen.run(tool, for: duration)
        } else {
            let log = WatchLog(isJSON: json, filter: name)
            try await log.run(bus, every: .seconds(interval), tool, for: duration)
        }
    }
}

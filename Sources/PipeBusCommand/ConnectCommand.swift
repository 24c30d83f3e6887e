// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct ConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Connects a port that gives sound to one that takes it, all channels or none.",
        discussion: "Waits until both exist and until sound can pass. The connection stays when this command ends.")

    @Argument(help: "The port that gives sound, by a name that `list` shows, or its app.")
    var source: String
    @Argument(help: "The port that takes it.")
    var destination: String
    @Option(
        parsing: .unconditional, help: ArgumentHelp("How many seconds to wait for the ports to appear.", valueName: "s")
    )
    var timeout = 10.0
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        try Check.that("--timeout", timeout, isIn: 0...86_400, unit: "seconds")
    }

    func run() async throws {
        try await Patchbay.with(remote) { [source, destination, timeout] bus in
            let connection = try await bus.connect(
                source, to: destination, lingers: true, timeout: .milliseconds(Int64(timeout * 1000)))
            let graph = await bus.graph
            let from = graph.port(connection.source).map { graph.uniqueName(of: $0) } ?? source
            let to = graph.port(connection.destination).map { graph.uniqueName(of: $0) } ?? destination
            Terminal.report(
                "\(from) → \(to), \(connection.links.count) links",
                ["source": from, "destination": to, "links": "\(connection.links.count)"])
        }
    }
}

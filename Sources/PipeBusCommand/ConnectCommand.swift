// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct ConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Connects a source to a destination, all channels or none.",
        discussion: "Waits until both exist and until sound can pass. The connection stays when this command ends.")

    @Argument(help: "The source, by a name that `list` shows, or its app.")
    var source: String
    @Argument(help: "The destination, by a name that `list` shows, or its app.")
    var destination: String
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time limit for the ports to appear, in seconds.", valueName: "s")
    )
    var timeout = 10.0
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        try Check.that("--timeout", timeout, isIn: 0...86_400, unit: "seconds")
    }

    func run() async throws {
        try await Patchbay.with(remote) { [self] bus in
            let notice = Task { try await noteWaiting(bus) }
            defer { notice.cancel() }
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

    /// Names the ports that are still missing after a second: one may be mistyped.
    private func noteWaiting(_ bus: BusClient) async throws {
        let delay = Duration.seconds(1)
        guard .seconds(timeout) > delay else { return }
        try await Task.sleep(for: delay)
        let graph = await bus.graph
        let missing = [(source, GraphSnapshot.Role.source), (destination, .destination)]
            .filter { graph.port(named: $0, as: $1) == .missing }
            .map { "\"\($0.0.prefix(80))\"" }
        guard !missing.isEmpty, !Task.isCancelled else { return }
        let names = missing.joined(separator: " and ")
        Terminal.note("Waiting up to \(Decimal.text(timeout)) s for \(names); control-C ends it.")
    }
}

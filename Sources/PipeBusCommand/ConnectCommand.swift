// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct ConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Connects a source to a destination, all channels or none.",
        discussion: """
            Waits until both exist and until sound can pass. The connection stays when this command ends. After a restart of the \
            daemon the PipeBus apps at its ends make it again, if it had been there for a second.
            """)

    @Argument(help: "The source, by a name that `list` shows, or its app.")
    var source: String
    @Argument(help: "The destination, by a name that `list` shows, or its app.")
    var destination: String
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time limit for the ports to appear, in seconds, up to 86400; 0 does not wait for them.", valueName: "s"
        )
    )
    var timeout = 10.0
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        try Check.that("--timeout", timeout, isIn: 0...86_400, unit: "seconds")
    }

    func run() async throws {
        let watch = SignalWatch()
        try await Patchbay.with(remote) { [self] bus in
            let expectation = ConnectExpectation(source, destination, in: await bus.graph)
            try expectation.checkOrder()
            if timeout > 0, let missing = expectation.missing {
                Terminal.note("Waiting up to \(Decimal.text(timeout)) s for \(missing); control-C ends it.")
            }
            // The limit is for the ports; links between ports that are there take their own time.
            let limit = expectation.missing == nil ? max(timeout, 5) : timeout
            let hint = Task {
                try await Task.sleep(for: .seconds(2))
                let expectation = ConnectExpectation(source, destination, in: await bus.graph)
                guard expectation.missing == nil else { return }
                Terminal.note("\(expectation.reason) Control-C ends the wait.")
            }
            defer { hint.cancel() }
            let connection = try await InterruptibleConnect.connect(
                source, to: destination, timeout: .milliseconds(Int64(limit * 1000)), on: bus, since: watch)
            let graph = await bus.graph
            let from = graph.port(connection.source).map { graph.uniqueName(of: $0) } ?? source
            let to = graph.port(connection.destination).map { graph.uniqueName(of: $0) } ?? destination
            Terminal.report(
                "\(from) → \(to), \(connection.links.count) links",
                ["source": from, "destination": to, "links": "\(connection.links.count)"])
        }
    }
}

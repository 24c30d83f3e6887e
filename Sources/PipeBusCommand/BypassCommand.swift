// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct BypassCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bypass",
        abstract: "Shows whether a filter is bypassed, or bypasses it: its output is then its input.")

    @Argument(help: "The filter, by a name that `list` shows, or its app, for its first filter.")
    var filter: String
    @Argument(help: "on, off or toggle.")
    var value: String?
    @OptionGroup var remote: RemoteOptions

    func validate() throws { _ = try wanted() }

    func run() async throws {
        let wanted = try wanted()
        try await Patchbay.with(remote) { [filter] bus in
            let graph = await bus.graph
            let port = try PortFinder(graph).filter(typed: filter)
            if let wanted {
                try await bus.setBypassed(wanted.value(from: try await bus.isBypassed(port)), of: port)
            }
            let value = try await bus.isBypassed(port) ? "on" : "off"
            Terminal.report("\(graph.shownName(of: port)): bypass \(value)", ["bypass": value])
        }
    }

    private func wanted() throws -> TypedSwitch? { try value.map { try TypedSwitch($0, of: "bypass") } }
}

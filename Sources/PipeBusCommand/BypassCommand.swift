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
    @Argument(help: "on or off.")
    var value: String?
    @OptionGroup var remote: RemoteOptions

    func validate() throws { _ = try isWanted() }

    func run() async throws {
        let isWanted = try isWanted()
        try await Patchbay.with(remote) { [filter] bus in
            if let isWanted { try await bus.setBypassed(isWanted, of: filter) }
            let value = try await bus.isBypassed(filter) ? "on" : "off"
            Terminal.report("\(filter): bypass \(value)", ["bypass": value])
        }
    }

    private func isWanted() throws -> Bool? { try value.map { try isOn($0, "bypass") } }
}

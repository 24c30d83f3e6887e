// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct TriggersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "triggers", abstract: "Shows the triggers of apps: buttons that `trigger` presses.",
        discussion: """
            A line has the name of a trigger, its title, and its state unless that is normal: selected (it is on), alternate (it is about to \
            be), or disabled (it cannot be pressed).
            """)

    @Argument(help: ArgumentHelp("An app, or one of its ports; all apps unless given.", valueName: "app"))
    var app: String?
    @Flag(help: "As JSON, for other programs.")
    var json = false
    @OptionGroup var remote: RemoteOptions

    func validate() throws { try app.map(TypedApp.checkGiven) }

    func run() async throws {
        let listing = try await Patchbay.with(remote) { [app] bus in
            let graph = await bus.graph
            return await TriggerListing.read(
                from: bus, of: try app.map { [try TypedApp.find($0, in: graph)] }, in: graph)
        }
        for problem in listing.problems { Terminal.complain(problem, as: "pipebus") }
        if json {
            print(try listing.jsonDocument)
        } else if listing.triggers.isEmpty {
            Terminal.note("There is no trigger.")
        } else {
            print(listing.text)
        }
    }
}

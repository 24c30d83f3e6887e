// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct TriggerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger", abstract: "Presses a trigger of an app, such as the one that starts its recording.",
        discussion: "What the press does shows in the state of the trigger, see `triggers`. An app may refuse it.")

    @Argument(
        help: ArgumentHelp(
            "\"app:trigger\" as `triggers` shows it; the trigger alone, or the app alone, where only one fits.",
            valueName: "name"))
    var name: String
    @Argument(help: ArgumentHelp("The trigger, if the first word is the app.", valueName: "trigger"))
    var trigger: String?
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        try TypedApp.checkGiven(name)
        try trigger.map(TypedApp.checkGiven)
    }

    func run() async throws {
        try await Patchbay.with(remote) { [name, trigger] bus in
            let graph = await bus.graph
            let typed = try TypedTrigger(name, trigger, in: graph)
            let entry = try typed.find(in: await TriggerListing.read(from: bus, of: typed.apps, in: graph))
            try await bus.press(entry.id, of: entry.peer)
            Terminal.report("\(entry.title) of \(entry.app) was pressed.", ["pressed": entry.name])
        }
    }
}

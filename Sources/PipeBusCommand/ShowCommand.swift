// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import PipeBusApps
import ToolSupport

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Raises an app: asks it to show its window.",
        discussion: """
            The app is asked over the session bus. One that does not run is started as from a menu, if it is installed. The window system may want \
            to see an activation token before a window comes to the front; it is taken from XDG_ACTIVATION_TOKEN.
            """, aliases: ["switch"])

    @Argument(help: ArgumentHelp("The app, by its name, its id, or one of its ports.", valueName: "app"))
    var app: String
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The longest wait, in seconds: 0.1 to 600.", valueName: "s"))
    var timeout = 5.0
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        try TypedApp.checkGiven(app)
        try Check.that("--timeout", timeout, isIn: 0.1...600, unit: "seconds")
    }

    func run() async throws {
        try await Patchbay.with(remote) { [app, timeout] bus in
            let found = try TypedShownApp.find(app, among: AppDirectory.apps, in: await bus.graph)
            do {
                try await AppSwitcher(for: bus).show(
                    found.id, activationToken: ActivationToken.ofProcess, timeout: .seconds(timeout))
            } catch let failure as LaunchFailure {
                throw ToolFailure("\(failure)")
            }
            Terminal.report("\(found.name) was asked to show itself.", ["shown": found.id])
        }
    }
}

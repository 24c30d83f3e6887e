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

    func validate() throws { try Check.that("--timeout", timeout, isIn: 0.1...600, unit: "seconds") }

    func run() async throws {
        try await Patchbay.with(remote) { [app, timeout] bus in
            let (id, name) = try Self.find(app, in: await bus.graph)
            do {
                try await AppSwitcher(for: bus).show(
                    id, activationToken: ActivationToken.ofProcess, timeout: .seconds(timeout))
            } catch let failure as LaunchFailure {
                throw ToolFailure("\(failure)")
            }
            Terminal.report("\(name) was asked to show itself.", ["shown": id])
        }
    }

    /// The app that a person named: an installed one, or one that runs.
    private static func find(_ text: String, in graph: GraphSnapshot) throws -> (id: String, name: String) {
        if let (app, _) = TypedInstalledApp.match(text, among: AppDirectory.apps) { return (app.id, app.name) }
        let peer = try TypedApp.find(text, in: graph)
        guard let id = peer.applicationID else {
            throw ToolFailure(
                "\(peer.name) does not say its id, so it cannot be asked to show itself; bring its window to the front by hand."
            )
        }
        return (id, peer.name)
    }
}

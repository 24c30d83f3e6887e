// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc
import PipeBus
import PipeBusApps
import ToolSupport

struct LaunchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "launch", abstract: "Starts an installed app, and waits until its port is there.",
        discussion: """
            `list --all` shows the apps that are installed and the ports that they declare. An app that runs already is told which port is wanted. \
            D-Bus starts an app where its desktop entry says so; otherwise its Exec line does, with its output going nowhere.
            """)

    @Argument(
        help: ArgumentHelp(
            "The app, by its name or its id, or one of its ports: \"app:port\" or \"app.port\".", valueName: "name"))
    var name: String
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The longest wait, in seconds: 0.1 to 600.", valueName: "s"))
    var timeout = 10.0
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        try TypedApp.checkGiven(name)
        try Check.that("--timeout", timeout, isIn: 0.1...600, unit: "seconds")
    }

    func run() async throws {
        let (app, port) = try TypedInstalledApp.find(name, among: AppDirectory.apps)
        let watch = SignalWatch()
        try await Patchbay.with(remote) { [timeout] bus in
            let limit = Duration.seconds(timeout)
            do {
                let token = ActivationToken.ofProcess
                let found = try await Interruptible.run(on: bus, since: watch) {
                    if let port {
                        try await port.launch(for: bus, activationToken: token, timeout: limit)
                    } else {
                        try await app.launch(for: bus, activationToken: token, timeout: limit)
                    }
                }
                let name = await bus.graph.uniqueName(of: found)
                Terminal.report("\(app.name) runs, with \(name).", ["port": name])
            } catch let failure as LaunchFailure {
                throw ToolFailure("\(failure)")
            }
        }
    }
}

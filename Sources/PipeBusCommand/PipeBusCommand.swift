// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// The patchbay: shows the graph and connects its ports.
@main
struct PipeBusCommand: Tool {
    static let configuration = CommandConfiguration(
        commandName: "pipebus",
        abstract: "Shows the audio graph, connects its ports, and demonstrates PipeBus.",
        discussion: """
            A port is named by its node name as `list` shows it, by "app:port" or "app/port", by an app alone (its first port \
            that fits) or by its title. An app is named by its name, its id or one of its ports; a trigger by "app:trigger", its id or its \
            title. Of ports, apps and triggers alike, the exact name comes first; else upper and lower case do not matter; else the \
            beginning is enough where it fits one alone. Where \
            several ports have one name, `list` shows a number behind it, as in "twin:45"; with that number it is that port and \
            no other, and ":45" is enough. The source comes first, then the destination, then a value.
            """,
        version: ToolVersion.number,
        subcommands: commands)

    static func nearestCommand(to name: String, among names: [String]) -> String? {
        EditDistance.nearest(to: name, among: names)
    }

    static func missing(beforeValueOf command: String) -> String? {
        let levels: [any LevelCommand.Type] = [VolumeCommand.self, PanCommand.self]
        return levels.first { $0._commandName == command }?.missingReceiver
    }

    /// With those that the help does not show.
    static let commands: [any ParsableCommand.Type] = [
        ListCommand.self, GraphCommand.self, WatchCommand.self, ConnectCommand.self, DisconnectCommand.self,
        InsertCommand.self, RemoveCommand.self, UndoCommand.self, RedoCommand.self, VolumeCommand.self,
        PanCommand.self, MuteCommand.self, SoloCommand.self, BypassCommand.self, SaveCommand.self, LoadCommand.self,
        RunCommand.self, LaunchCommand.self, ShowCommand.self, TriggersCommand.self, TriggerCommand.self,
        QuitCommand.self,
        ActionCommand.self,
        TopCommand.self,
        RenderCommand.self, DaemonCommand.self, DemoCommand.self, CompletionCommand.self,
        CompleteCommand.self, RenderHostCommand.self,
    ]
}

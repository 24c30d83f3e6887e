// SPDX-License-Identifier: MIT

/// What may stand at a place of a command line.
enum CompletionSlot: Equatable {
    case command
    case option
    case source, destination
    /// A source that is connected, and a port that the source before it is connected to.
    case connectedSource, connectedDestination
    /// Any port that is connected; sources first.
    case connected
    /// A source in the mix of a receiver, or a receiver, whose sources are shown then.
    case mixedSource
    /// A receiver that mixes the source before it, or a source of the receiver before it.
    case mixer
    /// Any port, by whose name something is filtered.
    case any
    case filter
    /// An app that runs, one that can have triggers, one that is installed, and one that runs or is installed.
    case app, triggerApp, installedApp, shownApp
    /// A filter of an installed app.
    case installedFilter
    /// A trigger with its app, and one of the app before it.
    case trigger, triggerOfApp
    case file
    /// An installed offline action.
    case action
    case words([String])

    private static let switches = Self.words(["on", "off", "toggle"])

    /// Those of each command, in order.
    private static let places: [String: [Self]] = [
        "connect": [.source, .destination],
        "disconnect": [.connected, .connectedDestination],
        "insert": [.filter, .connectedSource, .connectedDestination],
        "remove": [.filter],
        "volume": [.mixedSource, .mixer],
        "pan": [.mixedSource, .mixer, .words(["L", "C", "R"])],
        "mute": [.mixedSource, .mixer, switches],
        "solo": [.mixedSource, .mixer, switches],
        "bypass": [.filter, switches],
        "save": [.file],
        "load": [.file],
        "run": [.file],
        "render": [.file, .file],
        "launch": [.installedApp],
        "show": [.shownApp],
        "quit": [.app],
        "triggers": [.triggerApp],
        "trigger": [.trigger, .triggerOfApp],
        "completion": [.words(["bash", "zsh", "fish"])],
        "list": [.any],
        "graph": [.any],
        "watch": [.any],
        "help": [.command],
        "action run": [.action],
    ]

    /// - Parameter position: the number of words before it that are no options.
    static func at(_ position: Int, of command: String) -> Self? {
        // A path has any number of ports.
        if command == "connect", position > 1 { return .destination }
        if command == "action list" || command == "action run" && position > 0 { return .file }
        // Behind the files there are filters alone.
        if command == "render", position > 1 { return .installedFilter }
        guard let places = places[command], places.indices.contains(position) else { return nil }
        return places[position]
    }

    /// What may be the value of an option; `nil` where nothing is known of that.
    static func ofValue(of option: String, in command: String) -> Self? {
        switch (command, option) {
        case ("render", "--through"): .installedFilter
        case ("action run", "--then"): .action
        case ("action run", "--output"): .file
        default: nil
        }
    }
}

// SPDX-License-Identifier: MIT

/// What may stand at a place of a command line.
enum CompletionSlot: Equatable {
    case command
    case option
    case source, destination
    /// A source that is connected, and a port that the source before it is connected to.
    case connectedSource, connectedDestination
    /// A source in the mix of a receiver, or a receiver, whose sources are shown then.
    case mixedSource
    /// A receiver that mixes the source before it.
    case mixer
    case filter
    case file
    case words([String])

    private static let switches = Self.words(["on", "off", "toggle"])

    /// Those of each command, in order.
    private static let places: [String: [Self]] = [
        "connect": [.source, .destination],
        "disconnect": [.connectedSource, .connectedDestination],
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
        "completion": [.words(["bash", "zsh", "fish"])],
        "help": [.command],
    ]

    /// - Parameter position: the number of words before it that are no options.
    static func at(_ position: Int, of command: String) -> Self? {
        guard let places = places[command], places.indices.contains(position) else { return nil }
        return places[position]
    }
}

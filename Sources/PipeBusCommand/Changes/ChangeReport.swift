// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The lines about a change that was made.
enum ChangeReport {
    static func show(_ change: ConnectionChange) {
        for item in change.connected { Terminal.report("\(words(item)) connected", values(item, "connected")) }
        for item in change.disconnected { Terminal.report("\(words(item)) disconnected", values(item, "disconnected")) }
    }

    /// The same for a screen.
    static func sentences(_ change: ConnectionChange) -> [String] {
        change.connected.map { "\(words($0)) connected" } + change.disconnected.map { "\(words($0)) disconnected" }
    }

    private static func words(_ item: ConnectionChange.Item) -> String {
        "\(ShellText.shown(item.source.nodeName)) → \(ShellText.shown(item.destination.nodeName))"
    }

    private static func values(_ item: ConnectionChange.Item, _ change: String) -> KeyValuePairs<String, String> {
        ["change": change, "source": item.source.nodeName, "destination": item.destination.nodeName]
    }
}

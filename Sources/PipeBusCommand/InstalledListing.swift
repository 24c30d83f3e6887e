// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// The installed apps in the form of `list --all`.
struct InstalledListing {
    struct App: Encodable {
        var name: String
        var id: String
        var icon: String?
        var isRunning: Bool
        var isDBusActivatable: Bool
        /// The path of its desktop entry.
        var entry: String
        var ports: [Port]
        /// Sentences on declared ports that are not as the app has them. Empty while the app does not run.
        var mismatches: [String]
    }

    struct Port: Encodable {
        var name: String
        var title: String
        var kind: String
        /// Numbers of channels.
        var inputs: Int
        var outputs: Int
    }

    /// Sorted by name.
    var apps: [App]

    init(apps: [App]) { self.apps = apps }

    /// - Parameter part: a part of the name, title or id of what is listed; `nil` for all.
    init(_ installed: [InstalledApp], in graph: GraphSnapshot, named part: String?) {
        apps = installed.compactMap { app in
            guard part.map({ app.isNamed(byPart: $0) }) != false else { return nil }
            return App(
                name: app.name, id: app.id, icon: app.iconName, isRunning: app.isRunning(in: graph),
                isDBusActivatable: app.isDBusActivatable, entry: app.entryPath,
                ports: app.ports.map {
                    Port(
                        name: $0.name, title: $0.title, kind: $0.kind.rawValue, inputs: $0.inputCount,
                        outputs: $0.outputCount)
                }, mismatches: app.mismatches(in: graph).map(\.description))
        }
    }

    /// The apps that do not run, and then what is declared wrongly. Empty if there is neither.
    ///
    /// - Parameter hasColours: whether what does not run is dim.
    func text(hasColours: Bool) -> String {
        let blocks = apps.filter { !$0.isRunning }.map { app -> String in
            let title = "\(DiagramText.bounded(app.name)) (\(DiagramText.bounded(app.id)))  not running"
            let ports = app.ports.map { port in
                let shown = port.title == port.name ? "" : "  “\(DiagramText.bounded(port.title))”"
                return "  \(port.kind)  \(ShellText.shown("\(app.name).\(port.name)"))\(shown)"
            }
            let text = ([title] + ports).map { TerminalText.printable($0) }
            return text.map { hasColours ? "\u{1B}[2m\($0)\u{1B}[0m" : $0 }.joined(separator: "\n")
        }
        let warnings = apps.flatMap { app in
            app.mismatches.map {
                TerminalText.printable(
                    "warning: \(DiagramText.bounded(app.name)): \($0); its desktop entry is \(app.entry)")
            }
        }
        return (blocks + warnings).joined(separator: "\n\n")
    }
}

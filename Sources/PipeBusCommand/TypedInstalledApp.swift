// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// The installed app, and perhaps the port of it, that a person named. Pure.
enum TypedInstalledApp {
    /// - Throws: ``ToolFailure``.
    static func find(_ text: String, among apps: [InstalledApp]) throws -> (app: InstalledApp, port: InstalledPort?) {
        if let found = match(text, among: apps) { return found }
        let several = apps.filter { isNamed($0, text) }
        if several.count > 1 {
            throw ToolFailure(
                "\(several.count) installed apps are called \(text.quoted); name one by its id: "
                    + several.prefix(4).map(\.id).joined(separator: " or ") + ".")
        }
        // The app may be known, and the port not.
        for (name, port) in splits(text) {
            let named = apps.filter { isNamed($0, name) }
            if named.count == 1 { throw ToolFailure("\(LaunchFailure.unknownPort(app: named[0].name, port: port))") }
        }
        let near = EditDistance.nearest(to: text, among: apps.flatMap { [$0.name, $0.id] })
        guard let near else { throw ToolFailure("\(LaunchFailure.notInstalled(app: text))") }
        throw ToolFailure(
            "No app called \(text.quoted) is installed that declares ports; is \(near.quoted) meant? \"pipebus list --all\" shows all."
        )
    }

    /// The app that a text names with certainty; `nil` for none.
    static func match(_ text: String, among apps: [InstalledApp]) -> (app: InstalledApp, port: InstalledPort?)? {
        let named = apps.filter { isNamed($0, text) }
        if named.count == 1 { return (named[0], nil) }
        if let exact = named.first(where: { $0.id == text }) { return (exact, nil) }
        let ports = splits(text).flatMap { name, port in
            apps.filter { isNamed($0, name) }.compactMap { app in
                (app.port(port)
                    ?? app.ports.first { $0.name.lowercased() == port.lowercased() }.flatMap { app.port($0.name) })
            }
        }
        return ports.count == 1 ? (ports[0].app, ports[0]) : nil
    }

    private static func isNamed(_ app: InstalledApp, _ name: String) -> Bool {
        app.id.lowercased() == name.lowercased() || app.name.lowercased() == name.lowercased()
    }

    /// The ways to read a text as an app and a port. Both may have a "." in their names.
    private static func splits(_ text: String) -> [(app: String, port: String)] {
        text.indices.filter { ":/.".contains(text[$0]) }.map { place in
            (String(text[..<place]), String(text[text.index(after: place)...]))
        }
    }
}

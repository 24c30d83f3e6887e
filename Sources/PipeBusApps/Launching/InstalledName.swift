// SPDX-License-Identifier: MIT
package import PipeBus

/// Finds the installed app, and the port of it, that a name of a port means. Pure.
package enum InstalledName {
    /// The port that a name means for a role, of an app that need not run; `nil` if no app is installed that is called so, or several are.
    ///
    /// The name is an app's, by its name or its id, and then means its first port of the role; or "app:port", "app/port" or "app.port".
    package static func port(
        _ text: String, as role: GraphSnapshot.Role, among apps: [InstalledApp]
    ) -> InstalledPort? {
        let named = self.apps(named: text, among: apps)
        if named.count == 1 { return standardPort(of: named[0], as: role) }
        guard named.isEmpty else { return nil }
        let ports = splits(text).flatMap { name, port in
            self.apps(named: name, among: apps).compactMap { $0.port(typed: port) }
        }
        guard ports.count == 1, ports[0].port.mayBe(role) else { return nil }
        return ports[0]
    }

    /// The apps of a name or an id. Upper and lower case are the same, but for an id that is there exactly.
    package static func apps(named text: String, among apps: [InstalledApp]) -> [InstalledApp] {
        if let exact = apps.first(where: { $0.id == text }) { return [exact] }
        let lowered = text.lowercased()
        return apps.filter { $0.id.lowercased() == lowered || $0.name.lowercased() == lowered }
    }

    /// The ways to read a text as an app and a port. Both may have a "." in their names.
    package static func splits(_ text: String) -> [(app: String, port: String)] {
        text.indices.filter { ":/.".contains(text[$0]) }.map { place in
            (String(text[..<place]), String(text[text.index(after: place)...]))
        }
    }

    /// As in a graph, where the role's own kind comes before a filter.
    private static func standardPort(of app: InstalledApp, as role: GraphSnapshot.Role) -> InstalledPort? {
        let kind: PortKind = role == .source ? .sender : .receiver
        let port = app.ports.first { $0.kind == kind } ?? app.ports.first { $0.kind == .filter }
        return port.map { InstalledPort(app: app, port: $0) }
    }
}

extension InstalledApp {
    /// One of the app's ports, as a person typed its name.
    package func port(typed text: String) -> InstalledPort? {
        port(text)
            ?? ports.first { $0.name.lowercased() == text.lowercased() }.map { InstalledPort(app: self, port: $0) }
    }
}

extension AppPort {
    /// Whether the port can be that end of a connection.
    func mayBe(_ role: GraphSnapshot.Role) -> Bool {
        switch kind {
        case .sender: role == .source
        case .receiver: role == .destination
        case .filter: true
        }
    }
}

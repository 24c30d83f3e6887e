// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// The installed app, and perhaps the port of it, that a person named. Pure.
enum TypedInstalledApp {
    typealias Found = (app: InstalledApp, port: InstalledPort?)

    /// - Throws: ``ToolFailure``.
    static func find(_ text: String, among apps: [InstalledApp]) throws -> Found {
        let found = all(text, among: apps)
        if found.count == 1 { return found[0] }
        if found.count > 1 { throw several(found, text) }
        // The app may be known, and the port not.
        for (name, port) in InstalledName.splits(text) {
            let named = self.apps(name, among: apps)
            if named.count == 1 { throw ToolFailure("\(LaunchFailure.unknownPort(app: named[0].name, port: port))") }
        }
        let near = EditDistance.nearest(to: text, among: apps.flatMap { [$0.name, $0.id] })
        guard let near else { throw ToolFailure("\(LaunchFailure.notInstalled(app: text))") }
        throw ToolFailure(
            "No app called \(text.quoted) is installed that declares ports; is \(near.quoted) meant? \"pipebus list --all\" shows all."
        )
    }

    /// What a name fits equally well. The first comparison that fits any app wins, as in ``TypedApp``.
    static func all(_ text: String, among apps: [InstalledApp]) -> [Found] {
        let whole = whole(text, among: apps)
        return whole.isEmpty ? beginning(text, among: apps) : whole
    }

    /// The apps and ports of that name or id, if need be in upper or lower case.
    static func whole(_ text: String, among apps: [InstalledApp]) -> [Found] {
        let named = wholeApps(text, among: apps)
        guard named.isEmpty else { return named.map { ($0, nil) } }
        return InstalledName.splits(text).flatMap { name, port in
            wholeApps(name, among: apps).compactMap { $0.port(typed: port) }
        }.map { ($0.app, $0) }
    }

    static func beginning(_ text: String, among apps: [InstalledApp]) -> [Found] {
        let named = beginningApps(text, among: apps)
        guard named.isEmpty else { return named.map { ($0, nil) } }
        let readings = InstalledName.splits(text).map { name, port in
            (
                ports: self.apps(name, among: apps).flatMap { app in app.ports.map { InstalledPort(app: app, port: $0) }
                },
                name: TypedName(port)
            )
        }
        for comparison in TypedName.Comparison.allCases {
            let found = readings.flatMap { reading in
                reading.ports.filter { reading.name.fits($0.port.name, comparison) }
            }
            if !found.isEmpty { return found.map { ($0.app, $0) } }
        }
        return []
    }

    private static func apps(_ text: String, among apps: [InstalledApp]) -> [InstalledApp] {
        let whole = wholeApps(text, among: apps)
        return whole.isEmpty ? beginningApps(text, among: apps) : whole
    }

    private static func wholeApps(_ text: String, among apps: [InstalledApp]) -> [InstalledApp] {
        let exact = apps.filter { $0.name == text }
        return exact.count == 1 ? exact : InstalledName.apps(named: text, among: apps)
    }

    private static func beginningApps(_ text: String, among apps: [InstalledApp]) -> [InstalledApp] {
        let name = TypedName(text)
        let named = apps.filter { name.fits($0.name, .beginning) }
        guard named.isEmpty, text.contains(".") else { return named }
        return apps.filter { name.fits($0.id, .beginning) }
    }

    private static func several(_ found: [Found], _ text: String) -> ToolFailure {
        let name = TypedName(text)
        guard found.allSatisfy({ name.fits(anyOf: [$0.app.name, $0.app.id], .ignoringCase) }) else {
            let names = found.prefix(4).map { found in
                found.port.map { "\(found.app.id):\($0.port.name)" } ?? found.app.id
            }
            return ToolFailure("\(text.quoted) could be any of \(names.joined(separator: ", ")); say which.")
        }
        return ToolFailure(
            "\(found.count) installed apps are called \(text.quoted); name one by its id: "
                + found.prefix(4).map(\.app.id).joined(separator: " or ") + ".")
    }
}

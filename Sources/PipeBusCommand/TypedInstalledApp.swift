// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// The installed app, and perhaps the port of it, that a person named. Pure.
enum TypedInstalledApp {
    /// - Throws: ``ToolFailure``.
    static func find(_ text: String, among apps: [InstalledApp]) throws -> (app: InstalledApp, port: InstalledPort?) {
        if let found = match(text, among: apps) { return found }
        let several = InstalledName.apps(named: text, among: apps)
        if several.count > 1 {
            throw ToolFailure(
                "\(several.count) installed apps are called \(text.quoted); name one by its id: "
                    + several.prefix(4).map(\.id).joined(separator: " or ") + ".")
        }
        // The app may be known, and the port not.
        for (name, port) in InstalledName.splits(text) {
            let named = InstalledName.apps(named: name, among: apps)
            if named.count == 1 { throw ToolFailure("\(LaunchFailure.unknownPort(app: named[0].name, port: port))") }
        }
        let near = EditDistance.nearest(to: text, among: apps.flatMap { [$0.name, $0.id] })
        guard let near else { throw ToolFailure("\(LaunchFailure.notInstalled(app: text))") }
        throw ToolFailure(
            "No app called \(text.quoted) is installed that declares ports; is \(near.quoted) meant? \"pipebus list --all\" shows all."
        )
    }

    static func match(_ text: String, among apps: [InstalledApp]) -> (app: InstalledApp, port: InstalledPort?)? {
        let named = InstalledName.apps(named: text, among: apps)
        if named.count == 1 { return (named[0], nil) }
        guard named.isEmpty else { return nil }
        let ports = InstalledName.splits(text).flatMap { name, port in
            InstalledName.apps(named: name, among: apps).compactMap { $0.port(typed: port) }
        }
        return ports.count == 1 ? (ports[0].app, ports[0]) : nil
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// A filter that a person named: a port of an installed app, or a command that makes one.
enum RenderFilter: Sendable {
    case app(InstalledApp, AppPort)
    case command(String)

    /// For people.
    var name: String {
        switch self {
        case .app(let app, _): app.name
        case .command(let text): text.quoted
        }
    }

    var app: InstalledApp? {
        if case .app(let app, _) = self { app } else { nil }
    }

    /// Finds the installed filter of a name. Pure.
    ///
    /// - Throws: ``ToolFailure``.
    static func named(_ text: String, among apps: [InstalledApp]) throws -> RenderFilter {
        let found: TypedInstalledApp.Found
        do {
            // Another app whose name begins so cannot be meant.
            found = try TypedInstalledApp.find(text, among: apps.filter { !Self.filters(of: $0).isEmpty })
        } catch {
            found = try TypedInstalledApp.find(text, among: apps)
        }
        let filters = Self.filters(of: found.app)
        if let port = found.port?.port {
            guard port.kind == .filter else {
                throw ToolFailure(
                    "\(text.quoted) is a \(port.kind.rawValue), which no sound passes through; \(advice(filters, of: found.app))."
                )
            }
            return .app(found.app, port)
        }
        guard filters.count == 1 else {
            throw ToolFailure(
                filters.isEmpty
                    ? "\(found.app.name) declares no filter, so no sound passes through it; \(advice([], of: found.app))."
                    : "\(found.app.name) has \(filters.count) filters; \(advice(filters, of: found.app)).")
        }
        return .app(found.app, filters[0])
    }

    private static func filters(of app: InstalledApp) -> [AppPort] { app.ports.filter { $0.kind == .filter } }

    private static func advice(_ filters: [AppPort], of app: InstalledApp) -> String {
        guard !filters.isEmpty else { return "name another app, or give a program's command line to --through-command" }
        let names = filters.prefix(4).map { "\(app.name):\($0.name)".quoted }
        return "name \(filters.count > 1 ? "one of them, such as " : "")\(names.joined(separator: " or "))"
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// The installed apps that a routing names and that do not run. Pure but for ``launch(by:within:)``.
struct RoutingApps {
    /// Each port once, as far as its app declares it; otherwise the app's first.
    let ports: [InstalledPort]

    init(of preset: RoutingPreset, in graph: GraphSnapshot, among apps: [InstalledApp]) {
        var found: [InstalledPort] = []
        for end in preset.connections.flatMap({ [$0.source, $0.destination] }) {
            // A rule with a "*" names no app.
            guard let name = end.app?.name, let app = Self.app(name, among: apps), !app.isRunning(in: graph),
                let first = app.ports.first
            else { continue }
            let port = app.ports.first { end.node?.name == "\(app.name).\($0.name)" }
            let installed = InstalledPort(app: app, port: port ?? first)
            if !found.contains(installed) { found.append(installed) }
        }
        ports = found
    }

    private static func app(_ name: String, among apps: [InstalledApp]) -> InstalledApp? {
        if let app = apps.first(where: { $0.id == name }) { return app }
        let named = apps.filter { $0.name == name }
        return named.count == 1 ? named[0] : nil
    }

    /// Starts them, all at once, and waits for their ports. An app that does not start is reported, and the others go on.
    func launch(by bus: BusClient, within limit: Duration) async {
        var names: Set<String> = []
        for port in ports where names.insert(port.app.id).inserted { Terminal.note("Starting \(port.app.name).") }
        await withTaskGroup { group in
            for port in ports {
                group.addTask {
                    do {
                        try await port.launch(for: bus, timeout: limit)
                    } catch let failure as LaunchFailure {
                        Terminal.complain("\(failure)", as: "pipebus")
                    } catch {}
                }
            }
        }
    }
}

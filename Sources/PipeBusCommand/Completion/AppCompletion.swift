// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps

/// The names of apps that may stand at a place of a command line. Pure.
struct AppCompletion {
    private let graph: GraphSnapshot
    private let installed: [InstalledApp]

    init(_ graph: GraphSnapshot, installed: [InstalledApp] = []) { (self.graph, self.installed) = (graph, installed) }

    /// - Returns: names that begin with what is typed, in any case, each of which finds its app.
    func names(for request: CompletionRequest) -> [String] {
        let forms: [[String]]
        switch request.slot {
        case .app: forms = self.forms(of: appsWithPorts)
        case .triggerApp: forms = self.forms(of: TriggerListing.apps(in: graph))
        case .installedApp: forms = installedForms
        case .installedFilter: forms = filterForms
        case .shownApp: forms = shownForms
        default: forms = []
        }
        return OfferedNames.beginning(request.current, in: forms.map { $0.filter(TypedApp.isTypable) })
    }

    /// Not another patchbay.
    private var appsWithPorts: [Peer] { graph.peers.filter { !graph.ports(of: $0.id).isEmpty } }

    private func forms(of apps: [Peer]) -> [[String]] {
        [
            apps.map { TypedApp.name(of: $0, in: graph) },
            apps.filter { app in app.applicationID.map { TypedApp.all($0, in: graph) } == [app] }.compactMap(
                \.applicationID),
            apps.flatMap { graph.ports(of: $0.id) }.map { graph.uniqueName(of: $0) },
        ]
    }

    private var installedForms: [[String]] {
        func isFound(_ name: String, _ app: InstalledApp) -> Bool {
            let found = TypedInstalledApp.all(name, among: installed)
            return found.count == 1 && found[0].app == app
        }
        return [
            installed.map { isFound($0.name, $0) ? $0.name : $0.id }, installed.map(\.id),
            installed.flatMap { app in
                app.ports.map { "\(app.name):\($0.name)" }.filter { isFound($0, app) }
            },
        ]
    }

    /// An app with one filter by its name, and each filter of an app with several.
    private var filterForms: [[String]] {
        func isFound(_ name: String, _ app: InstalledApp, _ port: AppPort) -> Bool {
            guard case .app(let found, let filter) = try? RenderFilter.named(name, among: installed) else {
                return false
            }
            return found == app && filter == port
        }
        let names = installed.flatMap { app in
            app.ports.filter { $0.kind == .filter }.map { port in
                [app.name, app.id, "\(app.name):\(port.name)", "\(app.id):\(port.name)"].filter {
                    isFound($0, app, port)
                }
            }
        }
        return [names.compactMap(\.first), names.flatMap { $0.dropFirst() }]
    }

    private var shownForms: [[String]] {
        let apps =
            appsWithPorts.compactMap { peer in peer.applicationID.map { TypedShownApp(id: $0, name: peer.name) } }
            + installed.map { TypedShownApp(id: $0.id, name: $0.name) }
        return [
            apps.map { app in
                (try? TypedShownApp.find(app.name, among: installed, in: graph))?.id == app.id ? app.name : app.id
            }, apps.map(\.id),
        ]
    }
}

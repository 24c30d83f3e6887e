// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusApps
import ToolSupport

/// The app that a person wants to see: an installed one, or one that runs. Pure.
struct TypedShownApp: Equatable {
    var id: String
    var name: String

    /// - Throws: ``ToolFailure``.
    static func find(
        _ text: String, among installed: [InstalledApp], in graph: GraphSnapshot
    ) throws -> TypedShownApp {
        let whole = TypedInstalledApp.whole(text, among: installed)
        if whole.count == 1 { return TypedShownApp(whole[0].app) }
        // The whole name of an app that runs comes before the beginning of another's.
        let running = TypedApp.whole(text, in: graph)
        let beginning = running.isEmpty ? TypedInstalledApp.beginning(text, among: installed) : []
        let peers = running.isEmpty ? TypedApp.all(text, in: graph) : running
        // All instances of an app show themselves under one id.
        let apps = unique(
            beginning.map { TypedShownApp($0.app) }
                + peers.compactMap { peer in peer.applicationID.map { TypedShownApp(id: $0, name: peer.name) } })
        let silent = peers.filter { $0.applicationID == nil }
        if apps.count == 1, silent.isEmpty { return apps[0] }
        if apps.isEmpty, silent.count == 1 {
            throw ToolFailure(
                "\(silent[0].name) does not say its id, so it cannot be asked to show itself; bring its window to the front by hand."
            )
        }
        guard apps.isEmpty, silent.isEmpty else {
            let names = apps.map(\.id.quoted) + silent.map { TypedApp.name(of: $0, in: graph).quoted }
            throw ToolFailure("\(text.quoted) could be any of \(names.prefix(4).joined(separator: ", ")); say which.")
        }
        let near = EditDistance.nearest(to: text, among: (graph.peers.map(\.name) + installed.map(\.name)))
        throw ToolFailure(
            "There is no app called \(text.quoted)"
                + (near.map { "; is \($0.quoted) meant? \"pipebus list --all\" shows all." }
                    ?? "; \"pipebus list --all\" shows those that there are."))
    }

    init(id: String, name: String) { (self.id, self.name) = (id, name) }

    private init(_ app: InstalledApp) { self.init(id: app.id, name: app.name) }

    private static func unique(_ apps: [TypedShownApp]) -> [TypedShownApp] {
        var seen: Set<String> = []
        return apps.filter { seen.insert($0.id).inserted }
    }
}

// SPDX-License-Identifier: MIT
import PipeBus

/// An app that a routing waits for, with the ports of it that are missing. Pure.
struct MissingApp: Equatable {
    /// The application id or the name; `nil` for ports of any app.
    let app: String?
    /// The names of the missing ports; empty where any of the app will do.
    private(set) var ports: [String] = []
    /// The number of connections that wait for it.
    private(set) var connections = 0

    /// - Returns: each app once, in natural order.
    static func all(in status: RoutingStatus, of preset: RoutingPreset) -> [MissingApp] {
        var apps: [String?: MissingApp] = [:]
        for line in status.connections {
            guard case .waiting(let missing) = line.state, preset.connections.indices.contains(line.index) else {
                continue
            }
            let entry = preset.connections[line.index]
            let ends = [entry.source, entry.destination].filter { missing.contains($0.description) }
            for (app, ends) in Dictionary(grouping: ends, by: { $0.app?.text }) {
                var found = apps[app] ?? MissingApp(app: app)
                found.connections += 1
                for port in ends.compactMap(\.nodeText) where !found.ports.contains(port) { found.ports.append(port) }
                apps[app] = found
            }
        }
        return apps.values.naturallySorted { $0.app ?? "" }
    }

    /// For a person.
    var sentence: String {
        let names = ports.naturallySorted { $0 }.map { DiagramText.bounded($0) }
        let shown = names.count > 6 ? names.prefix(6) + ["\(names.count - 6) more"] : names[...]
        let list = shown.count > 1 ? "\(shown.dropLast().joined(separator: ", ")) and \(shown.last ?? "")" : shown.first
        let of = app.flatMap { $0.isEmpty ? nil : DiagramText.bounded($0) }
        let what = [list ?? "any port", of].compactMap(\.self).joined(separator: " of ")
        return "\(what): missing, for \(connections) connection\(connections == 1 ? "" : "s")"
    }
}

extension PortMatcher {
    /// The node's name for a person; `nil` where any of the app's ports is meant.
    fileprivate var nodeText: String? {
        node.map { (number > 1 ? "no. \(number) of " : "") + $0.text }
    }
}

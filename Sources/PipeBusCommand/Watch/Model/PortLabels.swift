// SPDX-License-Identifier: MIT

/// Short names of ports for people: the app's name where it means one port alone, and otherwise the port's own. Pure.
struct PortLabels: Sendable {
    private var labels: [String: String] = [:]

    init(_ diagram: GraphDiagram) {
        let names = Dictionary(grouping: diagram.apps.filter { $0.kind == .app }, by: { $0.name.lowercased() })
        for app in diagram.apps {
            let isAlone = app.kind == .app && app.ports.count == 1 && names[app.name.lowercased()]?.count == 1
            for port in app.ports {
                // Devices are known by their titles.
                labels[port.key] =
                    isAlone ? app.name : app.kind == .devices || app.kind == .monitors ? port.title : port.uniqueName
            }
        }
    }

    subscript(key: String) -> String { labels[key] ?? "?" }
}

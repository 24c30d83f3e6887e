// SPDX-License-Identifier: MIT

/// The names by which a port is known again. Several ports may have the same ones.
struct PortIdentity: Hashable, Sendable {
    let app: String
    let node: String

    init(app: String, node: String) {
        self.app = app
        self.node = node
    }

    init(_ port: GraphPort, in graph: GraphSnapshot) {
        app = graph.peer(of: port).map { $0.applicationID ?? $0.name } ?? ""
        node = port.nodeName
    }
}

extension PortIdentity {
    /// All names that a person may give for a port: its app by the application id, and by the app's name.
    static func all(of port: GraphPort, in graph: GraphSnapshot) -> [PortIdentity] {
        let own = PortIdentity(port, in: graph)
        guard let name = graph.peer(of: port)?.name, name != own.app else { return [own] }
        return [own, PortIdentity(app: name, node: port.nodeName)]
    }
}

extension PortIdentity: Comparable {
    static func < (left: Self, right: Self) -> Bool { (left.app, left.node) < (right.app, right.node) }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The connections that the app made: the next session makes them again.
extension DaemonSession {
    /// The links are there.
    func declare(_ source: GraphPort, _ destination: GraphPort, _ keys: [LinkTable.Key]) {
        let connection = ConnectionDeclaration(source: end(source), destination: end(destination))
        declared.connections.insert(connection)
        for key in keys { connections[key] = connection }
    }

    /// Somebody removed it, or one of its ports has gone.
    func forgetConnection(of key: LinkTable.Key) {
        if let connection = connections.removeValue(forKey: key) { declared.connections.remove(connection) }
    }

    func end(_ port: GraphPort) -> ConnectionDeclaration.End {
        if let own = ports[port.id] { return .own(own.declaration.name) }
        return .other(
            applicationID: model.snapshot.peer(of: port)?.applicationID, nodeName: port.nodeName)
    }
}

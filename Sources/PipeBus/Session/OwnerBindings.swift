// SPDX-License-Identifier: MIT
import PipeWireClient

/// Binds the clients that own nodes, for their properties. Most clients, such as each call of `pw-link`, own no node,
/// and their properties are not needed. Confined to the loop.
final class OwnerBindings {
    private let connection: SessionConnection
    private let model: GraphModel
    /// The clients that are bound.
    private var bound: Set<UInt32> = []

    init(on connection: SessionConnection, _ model: GraphModel) {
        self.connection = connection
        self.model = model
    }

    /// Binds the client that owns a new node. Idempotent.
    ///
    /// - Parameter properties: the node's properties.
    func nodeAppeared(_ properties: [String: String]) {
        guard let owner = properties["client.id"].flatMap({ UInt32($0) }), model.reducer.isClient(owner),
            bound.insert(owner).inserted
        else { return }
        connection.pipeWire.bind(id: owner, kind: .client)
    }

    func disappeared(_ id: UInt32) { bound.remove(id) }
}

// SPDX-License-Identifier: MIT
import PipeBusTesting
import PipeWireClient

/// A client in this process that requests something of each new node of some name at once, before the node's app has seen it in the graph.
actor EagerClient {
    nonisolated let loop: PipeWireLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private var connection: PipeWireConnection!
    private(set) var requestCount = 0

    private init(_ loop: PipeWireLoop) { self.loop = loop }

    static func connect(
        to remote: String, requesting key: String, _ value: String, ofNodesNamed prefix: String
    ) async throws -> EagerClient {
        let client = EagerClient(try PipeWireLoop())
        try await client.open(remote, key, value, prefix)
        return client
    }

    private func open(_ remote: String, _ key: String, _ value: String, _ prefix: String) async throws {
        connection = try PipeWireConnection(loop: loop, properties: [], remote: remote)
        connection.onRegistryEvent = { [unowned self] event in
            guard case .added(let id, .node, let properties) = event, properties["node.name"]?.hasPrefix(prefix) == true
            else { return }
            assumeIsolated { client in
                client.connection.bind(id: id, kind: .node)
                if (try? client.connection.request(ofNode: id, key: key, value: value)) != nil {
                    client.requestCount += 1
                }
            }
        }
        try await connection.open(timeout: .seconds(5))
    }

    func close() async {
        connection.close()
        await OffLoop.stop(loop)
    }
}

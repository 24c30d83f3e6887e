// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Our nodes that leave the graph, which hold up no cycle meanwhile. Confined to the loop.
///
/// libpipewire takes a node that is closed out of its audio thread before the daemon stops waking it: a cycle in between would
/// never end. So the daemon removes the node first, when its links are gone.
final class LeavingNodes {
    private final class Leaving {
        let node: FilterNode
        let serial: UInt64
        let closed: () -> Void
        var isRequested = false
        var isClosed = false

        init(_ node: FilterNode, serial: UInt64, closed: @escaping () -> Void) {
            self.node = node
            self.serial = serial
            self.closed = closed
        }
    }

    /// The time in which a daemon that works answers.
    private static let patience: Duration = .seconds(2)

    private let connection: SessionConnection
    private let model: GraphModel
    private var nodes: [Leaving] = []

    init(on connection: SessionConnection, _ model: GraphModel) {
        self.connection = connection
        self.model = model
    }

    /// Lets a node leave whose links are released. One that the daemon does not have, or a daemon that does not answer, is not waited
    /// for.
    ///
    /// - Parameter closed: called when the audio thread does not run the node any more, perhaps before the call returns.
    func add(_ node: FilterNode, serial: UInt64, closed: @escaping () -> Void = {}) {
        node.forgetHandlers()
        let leaving = Leaving(node, serial: serial, closed: closed)
        guard isInGraph(leaving), connection.pipeWire.failure == nil, !connection.pipeWire.isSilent else {
            return close(leaving)
        }
        nodes.append(leaving)
        connection.afterRoundTrip { [weak self] in self?.requestRemoval(of: leaving) }
    }

    /// Waits until all nodes have left that leave now. After some seconds without an answer of the daemon they are closed all the
    /// same.
    func finish() async {
        let leaving = nodes
        guard !leaving.isEmpty else { return }
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        // An error means that the daemon is gone, and the nodes with it.
        try? await connection.pipeWire.sync(by: deadline)
        for node in leaving { requestRemoval(of: node) }
        try? await connection.pipeWire.sync(by: deadline)
        for node in leaving { close(node) }
    }

    /// Idempotent.
    private func requestRemoval(of leaving: Leaving) {
        guard !leaving.isRequested, !leaving.isClosed else { return }
        leaving.isRequested = true
        // Ids are reused.
        guard isInGraph(leaving), let id = leaving.node.nodeID else { return close(leaving) }
        try? connection.pipeWire.destroyGlobal(id: id)
        connection.afterRoundTrip { [weak self] in self?.close(leaving) }
    }

    private func isInGraph(_ leaving: Leaving) -> Bool {
        leaving.node.nodeID.flatMap(model.reducer.serial(ofNode:)) == leaving.serial
    }

    /// Idempotent.
    private func close(_ leaving: Leaving) {
        guard !leaving.isClosed else { return }
        leaving.isClosed = true
        nodes.removeAll { $0 === leaving }
        // libpipewire waits until the block returns.
        leaving.node.close()
        leaving.closed()
    }
}

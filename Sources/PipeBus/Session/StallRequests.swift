// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Publishes which sources of our ports hang, and lets any process disconnect such a source for good, which has no link that could
/// be removed. Confined to the loop.
final class StallRequests {
    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    private let stalls: StallKeeper
    private let requests: PeerRequests

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ stalls: StallKeeper,
        _ requests: PeerRequests
    ) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.stalls = stalls
        self.requests = requests
        stalls.onChange = { [weak self] in self?.publish($0) }
    }

    private func publish(_ port: LivePort) {
        let serials = port.links.stalledSources.prefix(GraphPort.stalledSourceLimit).map { "\($0)" }
        // Without it another process finds the source not connected, as any other tool does.
        try? port.setProperties([(PipeBusProperty.stalledSources, serials.joined(separator: ","))])
    }

    /// Ends the stall of a source at another app's port.
    ///
    /// - Returns: whether there was one.
    /// - Throws: ``PipeBusError`` `timedOut`, `noPermission`.
    func end(_ source: GraphPort, at destination: GraphPort) async throws -> Bool {
        guard destination.stalledSources.contains(source.id), ports[destination.id] == nil else { return false }
        do {
            let deadline = try await requests.request(
                PipeBusProperty.forgetStalled, "\(source.id.serial)", of: destination)
            _ = try await connection.firstResult(by: deadline, waitingFor: "the other app") {
                model.snapshot.port(destination.id)?.stalledSources.contains(source.id) == true ? nil : true
            }
        } catch let error as PipeBusError where error.code == .timedOut {
            throw PeerRequests.noAnswer(of: destination)
        }
        return true
    }

    /// Handles another process's request to a port. Requests of other kinds, and those for sources that do not hang, have no
    /// effect.
    func requested(_ key: String, _ value: String, of id: GraphPort.ID) {
        guard key == PipeBusProperty.forgetStalled, let source = GraphPort.ID(text: value), let port = ports[id] else {
            return
        }
        stalls.giveUp(source, at: port)
    }
}

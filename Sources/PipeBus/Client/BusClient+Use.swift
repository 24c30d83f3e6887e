// SPDX-License-Identifier: MIT
package import ConnectionGraph
import PipeWireClient

/// Whether the app is in use, for PipeBusApps.
extension BusClient {
    /// The present graph, and this client in it.
    ///
    /// - Returns: no client while there is no connection, or the graph does not have the client yet. A graph without it says nothing about its
    ///   connections.
    package var place: (graph: GraphSnapshot, client: Peer.ID?) {
        guard termination.error == nil, let session, session.connection.isOpen else { return (graph, nil) }
        let serial = session.connection.pipeWire.clientID.flatMap { session.model.reducer.serial(ofClient: $0) }
        let peer = serial.flatMap { session.model.snapshot.peer(Peer.ID(serial: $0)) }
        return (session.model.snapshot, peer?.id)
    }

    /// Number of cycles of all ports since they were made. It stands still while the graph does not run them.
    package var cycleCount: UInt64 { declared.ports.reduce(0) { $0 &+ $1.statistics.cycles } }

    /// Ends the waits for a signal, because nothing uses the app any more. Idempotent.
    package func endAsUnused() {
        if requestedEnding == nil { requestedEnding = .unused }
        termination.wake()
    }
}

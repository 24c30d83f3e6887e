// SPDX-License-Identifier: MIT
import ConnectionGraph
import Synchronization

/// The state of a port for its public object, on any thread.
///
/// It is the same object in every session, and its identity is the port's: a port that is added under the name of a
/// closed one has another handle.
final class PortHandle: Sendable {
    /// The port's name in its app.
    let name: String
    let status = AtomicPortStatus()
    let latency: OwnLatency
    let cells: PortCells
    /// Whose fault the port's last xruns were.
    let culprits = CulpritLog()
    let streams = PortStreams()
    private let presence: Mutex<Presence>

    private struct Presence {
        var id: GraphPort.ID?
        var nodeName: String
        var isClosed = false
    }

    init(name: String, nodeName: String, latency: Int, cells: PortCells) {
        self.name = name
        self.cells = cells
        self.latency = OwnLatency(latency)
        presence = Mutex(Presence(nodeName: nodeName))
    }

    /// The port in the graph of the present session; `nil` while it is in none.
    var id: GraphPort.ID? { presence.withLock { $0.id } }

    /// The name of the port's node, now or when it was last in a graph.
    var nodeName: String { presence.withLock { $0.nodeName } }

    var designation: PortDesignation {
        presence.withLock { presence in
            if presence.isClosed { return .closed(name) }
            return presence.id.map { .id($0) } ?? .name(presence.nodeName)
        }
    }

    /// The latency that the port itself adds.
    var ownLatency: Latency { Latency(frames: latency.frames, sampleRate: cells.sampleRate) }

    func appeared(as id: GraphPort.ID, nodeName: String) {
        presence.withLock { $0 = Presence(id: id, nodeName: nodeName) }
    }

    func disappeared() { presence.withLock { $0.id = nil } }

    /// The port is closed for good. Its sequences end; their last element is a state without connections. Idempotent.
    func close() {
        presence.withLock {
            $0.id = nil
            $0.isClosed = true
        }
        streams.states.send(.disconnected)
        streams.finish()
    }
}

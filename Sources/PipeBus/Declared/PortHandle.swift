// SPDX-License-Identifier: MIT
import ConnectionGraph
import Synchronization

/// What a port's object knows of it, on any thread. It is the same in every session, and its identity is the port's: a port
/// that is added under the name of one that was closed has another.
final class PortHandle: Sendable {
    /// The port's name in its app.
    let name: String
    let status = SharedStatus()
    let latency: OwnLatency
    private let cells: PortCells
    let streams = PortStreams()
    private let presence: Mutex<Presence>

    private struct Presence {
        var id: GraphPort.ID?
        var nodeName: String
    }

    init(name: String, nodeName: String, latency: Int, cells: PortCells) {
        self.name = name
        self.cells = cells
        self.latency = OwnLatency(latency)
        presence = Mutex(Presence(nodeName: nodeName))
    }

    /// The port in the graph of the present session; `nil` while it is in none.
    var id: GraphPort.ID? { presence.withLock { $0.id } }

    /// The name of its node, now or when it was last in a graph.
    var nodeName: String { presence.withLock { $0.nodeName } }

    /// What the port itself adds to the age of its sound.
    var ownLatency: Latency { Latency(frames: latency.frames, sampleRate: cells.sampleRate) }

    func appeared(as id: GraphPort.ID, nodeName: String) {
        presence.withLock { $0 = Presence(id: id, nodeName: nodeName) }
    }

    func disappeared() { presence.withLock { $0.id = nil } }

    /// The port is closed: the last that its readers are given is that nothing is connected.
    func endStreams() {
        streams.states.send(.disconnected)
        streams.finish()
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph

/// How the connections of our ports stand, for the app.
extension BusClient {
    func state(of id: GraphPort.ID) throws -> PortState {
        _ = try livePort(id)
        return PortState(of: id, in: model.snapshot, heard: model.audible)
    }

    /// States of a port, now and after every change; the newest wins.
    func stateSnapshots(of id: GraphPort.ID) -> AsyncStream<PortState> {
        guard let port = try? livePort(id), let state = try? state(of: id) else { return AsyncStream { $0.finish() } }
        return port.streams.states.subscribe(first: [state])
    }
}

extension LivePort {
    /// The port is closed: the last state that its readers are given is that nothing is connected.
    func endStates() {
        streams.states.send(PortState(of: id, in: GraphSnapshot(revision: 0, peers: [], ports: [], connections: [])))
        streams.states.finish()
    }
}

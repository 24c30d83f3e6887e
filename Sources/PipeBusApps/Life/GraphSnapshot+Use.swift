// SPDX-License-Identifier: MIT
import PipeBus

extension GraphSnapshot {
    /// Whether a port of a client's process is connected to another app or to a device. Meters of other apps are in no graph.
    func isConnectedToOthers(_ client: Peer.ID) -> Bool {
        let process = peersByProcess.first { $0.contains { $0.id == client } } ?? []
        let own = Set(process.map(\.id))
        let ports = process.flatMap { self.ports(of: $0.id) }
        func isForeign(_ port: GraphPort?) -> Bool { port.map { $0.peer.map(own.contains) != true } ?? false }
        if ports.contains(where: { sources(of: $0.id).contains(where: isForeign) }) { return true }
        if ports.contains(where: { destinations(of: $0.id).contains(where: isForeign) }) { return true }
        let media = ports.reduce(into: Set<Medium>()) { $0.formUnion($1.media) }.subtracting([.audio])
        guard !media.isEmpty else { return false }
        let ids = Set(ports.map(\.id))
        return media.contains { medium in
            connections(of: medium).contains { ids.contains($0.source) != ids.contains($0.destination) }
        }
    }
}

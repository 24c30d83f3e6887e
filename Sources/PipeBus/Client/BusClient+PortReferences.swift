// SPDX-License-Identifier: MIT

/// Checks of references to the client's own ports.
extension BusClient {
    /// The names of the ports that a port runs after.
    ///
    /// - Parameter receiver: the receiver that the port follows, and so runs after as well.
    func names(of predecessors: [any LocalPortDesignator], following receiver: String? = nil) throws -> [String] {
        let names = try predecessors.map { try name(of: $0.localPortDesignation) }
        guard let receiver, !names.contains(receiver) else { return names }
        return names + [receiver]
    }

    /// A latency that designates the followed receiver by its name.
    func checked(_ latency: PortLatency) throws -> PortLatency {
        guard let followed = latency.followed else { return latency }
        return .following(try name(of: followed), plus: latency.ownFrames)
    }

    /// - Throws: ``PipeBusError`` `invalidArgument` for a port of another client, `closed` for one that was closed.
    private func name(of designation: LocalPortDesignation) throws -> String {
        switch designation {
        case .name(let name): return name
        case .port(let port):
            guard port.client === self else {
                throw PipeBusError(
                    .invalidArgument,
                    "The port \"\(Names.shown(port.name))\" is of another client; only ports of one client can follow or "
                        + "run after each other.")
            }
            guard declared.contains(port.handle) else {
                throw PipeBusError(
                    .closed, "The port \"\(Names.shown(port.name))\" was closed before; add it again, or leave it out.")
            }
            return port.name
        }
    }
}

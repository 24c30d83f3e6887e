// SPDX-License-Identifier: MIT
import ConnectionGraph

extension DaemonSession {
    /// A filter that is there now and can be bypassed.
    ///
    /// A port that has just come is seen a moment before what is said of it: nothing is refused without asking once more.
    func knownFilter(_ designation: PortDesignation) async throws -> GraphPort {
        if let port = try? knownFilter(now: designation) { return port }
        try await roundTrip()
        return try knownFilter(now: designation)
    }

    /// Filters alone are looked through, and everything else only for what to say of it: an app's name means its filter
    /// then, whatever else the app has.
    private func knownFilter(now designation: PortDesignation) throws -> GraphPort {
        try checkOpen()
        let snapshot = model.snapshot
        switch designation {
        case .id(let id):
            guard let port = snapshot.port(id) else {
                throw PipeBusError(.unknownPort, "That port is not in the graph any more.")
            }
            guard port.isPipeBus, port.kind == .filter else { throw noFilter(port.title) }
            return port
        case .name(let name):
            if let port = try only(snapshot.filter(named: name), named: name, in: snapshot) { return port }
            throw missingFilter(name, in: snapshot)
        }
    }

    private func missingFilter(_ name: String, in snapshot: GraphSnapshot) -> PipeBusError {
        // By the node's name first, so that one with a name like an app's is not taken for it.
        if let port = snapshot.port(exactlyNamed: name) { return noFilter(port.title) }
        if snapshot.peers.contains(where: { $0.name == name || $0.applicationID == name }) {
            return PipeBusError(
                .notSupported, "\(Names.shown(name)) has no filter made with PipeBus, so there is nothing to bypass.")
        }
        for role in [GraphSnapshot.Role.destination, .source] where snapshot.port(named: name, as: role) != .missing {
            return noFilter(name)
        }
        let filters = snapshot.ports.filter { $0.isPipeBus && $0.kind == .filter }
        let known = Names.listed(filters, in: snapshot)
        return PipeBusError(
            .unknownPort,
            "There is no port or app called \"\(Names.shown(name))\" that can be bypassed"
                + (known.isEmpty ? ", and no other either." : "; there is \(known)."))
    }

    private func noFilter(_ title: String) -> PipeBusError {
        PipeBusError(
            .notSupported,
            "\(Names.shown(title)) is no filter of a PipeBus app, so it cannot be bypassed; disconnect it.")
    }
}

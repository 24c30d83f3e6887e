// SPDX-License-Identifier: MIT

extension GraphSnapshot {
    /// The end of a connection for which a port is looked up.
    public enum Role: String, Sendable, Hashable {
        case source, destination
    }

    /// The result of looking up a name.
    public enum Lookup: Sendable, Hashable {
        case found(GraphPort)
        case missing
        /// Several ports fit equally well; ``GraphSnapshot/uniqueName(of:)`` of one of them stands for it alone.
        case ambiguous([GraphPort])
    }

    /// Finds the port that a person means by a name.
    ///
    /// The first form that matches a port wins:
    /// 1. "name:serial" or ":serial", with the port's ``GraphPort/ID/serial`` and any of the forms 2 to 5 as name. It
    ///   stands for that port alone; see ``uniqueName(of:)``.
    /// 2. The port's ``GraphPort/nodeName``.
    /// 3. "app/port", with the app's name or id and the port's name or title.
    /// 4. An app's name or id, for the first of its ports that fits the role; auxiliary inputs come last.
    /// 5. A port's title.
    public func port(named name: String, as role: Role) -> Lookup {
        // The role's own kind comes before a filter, which fits both roles.
        lookUp(
            name, first: role == .source ? .sender : .receiver,
            in: ports.filter { role == .source ? !$0.outputs.isEmpty : !$0.inputs.isEmpty })
    }

    /// Finds the filter that a person means by a name, in the same order of forms, among those made with PipeBus.
    package func filter(named name: String) -> Lookup {
        lookUp(name, first: .filter, in: ports.filter { $0.isPipeBus && $0.kind == .filter })
    }

    private func lookUp(_ name: String, first kind: PortKind, in candidates: [GraphPort]) -> Lookup {
        if let port = byUniqueName(name, in: candidates) { return .found(port) }
        for matches in [byNodeName, byPath, byPeer, byTitle] {
            let found = matches(name, kind, candidates)
            if found.count == 1 { return .found(found[0]) }
            if !found.isEmpty { return .ambiguous(found) }
        }
        return .missing
    }

    /// Whether a name matches a port in any form, other ports aside.
    func fits(_ name: String, _ port: GraphPort) -> Bool {
        [byNodeName, byPath, byPeer, byTitle].contains { !$0(name, port.kind, [port]).isEmpty }
    }

    private func byNodeName(_ name: String, first kind: PortKind, in candidates: [GraphPort]) -> [GraphPort] {
        candidates.filter { $0.nodeName == name }
    }

    private func byPath(_ name: String, first kind: PortKind, in candidates: [GraphPort]) -> [GraphPort] {
        guard let slash = name.lastIndex(of: "/") else { return [] }
        let app = String(name[..<slash])
        let port = String(name[name.index(after: slash)...])
        let owners = Set(peers(named: app))
        return candidates.filter { candidate in
            candidate.peer.map(owners.contains) == true && (candidate.name == port || candidate.title == port)
        }
    }

    private func byPeer(_ name: String, first kind: PortKind, in candidates: [GraphPort]) -> [GraphPort] {
        peers(named: name).compactMap { peer in
            let own = candidates.filter { $0.peer == peer }
            // An auxiliary input is meant only if it is named.
            let main = own.filter { $0.auxiliaryOf == nil }
            return main.first { $0.kind == kind } ?? main.first ?? own.first
        }
    }

    private func byTitle(_ name: String, first kind: PortKind, in candidates: [GraphPort]) -> [GraphPort] {
        candidates.filter { $0.title == name }
    }

    private func peers(named name: String) -> [Peer.ID] {
        peers.filter { $0.name == name || $0.applicationID == name }.map(\.id)
    }
}

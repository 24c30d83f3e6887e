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

    /// Finds the port that a name stands for.
    ///
    /// The first form that matches a port wins:
    /// 1. "name:serial" or ":serial", with the port's ``GraphPort/ID/serial`` and any of the forms 2 to 5 as name. It
    ///   stands for that port alone; see ``uniqueName(of:)``.
    /// 2. The port's ``GraphPort/nodeName``.
    /// 3. "app:port" or "app/port", with the app's name or id and the port's name or title.
    /// 4. An app's name or id, for the first of its ports that fits the role; auxiliary inputs come last.
    /// 5. A port's title.
    ///
    /// Names are compared exactly; ``port(typed:as:)`` is for people.
    public func port(named name: String, as role: Role) -> Lookup {
        lookUp(NameMatch(name), first: role.kind, in: candidates(for: role))
    }

    /// Finds the filter that a name stands for, in the same order of forms, among those made with PipeBus.
    package func filter(named name: String) -> Lookup { lookUp(NameMatch(name), first: .filter, in: filters) }

    package func candidates(for role: Role) -> [GraphPort] {
        ports.filter { role == .source ? !$0.outputs.isEmpty : !$0.inputs.isEmpty }
    }

    package var filters: [GraphPort] { ports.filter { $0.isPipeBus && $0.kind == .filter } }

    /// - Parameter kind: the kind of port that an app's name means first.
    func lookUp(_ name: NameMatch, first kind: PortKind, in candidates: [GraphPort]) -> Lookup {
        if let port = byUniqueName(name, in: candidates) { return .found(port) }
        guard name.comparison != .prefix else { return Lookup(byPrefix(name, first: kind, in: candidates)) }
        for matches in [byNodeName, byPath, byPeer, byTitle] {
            let found = matches(name, kind, candidates)
            if !found.isEmpty { return Lookup(found) }
        }
        return .missing
    }

    /// Whether a name matches a port in any form but a unique name, other ports aside.
    func fits(_ name: NameMatch, _ port: GraphPort) -> Bool {
        name(port.nodeName) || name(port.title) || !byPath(name, first: port.kind, in: [port]).isEmpty
            || peer(of: port).map { isNamed($0, name) } == true
    }

    private func byNodeName(_ name: NameMatch, first kind: PortKind, in candidates: [GraphPort]) -> [GraphPort] {
        candidates.filter { name($0.nodeName) }
    }

    private func byPath(_ name: NameMatch, first kind: PortKind, in candidates: [GraphPort]) -> [GraphPort] {
        // Not by Character: one with a combining mark is another Character.
        guard name.text.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }) else { return [] }
        return candidates.filter { paths(of: $0).contains { name($0) } }
    }

    /// Put together and not taken apart: app and port may both contain the characters that separate them.
    func paths(of port: GraphPort) -> [String] {
        guard let peer = peer(of: port) else { return [] }
        return [peer.name, peer.applicationID].compactMap(\.self).flatMap { app in
            [port.name, port.title].flatMap { ["\(app):\($0)", "\(app)/\($0)"] }
        }
    }

    private func byPeer(_ name: NameMatch, first kind: PortKind, in candidates: [GraphPort]) -> [GraphPort] {
        peers(named: name).compactMap { peer in
            let own = candidates.filter { $0.peer == peer }
            // An auxiliary input is meant only if it is named.
            let main = own.filter { $0.auxiliaryOf == nil }
            return main.first { $0.kind == kind } ?? main.first ?? own.first
        }
    }

    private func byTitle(_ name: NameMatch, first kind: PortKind, in candidates: [GraphPort]) -> [GraphPort] {
        candidates.filter { name($0.title) }
    }

    /// The ports of which a name begins so. An app whose own name begins so counts once, whatever its ports are called.
    private func byPrefix(_ name: NameMatch, first kind: PortKind, in candidates: [GraphPort]) -> [GraphPort] {
        let apps = Set(peers(named: name))
        let ofApps = Set(byPeer(name, first: kind, in: candidates).map(\.id))
        return candidates.filter { port in
            if let peer = port.peer, apps.contains(peer) { return ofApps.contains(port.id) }
            return name(port.nodeName) || name(port.title) || paths(of: port).contains { name($0) }
        }
    }

    private func peers(named name: NameMatch) -> [Peer.ID] {
        peers.filter { isNamed($0, name) }.map(\.id)
    }

    func isNamed(_ peer: Peer, _ name: NameMatch) -> Bool {
        name(peer.name) || peer.applicationID.map { name($0) } == true
    }
}

extension GraphSnapshot.Role {
    /// The kind that plays only this role, and comes before a filter, which plays both.
    var kind: PortKind { self == .source ? .sender : .receiver }

    package var opposite: Self { self == .source ? .destination : .source }
}

extension GraphSnapshot.Lookup {
    init(_ ports: [GraphPort]) {
        self = ports.isEmpty ? .missing : ports.count == 1 ? .found(ports[0]) : .ambiguous(ports)
    }

    /// The ports that fit.
    package var ports: [GraphPort] {
        switch self {
        case .found(let port): [port]
        case .missing: []
        case .ambiguous(let ports): ports
        }
    }
}

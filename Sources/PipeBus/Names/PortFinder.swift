// SPDX-License-Identifier: MIT
import ConnectionGraph

/// From what somebody typed or holds to one port of a graph, or to an error that says what there is. Pure.
struct PortFinder {
    let graph: GraphSnapshot

    init(_ graph: GraphSnapshot) { self.graph = graph }

    /// The port that is meant; `nil` if it is not there, and may yet come.
    ///
    /// - Throws: ``PipeBusError`` `unknownPort` for an ambiguous name, an empty one, and an id that is gone.
    func find(_ designation: PortDesignation, as role: GraphSnapshot.Role) throws -> GraphPort? {
        switch designation {
        case .id(let id): return try port(id)
        case .name(let name):
            guard name.contains(where: { !$0.isWhitespace }) else {
                throw PipeBusError(.unknownPort, "A port cannot be found by an empty name; give an app's or a port's.")
            }
            return try only(graph.port(named: name, as: role), named: name)
        }
    }

    /// The port that is meant.
    ///
    /// - Throws: ``PipeBusError`` `unknownPort`.
    func require(_ designation: PortDesignation, as role: GraphSnapshot.Role) throws -> GraphPort {
        if let port = try find(designation, as: role) { return port }
        throw PipeBusError(.unknownPort, message(forMissing: designation, as: role))
    }

    /// The same port in this graph.
    ///
    /// - Parameter port: as it was in an earlier graph.
    func refreshed(_ port: GraphPort) throws -> GraphPort {
        guard let port = graph.port(port.id) else {
            throw PipeBusError(.unknownPort, "\(port.shownTitle) went away in between.")
        }
        return port
    }

    /// What to say to a person who looks for a port that is not there.
    func message(forMissing designation: PortDesignation, as role: GraphSnapshot.Role) -> String {
        guard case .name(let name) = designation else { return Self.gone }
        if let other = graph.port(exactlyNamed: name) {
            let lack = role == .source ? "gives no sound, so nothing can be connected from it" : "takes no sound"
            return "\(Names.shown(other.nodeName)) \(lack)."
        }
        let known = Names.listed(
            graph.ports.filter { role == .source ? !$0.outputs.isEmpty : !$0.inputs.isEmpty }, in: graph)
        let what = role == .source ? "gives" : "takes"
        return "There is no port or app called \"\(Names.shown(name))\" that \(what) sound"
            + (known.isEmpty ? ", and no other either." : "; there is \(known).")
    }

    private static let gone = "That port is not in the graph any more."

    private func port(_ id: GraphPort.ID) throws -> GraphPort {
        guard let port = graph.port(id) else { throw PipeBusError(.unknownPort, Self.gone) }
        return port
    }

    private func only(_ found: GraphSnapshot.Lookup, named name: String) throws -> GraphPort? {
        switch found {
        case .found(let port): return port
        case .missing: return nil
        case .ambiguous(let ports):
            let names = Names.listed(ports, in: graph)
            throw PipeBusError(.unknownPort, "\"\(Names.shown(name))\" could be any of \(names); say which.")
        }
    }

    // MARK: Filters

    /// A filter that can be bypassed.
    ///
    /// Filters alone are searched, and everything else only for the error: an app's name means its filter then, whatever
    /// else the app has.
    ///
    /// - Throws: ``PipeBusError`` `unknownPort`, and `notSupported` for what is no PipeBus filter.
    func filter(_ designation: PortDesignation) throws -> GraphPort {
        switch designation {
        case .id(let id):
            let port = try port(id)
            guard port.isPipeBus, port.kind == .filter else { throw Self.noFilter(port.title) }
            return port
        case .name(let name):
            if let port = try only(graph.filter(named: name), named: name) { return port }
            throw missingFilter(name)
        }
    }

    private func missingFilter(_ name: String) -> PipeBusError {
        // By the node's name first, so that one with a name like an app's is not taken for it.
        if let port = graph.port(exactlyNamed: name) { return Self.noFilter(port.title) }
        if graph.peers.contains(where: { $0.name == name || $0.applicationID == name }) {
            return PipeBusError(
                .notSupported, "\(Names.shown(name)) has no filter made with PipeBus, so there is nothing to bypass.")
        }
        for role in [GraphSnapshot.Role.destination, .source] where graph.port(named: name, as: role) != .missing {
            return Self.noFilter(name)
        }
        let known = Names.listed(graph.ports.filter { $0.isPipeBus && $0.kind == .filter }, in: graph)
        return PipeBusError(
            .unknownPort,
            "There is no port or app called \"\(Names.shown(name))\" that can be bypassed"
                + (known.isEmpty ? ", and no other either." : "; there is \(known)."))
    }

    private static func noFilter(_ title: String) -> PipeBusError {
        PipeBusError(
            .notSupported,
            "\(Names.shown(title)) is no filter of a PipeBus app, so it cannot be bypassed; disconnect it.")
    }
}

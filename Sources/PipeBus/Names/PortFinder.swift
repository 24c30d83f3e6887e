// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Finds the port of a graph that a person or an app designates, or says in an error which ports there are. Pure.
package struct PortFinder {
    let graph: GraphSnapshot

    package init(_ graph: GraphSnapshot) { self.graph = graph }

    /// The designated port; `nil` if it does not exist yet.
    ///
    /// - Throws: ``PipeBusError`` `unknownPort` for an ambiguous name, an empty one, and an id that is gone;
    ///   `invalidArgument` for a port that can never have the role; `closed`.
    func find(_ designation: PortDesignation, as role: GraphSnapshot.Role) throws -> GraphPort? {
        switch designation {
        case .closed(let name): throw Self.closed(name)
        case .id(let id):
            let port = try port(id)
            try checkDirection(port, as: role)
            return port
        case .name(let name):
            guard name.contains(where: { !$0.isWhitespace }) else {
                throw PipeBusError(.unknownPort, "A port cannot be found by an empty name; give an app's or a port's.")
            }
            if let port = try only(graph.port(named: name, as: role), named: name) { return port }
            // An app's name may come to mean a port that is added later; the name of a port stands for that port.
            if !graph.peers.contains(where: { $0.name == name || $0.applicationID == name }),
                case .found(let port) = graph.port(named: name, as: role.opposite)
            {
                try checkDirection(port, as: role)
            }
            return nil
        }
    }

    /// The kind of a PipeBus port is known at once; the channels of any port come one by one.
    private func checkDirection(_ port: GraphPort, as role: GraphSnapshot.Role) throws {
        guard port.isPipeBus else { return }
        switch (port.kind, role) {
        case (.receiver, .source), (.sender, .destination):
            throw PipeBusError(.invalidArgument, Self.wrongDirection(port.shownTitle, as: role) + ".")
        default: return
        }
    }

    /// The words for a port that is looked up for the role that it cannot play.
    private static func wrongDirection(_ name: String, as role: GraphSnapshot.Role) -> String {
        role == .source
            ? "\(name) only takes sound; name a port that gives sound as the source"
            : "\(name) only gives sound; name a port that takes sound as the destination"
    }

    private static func closed(_ name: String) -> PipeBusError {
        PipeBusError(.closed, "The port \"\(Names.shown(name))\" was closed before; add it again to go on.")
    }

    /// The designated port.
    ///
    /// - Throws: ``PipeBusError`` `unknownPort`.
    func require(_ designation: PortDesignation, as role: GraphSnapshot.Role) throws -> GraphPort {
        if let port = try find(designation, as: role) { return port }
        throw PipeBusError(.unknownPort, message(forMissing: designation, as: role))
    }

    /// The designated port, which is to stand between two others.
    ///
    /// - Throws: ``PipeBusError`` as ``require(_:as:)``; `invalidArgument` also for a port that only takes sound.
    func requirePassage(_ designation: PortDesignation) throws -> GraphPort {
        do {
            return try require(designation, as: .source)
        } catch let error as PipeBusError where [.invalidArgument, .unknownPort].contains(error.code) {
            // Nobody has named it as a source.
            guard let port = try? require(designation, as: .destination) else { throw error }
            throw PipeBusError(ChangeFault.noPassage(port))
        }
    }

    /// The designated port in the middle of a path; `nil` if it does not exist yet.
    ///
    /// - Throws: ``PipeBusError`` as ``find(_:as:)``; `invalidArgument` also for a port that only takes sound.
    func findInPath(_ designation: PortDesignation) throws -> GraphPort? {
        do {
            return try find(designation, as: .source)
        } catch let error as PipeBusError where error.code == .invalidArgument {
            guard let port = try? find(designation, as: .destination) else { throw error }
            throw PipeBusError(ChangeFault.brokenPath(port))
        }
    }

    /// The same port in this graph.
    ///
    /// - Parameter port: the port in an earlier graph.
    func refreshed(_ port: GraphPort) throws -> GraphPort {
        guard let port = graph.port(port.id) else {
            throw PipeBusError(.unknownPort, "\(port.shownTitle) went away in between.")
        }
        return port
    }

    /// The error message for a person whose port does not exist.
    func message(forMissing designation: PortDesignation, as role: GraphSnapshot.Role) -> String {
        let name: String
        switch designation {
        case .id(let id): return gone(id)
        case .closed(let closed): return Self.closed(closed).message
        case .name(let typed): name = typed
        }
        let shown = "\"\(Names.shown(name))\""
        if let other = graph.port(exactlyNamed: name), graph.port(named: name, as: role.opposite) == .missing {
            // Its channels are not known yet, or it has none.
            return "\(Names.shown(other.nodeName)) \(role == .source ? "gives" : "takes") no sound."
        }
        if graph.port(named: name, as: role.opposite) != .missing {
            let known = Names.listed(graph.candidates(for: role), in: graph)
            return Self.wrongDirection(shown, as: role)
                + (known.isEmpty ? "; there is none now." : ", such as \(known).")
        }
        let what = role == .source ? "gives" : "takes"
        return "There is no port or app called \(shown) that \(what) sound"
            + list(of: graph.candidates(for: role), nearest: graph.nearestName(to: name, as: role))
    }

    /// The end of a sentence about a port that is missing.
    ///
    /// - Parameter nearest: the name that was probably meant.
    private func list(of ports: [GraphPort], nearest: String? = nil) -> String {
        let known = Names.listed(ports, in: graph)
        guard !known.isEmpty else { return ", and no other either." }
        guard let nearest else { return "; there is \(known)." }
        return "; is \(Names.quoted(Names.shown(nearest))) meant? There is \(known)."
    }

    private func gone(_ id: GraphPort.ID) -> String {
        "\(graph.departedName(of: id).map(Names.shown) ?? "That port") is not in the graph any more."
    }

    private func port(_ id: GraphPort.ID) throws -> GraphPort {
        guard let port = graph.port(id) else { throw PipeBusError(.unknownPort, gone(id)) }
        return port
    }

    func only(_ found: GraphSnapshot.Lookup, named name: String) throws -> GraphPort? {
        switch found {
        case .found(let port): return port
        case .missing: return nil
        case .ambiguous(let ports):
            let names = Names.listed(ports, in: graph)
            throw PipeBusError(.unknownPort, "\"\(Names.shown(name))\" could be any of \(names); say which.")
        }
    }

    // MARK: Filters

    /// The designated filter, which can be bypassed.
    ///
    /// Only filters are searched; other ports matter for the error alone. So an app's name means its filter, whatever
    /// other ports the app has.
    ///
    /// - Throws: ``PipeBusError`` `unknownPort`, and `notSupported` for a port that is no PipeBus filter.
    func filter(_ designation: PortDesignation) throws -> GraphPort {
        switch designation {
        case .closed(let name): throw Self.closed(name)
        case .id(let id):
            let port = try port(id)
            guard port.isPipeBus, port.kind == .filter else { throw Self.noFilter(port.title) }
            return port
        case .name(let name):
            if let port = try only(graph.filter(named: name), named: name) { return port }
            throw missingFilter(name)
        }
    }

    func missingFilter(_ name: String) -> PipeBusError {
        // By the node's name first, so that a port with a name like an app's is not taken for the app.
        if let port = graph.port(exactlyNamed: name) { return Self.noFilter(port.title) }
        if graph.peers.contains(where: { $0.name == name || $0.applicationID == name }) {
            return PipeBusError(
                .notSupported, "\(Names.shown(name)) has no filter made with PipeBus, so there is nothing to bypass.")
        }
        for role in [GraphSnapshot.Role.destination, .source] where graph.port(named: name, as: role) != .missing {
            return Self.noFilter(name)
        }
        return PipeBusError(
            .unknownPort,
            "There is no port or app called \"\(Names.shown(name))\" that can be bypassed"
                + list(of: graph.filters, nearest: graph.nearestFilterName(to: name)))
    }

    private static func noFilter(_ title: String) -> PipeBusError {
        PipeBusError(
            .notSupported,
            "\(Names.shown(title)) is no filter of a PipeBus app, so it cannot be bypassed; disconnect it.")
    }
}

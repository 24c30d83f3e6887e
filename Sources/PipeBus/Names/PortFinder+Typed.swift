// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Ports that a person designates in a tool, at this moment and without a wait. The errors are those of the exact names.
extension PortFinder {
    /// The port that is meant; `nil` if none is.
    ///
    /// - Throws: ``PipeBusError`` `unknownPort` for an ambiguous name.
    package func find(typed name: String, as role: GraphSnapshot.Role) throws -> GraphPort? {
        try only(graph.port(typed: name, as: role), named: name)
    }

    /// - Throws: ``PipeBusError`` `unknownPort`, and `invalidArgument` for a port that can never have the role.
    package func require(typed name: String, as role: GraphSnapshot.Role) throws -> GraphPort {
        if let port = try find(typed: name, as: role) { return port }
        if case .found(let other) = graph.port(typed: name, as: role.opposite) {
            // As it was typed, where that is a whole name.
            let isWhole = graph.port(named: name, as: role.opposite) != .missing
            throw PipeBusError(
                .invalidArgument, message(forMissing: .name(isWhole ? name : graph.uniqueName(of: other)), as: role))
        }
        return try require(.name(name), as: role)
    }

    /// The two ends of a connection, if there is one between ports that the names fit, or else of one that could be.
    ///
    /// - Throws: as ``require(typed:as:)``.
    package func connectedPorts(
        typed source: String, to destination: String
    ) throws -> (source: GraphPort, destination: GraphPort) {
        let found = graph.connectedPorts(typed: source, to: destination)
        return (
            try only(found.source, named: source) ?? require(typed: source, as: .source),
            try only(found.destination, named: destination) ?? require(typed: destination, as: .destination)
        )
    }

    /// The two ends of a connection that is there, between ports that the names fit; `nil` if there is none, or several.
    package func connected(
        typed source: String, to destination: String
    ) -> (source: GraphPort, destination: GraphPort)? {
        guard let ends = try? connectedPorts(typed: source, to: destination) else { return nil }
        let isThere =
            graph.connection(from: ends.source.id, to: ends.destination.id) != nil
            || ends.destination.stalledSources.contains(ends.source.id)
        return isThere ? ends : nil
    }

    /// A source and the receiver that it is connected to, in either order: what is read or set between two connected ports cannot be
    /// another thing. If they are connected both ways, the first is the source.
    ///
    /// - Throws: as ``connectedPorts(typed:to:)`` of the first order.
    package func mixedPorts(
        typed first: String, _ second: String
    ) throws -> (source: GraphPort, destination: GraphPort) {
        if let ends = connected(typed: first, to: second) ?? connected(typed: second, to: first) { return ends }
        return try connectedPorts(typed: first, to: second)
    }

    /// The port that is meant which sound can pass: a PipeBus filter, or a node with inputs and outputs.
    ///
    /// - Throws: as ``require(typed:as:)``, and `invalidArgument` for any other port.
    package func passage(typed name: String) throws -> GraphPort {
        if case .found(let filter) = graph.filter(typed: name) { return filter }
        let port = try find(typed: name, as: .source) ?? require(typed: name, as: .destination)
        guard port.mayPassOn else {
            throw PipeBusError(.invalidArgument, PipeBusError.noPassage(port) + ".")
        }
        return port
    }

    /// The filter that is meant, which can be bypassed.
    ///
    /// - Throws: ``PipeBusError`` `unknownPort`, and `notSupported` for a port that is no PipeBus filter.
    package func filter(typed name: String) throws -> GraphPort {
        if let port = try only(graph.filter(typed: name), named: name) { return port }
        throw missingFilter(name)
    }
}

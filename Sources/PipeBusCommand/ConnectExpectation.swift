// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// What is missing in a graph for a connection between two names. Pure.
struct ConnectExpectation {
    private let source: String
    private let destination: String
    private let graph: GraphSnapshot
    private let isTyped: Bool

    /// - Parameter isTyped: whether a name may be short of the whole one, because nothing waits for another port.
    init(_ source: String, _ destination: String, in graph: GraphSnapshot, isTyped: Bool = false) {
        self.source = source
        self.destination = destination
        self.graph = graph
        self.isTyped = isTyped
    }

    /// The names with which to connect: those of the ports that are there, and as they were given of others.
    ///
    /// - Throws: ``PipeBusError`` for an ambiguous name, and ``ToolFailure`` for one that has the other role alone.
    func names() throws -> (source: String, destination: String) {
        (try name(source, .source), try name(destination, .destination))
    }

    private func name(_ name: String, _ role: GraphSnapshot.Role) throws -> String {
        guard isTyped, graph.port(named: name, as: role) == .missing else { return name }
        if let port = try PortFinder(graph).find(typed: name, as: role) { return graph.uniqueName(of: port) }
        guard exists(name, role.opposite) else { return name }
        return graph.uniqueName(of: try PortFinder(graph).require(typed: name, as: role))
    }

    /// Whether each name could only be the other end.
    private var isReversed: Bool {
        !exists(source, .source) && !exists(destination, .destination) && exists(source, .destination)
            && exists(destination, .source)
    }

    /// - Throws: ``ToolFailure`` if each name could only be the other end: a connection has a direction, and a person may have meant
    ///   another port.
    func checkOrder() throws {
        guard isReversed else { return }
        throw ToolFailure(
            "\(source.quoted) only takes sound and \(destination.quoted) only gives it; name them the other way round, "
                + "the source first.")
    }

    /// The ports that are missing, for a person; `nil` if both are there.
    var missing: String? {
        let phrases = [phrase(source, .source), phrase(destination, .destination)].compactMap { $0 }
        return phrases.isEmpty ? nil : phrases.joined(separator: " and ")
    }

    /// The names that no port has.
    var missingNames: [ConnectWait.Name] {
        [(source, .source), (destination, .destination)].filter { !exists($0.0, $0.1) && !exists($0.0, $0.1.opposite) }
    }

    /// Why two ports that are there may not be connected yet, for a person.
    var reason: String {
        guard let stalled = graph.ports.lazy.flatMap(\.stalledSources).compactMap({ graph.port($0) }).first else {
            return "The two do not answer yet; one of them may be stopped."
        }
        return
            "\(graph.uniqueName(of: stalled).quoted) has stopped answering, and PipeWire may make no link until it does."
    }

    private func phrase(_ name: String, _ role: GraphSnapshot.Role) -> String? {
        guard !exists(name, role) else { return nil }
        guard exists(name, role.opposite) else { return ConnectWait.shown(name, as: role, in: graph) }
        return "\(name.quoted) (which only \(role == .source ? "takes" : "gives") sound now)"
    }

    private func exists(_ name: String, _ role: GraphSnapshot.Role) -> Bool {
        (isTyped ? graph.port(typed: name, as: role) : graph.port(named: name, as: role)) != .missing
    }
}

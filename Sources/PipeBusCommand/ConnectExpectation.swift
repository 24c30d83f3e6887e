// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// What is missing in a graph for a connection between two names. Pure.
struct ConnectExpectation {
    private let source: String
    private let destination: String
    private let graph: GraphSnapshot

    init(_ source: String, _ destination: String, in graph: GraphSnapshot) {
        self.source = source
        self.destination = destination
        self.graph = graph
    }

    /// - Throws: ``ToolFailure`` if each name could only be the other end.
    func checkOrder() throws {
        guard !exists(source, .source), !exists(destination, .destination), exists(source, .destination),
            exists(destination, .source)
        else { return }
        throw ToolFailure(
            "\(source.quoted) only takes sound and \(destination.quoted) only gives it; name them the other way round, "
                + "the source first.")
    }

    /// The ports that are missing, for a person; `nil` if both are there.
    var missing: String? {
        let phrases = [phrase(source, .source), phrase(destination, .destination)].compactMap { $0 }
        return phrases.isEmpty ? nil : phrases.joined(separator: " and ")
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
        guard exists(name, role == .source ? .destination : .source) else { return name.quoted }
        return "\(name.quoted) (it \(role == .source ? "gives" : "takes") no sound now)"
    }

    private func exists(_ name: String, _ role: GraphSnapshot.Role) -> Bool {
        graph.port(named: name, as: role) != .missing
    }
}

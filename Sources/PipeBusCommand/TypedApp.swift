// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// The app that a person named: by its name, its id, or one of its ports. Pure.
enum TypedApp {
    /// - Throws: `ValidationError` for a name of nothing.
    static func checkGiven(_ name: String) throws {
        guard name.contains(where: { !$0.isWhitespace }) else {
            throw ValidationError("The name is empty; give one that `pipebus list --all` shows.")
        }
    }

    /// - Throws: ``ToolFailure``.
    static func find(_ text: String, in graph: GraphSnapshot) throws -> Peer {
        let peers = graph.peers
        let lowered = text.lowercased()
        let tests: [(Peer) -> Bool] = [
            { $0.name == text || $0.applicationID == text },
            { $0.name.lowercased() == lowered || $0.applicationID?.lowercased() == lowered },
        ]
        for test in tests {
            let found = peers.filter(test)
            if found.count == 1 { return found[0] }
            if found.count > 1 { throw severalApps(found, text, in: graph) }
        }
        for role in [GraphSnapshot.Role.source, .destination] {
            if case .found(let port) = graph.port(typed: text, as: role), let peer = graph.peer(of: port) {
                return peer
            }
        }
        let beginning = peers.filter { $0.name.lowercased().hasPrefix(lowered) }
        if beginning.count == 1, !lowered.isEmpty { return beginning[0] }
        let near =
            EditDistance.nearest(to: text, among: peers.map(\.name)).map {
                "; is \($0.quoted) meant? \"pipebus list\" shows all."
            } ?? "."
        throw ToolFailure("There is no app called \(text.quoted)\(near)")
    }

    private static func severalApps(_ apps: [Peer], _ text: String, in graph: GraphSnapshot) -> ToolFailure {
        let ports = apps.compactMap { graph.ports(of: $0.id).first }.map { graph.uniqueName(of: $0).quoted }
        return ToolFailure(
            "\(apps.count) apps are called \(text.quoted); name a port of the one that is meant, such as "
                + "\(ports.prefix(4).joined(separator: " or ")).")
    }
}

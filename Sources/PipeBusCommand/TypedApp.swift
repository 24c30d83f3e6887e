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
        let found = all(text, in: graph)
        guard found.count == 1 else { throw failure(text, found, in: graph) }
        return found[0]
    }

    /// The apps that a name fits equally well. The first comparison that fits any app wins: the whole name or id, a port, the beginning of a
    /// name, that of an id, that of a port.
    ///
    /// - Parameter peers: those that can be meant; `nil` for all.
    static func all(_ text: String, in graph: GraphSnapshot, among peers: [Peer]? = nil) -> [Peer] {
        let whole = whole(text, in: graph, among: peers)
        return whole.isEmpty ? beginning(text, in: graph, among: peers) : whole
    }

    /// The apps of that name or id, or of the port that a name stands for, if need be in upper or lower case.
    static func whole(_ text: String, in graph: GraphSnapshot, among peers: [Peer]? = nil) -> [Peer] {
        let exact = exactly(text, in: graph, among: peers)
        guard exact.isEmpty else { return exact }
        let (name, peers) = (TypedName(text), peers ?? graph.peers)
        let named = peers.filter { name.fits(anyOf: [$0.name, $0.applicationID], .ignoringCase) }
        guard named.isEmpty else { return named }
        return owners(in: graph, among: peers) { port, peer in
            name.fits(anyOf: paths(of: port, peer) + [port.title], .ignoringCase)
        }
    }

    private static func beginning(_ text: String, in graph: GraphSnapshot, among peers: [Peer]?) -> [Peer] {
        let (name, peers) = (TypedName(text), peers ?? graph.peers)
        // The beginning of a patchbay's own name is rarely meant.
        let (withPorts, others) = (
            peers.filter { !graph.ports(of: $0.id).isEmpty }, peers.filter { graph.ports(of: $0.id).isEmpty }
        )
        for peers in [withPorts, others] {
            let found = peers.filter { name.fits($0.name, .beginning) }
            guard found.isEmpty else { return found }
        }
        // "o" is no beginning of all the ids that begin with "org.".
        let ofIDs = text.contains(".") ? peers.filter { name.fits(anyOf: [$0.applicationID], .beginning) } : []
        guard ofIDs.isEmpty else { return ofIDs }
        return owners(in: graph, among: peers) { port, peer in name.fits(anyOf: paths(of: port, peer), .beginning) }
    }

    /// The apps of exactly that name or id, or of the port that a name stands for.
    static func exactly(_ text: String, in graph: GraphSnapshot, among peers: [Peer]? = nil) -> [Peer] {
        let peers = peers ?? graph.peers
        let named = peers.filter { $0.name == text || $0.applicationID == text }
        guard named.isEmpty else { return named }
        let port = graph.port(exactlyNamed: text)?.peer
        return peers.filter { $0.id == port }
    }

    /// A name that finds this app and no other: its own, or that of one of its ports.
    ///
    /// - Parameter peers: those that can be meant; `nil` for all.
    static func name(of peer: Peer, in graph: GraphSnapshot, among peers: [Peer]? = nil) -> String {
        let ports = graph.ports(of: peer.id)
        let names = [peer.name] + ports.map { graph.uniqueName(of: $0) } + ports.map { ":\($0.id.serial)" }
        return names.first { isTypable($0) && all($0, in: graph, among: peers) == [peer] } ?? peer.name
    }

    /// Whether a person can type a name where a command takes one.
    static func isTypable(_ name: String) -> Bool {
        name.utf8.count <= 300 && !name.hasPrefix("-") && name.contains { !$0.isWhitespace }
    }

    /// Why a name does not find one app.
    ///
    /// - Parameter found: the apps that it fits.
    static func failure(
        _ text: String, _ found: [Peer], in graph: GraphSnapshot, among peers: [Peer]? = nil
    ) -> ToolFailure {
        guard !found.isEmpty else {
            let near =
                EditDistance.nearest(to: text, among: (peers ?? graph.peers).map(\.name)).map {
                    "; is \($0.quoted) meant? \"pipebus list\" shows all."
                }
                ?? "; \"pipebus list\" shows those that run, and \"pipebus list --all\" also those that are installed."
            return ToolFailure("There is no app called \(text.quoted)\(near)")
        }
        let names = found.prefix(4).map { name(of: $0, in: graph, among: peers).quoted }
        let typed = TypedName(text)
        guard found.allSatisfy({ typed.fits(anyOf: [$0.name, $0.applicationID], .ignoringCase) }) else {
            return ToolFailure("\(text.quoted) could be any of \(names.joined(separator: ", ")); say which.")
        }
        return ToolFailure(
            "\(found.count) apps are called \(text.quoted); name a port of the one that is meant, such as "
                + "\(names.joined(separator: " or ")).")
    }

    private static func owners(
        in graph: GraphSnapshot, among peers: [Peer], of fits: (GraphPort, Peer) -> Bool
    ) -> [Peer] {
        peers.filter { peer in graph.ports(of: peer.id).contains { fits($0, peer) } }
    }

    private static func paths(of port: GraphPort, _ peer: Peer) -> [String] {
        [port.nodeName]
            + [peer.name, peer.applicationID].compactMap(\.self).flatMap { app in
                [port.name, port.title].flatMap { ["\(app):\($0)", "\(app)/\($0)"] }
            }
    }
}

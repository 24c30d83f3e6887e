// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// How a port's connections stand.
///
/// - Thread: any. A value.
public struct PortState: Sendable, Hashable {
    /// Ports connected straight to its inputs; none for a sender.
    public let sources: [GraphPort]
    /// All that its sound may come from; see ``ConnectionGraph/GraphSnapshot/sourcesRecursive(of:)``.
    public let sourcesRecursive: [GraphPort]
    /// Where its sound begins, in a few words for a person; empty when nothing is connected.
    public let sourcesTitle: String
    /// Ports connected straight to its outputs; none for a receiver.
    public let destinations: [GraphPort]
    /// All that its sound may come to; see ``ConnectionGraph/GraphSnapshot/destinationsRecursive(of:)``.
    public let destinationsRecursive: [GraphPort]
    /// Where its sound ends up, in a few words for a person; empty when it goes nowhere.
    public let destinationsTitle: String
    /// Whether somebody downstream is known to play what it gives.
    public let isPlayed: Certainty
    /// Whether what it gives comes back to its app, or what it takes came from there. ``ConnectionGraph/Certainty/unknown``
    /// through a node that was not made with PipeBus.
    public let selfConnection: Certainty
    /// Its sound is being recorded while it is given, here or in what is before it.
    public let isFromLiveSource: Bool

    /// A filter passes on what it takes; the app, or somebody else, has asked for it.
    public let isBypassed: Bool

    /// Something is connected to it, on either side.
    public var isConnected: Bool { !sources.isEmpty || !destinations.isEmpty }
    /// Somebody else plays the port's sound, so the app should mute its own output of it. The port must go on giving it.
    public var shouldMuteLocalOutput: Bool { isPlayed == .yes }
    /// What it gives comes back to its app, or what it takes came from there, straight or through PipeBus filters.
    public var isConnectedToSelf: Bool { selfConnection == .yes }

    /// Of a port that is in no graph.
    static var disconnected: PortState {
        PortState(
            of: GraphPort.ID(serial: .max), in: GraphSnapshot(revision: 0, peers: [], ports: [], connections: []))
    }

    init(of id: GraphPort.ID, in snapshot: GraphSnapshot) {
        self.init(of: id, in: snapshot, heard: snapshot.withoutSilenced(by: snapshot.forbiddenReturns()))
    }

    /// - Parameter heard: the same graph without what is silent in it.
    init(of id: GraphPort.ID, in snapshot: GraphSnapshot, heard: GraphSnapshot) {
        sources = snapshot.sources(of: id)
        sourcesRecursive = snapshot.sourcesRecursive(of: id)
        sourcesTitle = snapshot.sourcesTitle(of: id)
        destinations = snapshot.destinations(of: id)
        destinationsRecursive = snapshot.destinationsRecursive(of: id)
        destinationsTitle = snapshot.destinationsTitle(of: id)
        isPlayed = heard.comesToListener(id)
        selfConnection = snapshot.isConnectedToSelf(id)
        isFromLiveSource = snapshot.isFromLiveSource(id)
        isBypassed = snapshot.port(id)?.isBypassed ?? false
    }
}

// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// The state of a port's connections.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct PortState: Sendable, Hashable {
    /// Ports connected directly to the port's inputs; none for a sender.
    public let sources: [GraphPort]
    /// All ports that the port's sound may come from; see ``ConnectionGraph/GraphSnapshot/sourcesRecursive(of:)``.
    public let sourcesRecursive: [GraphPort]
    /// The origins of the port's sound, in a few words for a person; empty without a connection.
    public let sourcesTitle: String
    /// Ports connected directly to the port's outputs; none for a receiver.
    public let destinations: [GraphPort]
    /// All ports that the port's sound may come to; see ``ConnectionGraph/GraphSnapshot/destinationsRecursive(of:)``.
    public let destinationsRecursive: [GraphPort]
    /// The destinations of the port's sound, in a few words for a person; empty without a connection.
    public let destinationsTitle: String
    /// Whether the port's sound is known to be played downstream.
    public let isPlayed: Certainty
    /// Whether the port's sound comes back to its app, or its input came from its app.
    /// ``ConnectionGraph/Certainty/unknown`` through a node that was not made with PipeBus.
    public let selfConnection: Certainty
    /// Whether the port's sound is recorded while it is sent, at the port or upstream of it.
    public let isFromLiveSource: Bool

    /// Whether a filter is bypassed, by its app or by another one.
    public let isBypassed: Bool

    /// Whether the port has a connection, on either side.
    public var isConnected: Bool { !sources.isEmpty || !destinations.isEmpty }
    /// Whether the port's sound is known to be played downstream, so that the app should mute its own output of it. The
    /// port must go on sending.
    public var shouldMuteLocalOutput: Bool { isPlayed == .yes }
    /// Whether the port's sound comes back to its app, or its input came from its app, directly or through PipeBus
    /// filters.
    public var isConnectedToSelf: Bool { selfConnection == .yes }

    /// The state of a port that is in no graph.
    static var disconnected: PortState {
        PortState(
            of: GraphPort.ID(serial: .max), in: .empty)
    }

    init(of id: GraphPort.ID, in snapshot: GraphSnapshot) {
        self.init(of: id, in: snapshot, heard: snapshot.withoutSilenced(by: snapshot.forbiddenReturns()))
    }

    /// - Parameter heard: the same graph without its silenced connections.
    init(of id: GraphPort.ID, in snapshot: GraphSnapshot, heard: GraphSnapshot) {
        sources = snapshot.sources(of: id)
        sourcesRecursive = snapshot.sourcesRecursive(of: id)
        sourcesTitle = snapshot.sourcesTitle(of: id)
        destinations = snapshot.destinations(of: id)
        destinationsRecursive = snapshot.destinationsRecursive(of: id)
        destinationsTitle = snapshot.destinationsTitle(of: id)
        isPlayed = heard.reachesListener(id)
        selfConnection = snapshot.isConnectedToSelf(id)
        isFromLiveSource = snapshot.isFromLiveSource(id)
        isBypassed = snapshot.port(id)?.isBypassed ?? false
    }
}

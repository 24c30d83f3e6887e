// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// What is connected to one lane of a receiver: usually one port of another app.
///
/// - Thread: any. A value: how things stood when it was asked for.
public struct Source: Sendable, Identifiable {
    /// The port in the graph, for as long as it is there. Its ``ConnectionGraph/GraphPort/ID/serial`` is PipeWire's.
    public var id: GraphPort.ID { port.id }
    /// Who it is over time: the same when it comes back, and after a restart.
    public let identity: SourceIdentity
    /// The app that owns the port; `nil` for the daemon's own, such as devices.
    public let peer: Peer?
    /// The port; of several on one lane, the one that was there first.
    public let port: GraphPort
    /// The others, if somebody has linked several ports to the lane; their sum is all that can be had.
    public let others: [GraphPort]
    /// Its place: the lane, from 0. It keeps it while others come and go.
    public let lane: Int
    /// 1 for a mono source, on however many channels it lies; the lane's channels otherwise.
    public let channelCount: Int
    /// How old its sound is when it arrives, as the ports on its way declare it.
    public let latencyRange: ClosedRange<Latency>
    /// How long it waits here for slower ones; also for one that has gone, until the receiver gives its latency
    /// up (``Alignment``).
    public let delay: Latency
    /// It shares its timestamp with all other aligned sources. False for all at a receiver that does not align, and for
    /// one that is older than the receiver's capacity.
    public let isAligned: Bool
    /// How it is mixed. The default at a receiver of separate streams, which does not mix.
    public let level: SourceLevel
    /// What the app has hung on it; see ``ReceiverPort/setContext(_:for:)``.
    public let context: (any Sendable)?
    /// What the app has set with ``ReceiverPort/setTag(_:for:)``; 0 unless it has.
    public let tag: UInt64
    /// It is being recorded while it is given, as by a microphone, here or in what is before it: played nearby, it howls.
    public let isFromLiveSource: Bool
    /// Whether it brings what came from this app, which is not heard unless the app allows it.
    /// ``ConnectionGraph/Certainty/unknown`` through a node that was not made with PipeBus: then it is heard.
    public let isFromSelf: Certainty

    /// What people see of it.
    public var title: String { port.title }
    /// The app's icon in the icon theme.
    public var iconName: String? { peer?.iconName }
    /// Made with PipeBus, or any other node.
    public var isPipeBus: Bool { port.isPipeBus }
    /// Several ports are linked to the lane.
    public var isShared: Bool { !others.isEmpty }
    /// How old its sound is when it arrives: the largest where a range is declared.
    public var latency: Latency { latencyRange.upperBound }
    /// Only a range is declared, so it may be misaligned by the rest of it.
    public var isLatencyUncertain: Bool { latencyRange.lowerBound < latencyRange.upperBound }

    /// Whether anything but the context is another.
    func differs(from other: Source) -> Bool {
        identity != other.identity || peer != other.peer || port != other.port || others != other.others
            || lane != other.lane || channelCount != other.channelCount || latencyRange != other.latencyRange
            || isFromLiveSource != other.isFromLiveSource || isFromSelf != other.isFromSelf || delay != other.delay
            || tag != other.tag || isAligned != other.isAligned || level != other.level
    }
}

/// Its port; of several on one lane, the one that was there first.
extension Source: PortDesignator {
    public var portDesignation: PortDesignation { .id(id) }
}

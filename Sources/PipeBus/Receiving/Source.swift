// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// The source on one lane of a receiver: usually one port of another app.
///
/// - Thread: any. A value, of the moment of the call.
/// - Realtime: unsafe.
public struct Source: Sendable, Identifiable {
    /// The port's identity while it exists. Its ``ConnectionGraph/GraphPort/ID/serial`` is PipeWire's.
    public var id: GraphPort.ID { port.id }
    /// The source's identity over time, which survives reconnections and restarts.
    public let identity: Identity
    /// The app that owns the port; `nil` for the daemon's own, such as devices.
    public let peer: Peer?
    /// The source's port; of several on one lane, the first.
    public let port: GraphPort
    /// The lane's other ports, if another program has linked several to it. Only their sum can be received.
    public let others: [GraphPort]
    /// The source's lane, from 0. It stays when other sources are connected or disconnected.
    public let lane: Int
    /// The number of the source on its lane, by which a process block knows it (``ReceivedSource/sourceGeneration``): lane and
    /// number together are never used again at this receiver, not even after a restart of the daemon, unlike ``id``.
    public let sourceGeneration: UInt64
    /// 1 for a mono source that is linked to all channels of the lane; the lane's channels otherwise. Until its last link is there, a
    /// mono source counts as one of all channels.
    public let channelCount: Int
    /// The age of the sound on arrival, as the ports upstream declare it.
    public let latencyRange: ClosedRange<Latency>
    /// The source's delay in the receiver, to align it with slower sources. It stays after a slower source is gone
    /// until the receiver gives its latency up (``Alignment``).
    public let delay: Latency
    /// Whether the source shares its timestamp with all other aligned sources.
    ///
    /// False for every source of a receiver that does not align, for a source older than the receiver's capacity, and at a filter's
    /// auxiliary input for sound that may come from the filter.
    public let isAligned: Bool
    /// How the source is mixed. At a receiver of separate streams, which does not mix, it is the default.
    public let level: Level
    /// The app's value for the source; see ``ReceiverPort/setContext(_:for:)``.
    public let context: (any Sendable)?
    /// The app's number for the source, set with ``ReceiverPort/setTag(_:for:)``; 0 by default.
    public let tag: UInt64
    /// Whether the sound is recorded while it is sent, as by a microphone, at the source or upstream of it. Played near
    /// the microphone, such sound causes acoustic feedback.
    public let isFromLiveSource: Bool
    /// Whether the sound came from this app. Then it is not heard unless the app allows it.
    ///
    /// ``ConnectionGraph/Certainty/unknown`` through a node that was not made with PipeBus: then it is heard.
    public let isFromSelf: Certainty
    /// Whether the source has stopped answering and was disconnected until it answers, so that other sources go on. It keeps
    /// its lane, mix level and tag, is silent, and is connected again when it answers.
    public let isStalled: Bool

    /// The name shown to people.
    public var title: String { port.title }
    /// The app's icon in the icon theme.
    public var iconName: String? { peer?.iconName }
    /// Whether the port was made with PipeBus.
    public var isPipeBus: Bool { port.isPipeBus }
    /// Whether several ports are linked to the lane.
    public var isShared: Bool { !others.isEmpty }
    /// The age of the sound on arrival: the largest where a range is declared.
    public var latency: Latency { latencyRange.upperBound }
    /// Whether only a range is declared. Then the source may be misaligned by the extent of the range.
    public var isLatencyUncertain: Bool { latencyRange.lowerBound < latencyRange.upperBound }

    /// Whether any property but the context differs.
    func differs(from other: Source) -> Bool {
        identity != other.identity || peer != other.peer || port != other.port || others != other.others
            || lane != other.lane || sourceGeneration != other.sourceGeneration || channelCount != other.channelCount
            || latencyRange != other.latencyRange
            || isFromLiveSource != other.isFromLiveSource || isFromSelf != other.isFromSelf || delay != other.delay
            || isStalled != other.isStalled || tag != other.tag || isAligned != other.isAligned || level != other.level
    }
}

/// Designates the source's port; of several on one lane, the first.
extension Source: PortDesignator {
    public var portDesignation: PortDesignation { .id(id) }
}

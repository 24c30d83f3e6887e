// SPDX-License-Identifier: MIT

/// The direction of a port's sound: out, through, or in.
///
/// - Thread: any.
/// - Realtime: unsafe.
public enum PortKind: String, Sendable, Hashable, Codable, CaseIterable {
    case sender, filter, receiver
}

/// A port in the graph, of a PipeBus app or of any other: one PipeWire node with its channels.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct GraphPort: Sendable, Hashable, Identifiable {
    /// The identity of a port while it exists. It is never used again for another port.
    public struct ID: Sendable, Hashable, Comparable {
        /// PipeWire's `object.serial` of the node.
        public let serial: UInt64

        /// - Realtime: safe.
        @_noLocks
        package init(serial: UInt64) { self.serial = serial }

        /// The id that another process has written: digits alone, as PipeWire writes a serial.
        package init?(text: some StringProtocol) {
            guard let serial = UInt64(text), "\(serial)" == text else { return nil }
            self.serial = serial
        }

        public static func < (left: Self, right: Self) -> Bool { left.serial < right.serial }
    }

    /// One channel of a port: one PipeWire port.
    public struct Channel: Sendable, Hashable {
        /// PipeWire's name of the channel, as `pw-link` shows it after the colon.
        public let name: String
        /// `audio.channel`, such as "FL", "MONO" or "AUX0".
        public let position: String?
        /// What the channel carries.
        public let medium: Medium
        /// Whether the channel is a monitor of a device: it gives the sound that the device plays.
        public let isMonitor: Bool
        /// Global id, reused by the daemon after the channel is gone.
        package let id: UInt32

        package init(name: String, position: String?, medium: Medium = .audio, isMonitor: Bool, id: UInt32) {
            self.name = name
            self.position = position
            self.medium = medium
            self.isMonitor = isMonitor
            self.id = id
        }
    }

    public let id: ID
    /// The kind that the app declared with PipeBus. Other ports have it from their channels: outputs only, both, or
    /// inputs only. The audio channels decide where there are some.
    public let kind: PortKind
    /// The app that owns the port; `nil` for the daemon's own, such as devices.
    public let peer: Peer.ID?
    /// `node.name`: stable over restarts. Nodes that were not made with PipeBus may share one; see ``GraphSnapshot/uniqueName(of:)``.
    public let nodeName: String
    /// The name the app gave it with PipeBus, unique within the app; `node.name` for others.
    public let name: String
    /// The name shown to people. It may change while the port exists.
    public let title: String
    /// The port's icon in the icon theme: with PipeBus its own, or that of its app. It may change while the port exists.
    public let iconName: String?
    /// Audio channels that can be connected onwards, in order.
    public let outputs: [Channel]
    /// Audio channels that can be connected to, in order; those of all lanes for a PipeBus receiver.
    public let inputs: [Channel]
    /// Channels that carry something else than sound, such as MIDI, in order.
    let otherOutputs: [Channel]
    let otherInputs: [Channel]
    /// Whether the port was made with PipeBus.
    public let isPipeBus: Bool
    /// Whether the port is a device, real or virtual: a sound card, a MIDI interface, a camera.
    public let isDevice: Bool
    /// Whether the port is a device that plays its input.
    public let isOutputDevice: Bool
    /// Whether the port is a PipeBus receiver whose app plays its input.
    public let isMonitoring: Bool
    /// Whether it does so by itself, because nobody else plays it.
    package let isMonitoringAutomatically: Bool
    /// Whether the port is a PipeBus receiver that hands over its sources one by one. It does not mix them, and they
    /// have no levels.
    public let isSeparate: Bool
    /// Whether the port's sound is recorded while it is sent, as by a microphone: a device's input, or a PipeBus sender
    /// marked so.
    ///
    /// See ``GraphSnapshot/isFromLiveSource(_:)`` for ports that get such sound through others.
    public let isLiveSource: Bool
    /// The latency that a PipeBus port adds, in frames at the graph's rate, as its app declares it: 0 to 1,048,576. For a sender that
    /// follows a receiver, with that of the receiver's sound. `nil` for other ports, which declare theirs in other ways.
    ///
    /// See ``GraphSnapshot/latencies`` for the latencies of paths.
    public let latency: Int?
    /// Whether the port is a PipeBus filter that is bypassed: its output is its input.
    public let isBypassed: Bool
    /// The sources of a PipeBus receiver or filter that hang: it has disconnected them, and connects them again when they answer.
    public let stalledSources: [ID]
    /// The longest list of them.
    package static let stalledSourceLimit = 64
    /// Whether ports of its app may be connected to each other. Only PipeBus apps publish this.
    public let allowsConnectionsToSelf: Bool
    /// The port's place in the order in which its app added ports, from 0.
    public let order: Int
    /// Channels of one source at a PipeBus receiver; `inputs.count` for others.
    public let laneWidth: Int
    /// The filter of its app whose auxiliary input a PipeBus receiver is, such as the key of a compressor, by name. An app's name
    /// means its other ports.
    public let auxiliaryOf: String?
    /// The receiver of the same app that a sender's sound comes from, by name, if the app declares one.
    package let followedReceiver: String?
    /// Global id of the node, reused by the daemon after the node is gone.
    package let nodeID: UInt32
    /// Whether all processes of its application id are one app.
    package let isOneAppAcrossProcesses: Bool

    package init(
        id: ID, kind: PortKind, peer: Peer.ID?, nodeName: String, name: String, title: String, iconName: String? = nil,
        outputs: [Channel], inputs: [Channel], otherOutputs: [Channel] = [], otherInputs: [Channel] = [],
        isPipeBus: Bool, isDevice: Bool,
        isOutputDevice: Bool, isMonitoring: Bool,
        isMonitoringAutomatically: Bool, isSeparate: Bool, isLiveSource: Bool, latency: Int? = nil, isBypassed: Bool,
        stalledSources: [ID],
        allowsConnectionsToSelf: Bool, isOneAppAcrossProcesses: Bool, order: Int,
        laneWidth: Int, auxiliaryOf: String?, followedReceiver: String?, nodeID: UInt32
    ) {
        self.id = id
        self.kind = kind
        self.peer = peer
        self.nodeName = nodeName
        self.name = name
        self.title = title
        self.iconName = iconName
        self.outputs = outputs
        self.inputs = inputs
        self.otherOutputs = otherOutputs
        self.otherInputs = otherInputs
        self.isPipeBus = isPipeBus
        self.isDevice = isDevice
        self.isOutputDevice = isOutputDevice
        self.isMonitoring = isMonitoring
        self.isMonitoringAutomatically = isMonitoringAutomatically
        self.isSeparate = isSeparate
        self.isLiveSource = isLiveSource
        self.latency = latency
        self.isBypassed = isBypassed
        self.stalledSources = stalledSources
        self.allowsConnectionsToSelf = allowsConnectionsToSelf
        self.isOneAppAcrossProcesses = isOneAppAcrossProcesses
        self.order = order
        self.laneWidth = laneWidth
        self.auxiliaryOf = auxiliaryOf
        self.followedReceiver = followedReceiver
        self.nodeID = nodeID
    }

    /// The outputs that carry a medium, in order.
    public func outputs(of medium: Medium) -> [Channel] {
        medium == .audio ? outputs : otherOutputs.filter { $0.medium == medium }
    }

    /// The inputs that carry a medium, in order.
    public func inputs(of medium: Medium) -> [Channel] {
        medium == .audio ? inputs : otherInputs.filter { $0.medium == medium }
    }

    /// The media of its channels. Never empty.
    public var media: Set<Medium> { Set((outputs + inputs + otherOutputs + otherInputs).map(\.medium)) }

    /// The number of sources that the port keeps apart: 1 unless it is a PipeBus receiver.
    public var laneCount: Int { laneWidth > 0 ? max(inputs.count / laneWidth, 1) : 0 }

    /// Whether the port has a level for each of its sources: a PipeBus receiver that mixes them.
    package var keepsLevels: Bool { isPipeBus && kind == .receiver && !isSeparate }
    /// Whether the port is known to pass its input on: a filter made with PipeBus.
    var isTransparent: Bool { isPipeBus && kind == .filter }
    /// Whether the port has inputs and outputs, so that it may pass its input on.
    package var mayPassOn: Bool { !inputs.isEmpty && !outputs.isEmpty }
}

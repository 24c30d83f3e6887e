// SPDX-License-Identifier: MIT

/// What a port does with sound.
public enum PortKind: String, Sendable, Hashable, Codable, CaseIterable {
    case sender, filter, receiver
}

/// A port in the graph, of a PipeBus app or of any other: one PipeWire node with its audio channels.
///
/// - Thread: any. A value.
public struct GraphPort: Sendable, Hashable, Identifiable {
    /// Names a port for as long as it is there; never used again for another one.
    public struct ID: Sendable, Hashable, Comparable {
        /// PipeWire's `object.serial` of the node.
        public let serial: UInt64

        /// - Realtime: safe.
        @_noLocks
        package init(serial: UInt64) { self.serial = serial }

        public static func < (left: Self, right: Self) -> Bool { left.serial < right.serial }
    }

    /// One audio channel of a port: one PipeWire port.
    public struct Channel: Sendable, Hashable {
        /// PipeWire's name of it, as `pw-link` shows it after the colon.
        public let name: String
        /// `audio.channel`, such as "FL", "MONO" or "AUX0".
        public let position: String?
        /// A monitor of a device: it gives what the device is being fed.
        public let isMonitor: Bool
        /// Global id, reused by the daemon after the channel is gone.
        package let id: UInt32

        package init(name: String, position: String?, isMonitor: Bool, id: UInt32) {
            self.name = name
            self.position = position
            self.isMonitor = isMonitor
            self.id = id
        }
    }

    public let id: ID
    /// As its app declared it with PipeBus; for others by their channels: outputs only, both, or inputs only.
    public let kind: PortKind
    /// The app that owns the port; `nil` for the daemon's own, such as devices.
    public let peer: Peer.ID?
    /// `node.name`: stable over restarts, unique among the ports that are there.
    public let nodeName: String
    /// The name the app gave it with PipeBus, unique within the app; `node.name` for others.
    public let name: String
    /// What people see; may change while the port is there.
    public let title: String
    /// Channels that can be connected onwards, in order.
    public let outputs: [Channel]
    /// Channels that can be connected to, in order; those of all lanes for a PipeBus receiver.
    public let inputs: [Channel]
    /// Made with PipeBus.
    public let isPipeBus: Bool
    /// A sound card or a virtual one.
    public let isDevice: Bool
    /// A device that plays what it is given.
    public let isOutputDevice: Bool
    /// A PipeBus receiver whose app plays what it receives.
    public let isMonitoring: Bool
    /// A PipeBus receiver that hands over its sources one by one: it does not mix them, and they have no levels.
    public let isSeparate: Bool
    /// What the port gives is recorded while it is given, as by a microphone: a device's input, or a PipeBus sender that
    /// says so. See ``GraphSnapshot/isFromLiveSource(_:)`` for what is behind it.
    public let isLiveSource: Bool
    /// A PipeBus filter that passes on what it takes, and does nothing else.
    public let isBypassed: Bool
    /// Ports of its app may be connected to each other; only PipeBus apps say so.
    public let allowsConnectionsToSelf: Bool
    /// The port's place in the order in which its app added ports, from 0.
    public let order: Int
    /// Channels of one source at a PipeBus receiver; `inputs.count` for others.
    public let laneWidth: Int
    /// The name of the receiver of its app that a sender's sound comes from, as far as the app says.
    package let followedReceiver: String?
    /// Global id of the node, reused by the daemon after the node is gone.
    package let nodeID: UInt32
    /// All processes of its application id are one app.
    package let isOneAppAcrossProcesses: Bool

    package init(
        id: ID, kind: PortKind, peer: Peer.ID?, nodeName: String, name: String, title: String, outputs: [Channel],
        inputs: [Channel], isPipeBus: Bool, isDevice: Bool, isOutputDevice: Bool, isMonitoring: Bool,
        isSeparate: Bool, isLiveSource: Bool, isBypassed: Bool, allowsConnectionsToSelf: Bool,
        isOneAppAcrossProcesses: Bool, order: Int,
        laneWidth: Int, followedReceiver: String?, nodeID: UInt32
    ) {
        self.id = id
        self.kind = kind
        self.peer = peer
        self.nodeName = nodeName
        self.name = name
        self.title = title
        self.outputs = outputs
        self.inputs = inputs
        self.isPipeBus = isPipeBus
        self.isDevice = isDevice
        self.isOutputDevice = isOutputDevice
        self.isMonitoring = isMonitoring
        self.isSeparate = isSeparate
        self.isLiveSource = isLiveSource
        self.isBypassed = isBypassed
        self.allowsConnectionsToSelf = allowsConnectionsToSelf
        self.isOneAppAcrossProcesses = isOneAppAcrossProcesses
        self.order = order
        self.laneWidth = laneWidth
        self.followedReceiver = followedReceiver
        self.nodeID = nodeID
    }

    /// How many sources the port can keep apart: 1 unless it is a PipeBus receiver.
    public var laneCount: Int { laneWidth > 0 ? max(inputs.count / laneWidth, 1) : 0 }

    /// Known to give what it takes: a filter made with PipeBus.
    var isTransparent: Bool { isPipeBus && kind == .filter }
    /// It may give what it takes, for all that we know.
    var mayPassOn: Bool { !inputs.isEmpty && !outputs.isEmpty }
}

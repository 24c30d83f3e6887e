// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient
import RealtimeKit
import Synchronization

/// One of the client's ports while it is in the graph. Confined to the loop.
final class LivePort {
    let declared: DeclaredPort
    let nodeName: String
    let node: FilterNode
    let id: GraphPort.ID
    let nodeID: UInt32
    let channels: PortChannels
    /// The control of a receiver's lanes; `nil` for other ports.
    let receiver: ReceiverControl?
    let links: PortLinks
    let latencies: PathLatencies
    private(set) var title: String
    /// Whether another program has removed a channel. The port is about to be made again.
    private(set) var hasLostChannel = false
    /// Whether the receiver's monitor plays its mix.
    private var monitorsAutomatically = false
    /// Lanes on which the app's own sound comes back although the app does not allow that.
    private var blockedLanes = LaneSet()
    /// Whether sources of the filter's input are being exchanged.
    private var isTapping = false
    /// The last published state.
    private var state: PortState?

    init(
        _ declared: DeclaredPort, nodeName: String, title: String, node: FilterNode, id: GraphPort.ID, nodeID: UInt32,
        inputs: [UInt32], outputs: [UInt32]
    ) {
        self.declared = declared
        let declaration = declared.declaration
        self.nodeName = nodeName
        self.title = title
        self.node = node
        self.id = id
        self.nodeID = nodeID
        channels = PortChannels(inputs: inputs, outputs: outputs, laneWidth: declaration.laneWidth)
        links = PortLinks(laneCount: max(declaration.laneCount, 1))
        latencies = PathLatencies(of: node, declaration)
        receiver = declared.memory.receiver.map { memory in
            ReceiverControl(
                memory: memory, laneCount: declaration.laneCount, width: declaration.laneWidth,
                alignment: declaration.alignment, fade: declaration.fade, panLaw: declaration.panLaw,
                sourceCounts: declared.sourceCounts, sourceValues: declared.sourceValues)
        }
    }

    var declaration: PortDeclaration { declared.declaration }
    var name: String { declaration.name }
    var kind: PortKind { declaration.kind }
    var streams: PortStreams { declared.handle.streams }
    var memory: PortMemory { declared.memory }
    /// The graph's sample rate, in hertz, as far as it is known; 0 otherwise.
    var sampleRate: Int { memory.cells.sampleRate }

    func channelWasLost() { hasLostChannel = true }

    // MARK: Properties

    func setProperties(_ properties: [(key: String, value: String)]) throws {
        do throws(PipeWireError) {
            for property in properties { try node.setProperty(property.key, to: property.value) }
        } catch {
            throw PipeBusError(error)
        }
    }

    func setTitle(_ title: String) throws {
        try Names.check(text: title, what: "A title")
        try setProperties([("node.description", title), ("media.name", title)])
        self.title = title
        declared.change { $0.title = title }
    }

    /// - Parameter appIconName: the icon of the app, which stands for that of a port without one.
    func setIconName(_ iconName: String?, appIconName: String?) throws {
        try setProperties([("media.icon-name", iconName ?? appIconName ?? "")])
        declared.change { $0.iconName = iconName }
    }

    func publish(_ flag: PortFlag, _ value: Bool) throws {
        let isAlsoTrue = flag.property == PortFlag.isMonitoring.property && monitorsAutomatically
        try setProperties([(flag.property, value || isAlsoTrue ? "true" : "false")])
        declared.change { $0[keyPath: flag.declaration] = value }
    }

    /// Publishes whether a receiver's monitor plays its mix. Idempotent.
    func setMonitorsAutomatically(_ monitorsAutomatically: Bool) throws {
        guard monitorsAutomatically != self.monitorsAutomatically else { return }
        self.monitorsAutomatically = monitorsAutomatically
        try setProperties([
            (PipeBusProperty.monitors, monitorsAutomatically || declaration.isMonitoring ? "true" : "false"),
            (PipeBusProperty.monitorsAutomatically, monitorsAutomatically ? "true" : "false"),
        ])
    }

    // MARK: States

    /// Blocks exactly these lanes.
    ///
    /// - Returns: whether that is a change.
    func block(_ lanes: LaneSet) -> Bool {
        guard lanes != blockedLanes else { return false }
        blockedLanes = lanes
        receiver?.setBlocked(lanes)
        return true
    }

    /// - Returns: whether that is a change.
    func setState(_ state: PortState) -> Bool {
        guard state != self.state else { return false }
        self.state = state
        return true
    }

    /// Publishes to the audio thread whether a tap is beside the filter's input. Idempotent.
    func setTapping(_ isTapping: Bool) {
        guard isTapping != self.isTapping else { return }
        self.isTapping = isTapping
        publishStatus()
    }

    /// Whether PipeWire has a reason to run the port.
    var isActive: Bool { declaration.keepsRunning || (kind == .receiver ? links.hasIncoming : links.hasOutgoing) }

    /// Publishes the state of the links to the audio thread and to the port's object.
    func publishStatus() {
        // A receiver silences its blocked lanes itself: its block continues to run, and can read the reason.
        let isLinked = (0..<links.laneCount).contains { lane in
            links.isLinked(lane: lane) && (receiver != nil || !blockedLanes.contains(lane))
        }
        let keepsReceiving = receiver != nil && declaration.keepsRunning
        let status = makeStatus()
        let core = memory.core
        let wasActive =
            kind == .receiver
            ? core.value.isLinked.load(ordering: .relaxed) : core.value.loadStatus().has(.runs)
        // The epoch first: a cycle between the two stores must not count the time before as missed.
        if !wasActive, kind == .receiver ? isLinked || keepsReceiving : status.has(.runs) {
            core.value.connectionEpoch.add(1, ordering: .relaxed)
        }
        core.value.isLinked.store(isLinked || keepsReceiving, ordering: .releasing)
        core.value.status.store(status.rawValue, ordering: .releasing)
        declared.handle.status.set(status)
    }

    private func makeStatus() -> PortStatus {
        var status = PortStatus(rawValue: 0)
        if kind != .receiver, isActive { status.insert(.runs) }
        if links.hasOutgoing || links.hasIncoming { status.insert(.isConnected) }
        if !channels.outputs.isEmpty, links.linkedOutputCount == channels.outputs.count {
            status.insert(.isFullyConnected)
        }
        if state?.isConnectedToSelf == true { status.insert(.isConnectedToSelf) }
        if state?.shouldMuteLocalOutput == true { status.insert(.shouldMuteLocalOutput) }
        if isBypassed { status.insert(.isBypassed) }
        if isTapping { status.insert(.isTapping) }
        // A bypass that is being released counts, too.
        if let bypass = declared.bypass, !bypass.settle(runs: status.has(.runs)) {
            status.insert(.isBypassing)
        }
        return status
    }

    /// Resets the port's published state to one without connections, because its node is closed: the audio thread does
    /// not use it any more.
    func leaveGraph() {
        let core = memory.core
        // The next node may run before its links are known.
        memory.markDiscontinuous()
        core.value.isLinked.store(false, ordering: .releasing)
        core.value.status.store(0, ordering: .releasing)
        declared.handle.status.set(isBypassed ? .isBypassed : PortStatus(rawValue: 0))
        declared.handle.disappeared()
        if let receiver {
            declared.keep(sourceValues: receiver.sourceValues)
            receiver.leaveGraph()
            declared.keep(sourceCounts: receiver.lanes.map(\.sourceGeneration))
            streams.sendSources { [] }
        }
        streams.states.send(.disconnected)
    }
}

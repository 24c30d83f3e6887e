// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient
import RealtimeKit
import Synchronization

/// One of the client's ports while it is in the graph. Lives on the loop.
final class LivePort {
    let declared: DeclaredPort
    var declaration: PortDeclaration { declared.declaration }
    let nodeName: String
    let node: FilterNode
    var memory: PortMemory { declared.memory }
    /// What only a receiver has.
    let receiver: ReceiverControl?
    let id: GraphPort.ID
    let nodeID: UInt32
    /// Global ids of the ports, in the order in which they were added.
    let inputChannels: [UInt32]
    let outputChannels: [UInt32]
    var title: String
    var lanes: LaneTable
    var announcements = LaneAnnouncements()
    /// The cycle's length and the rate that a receiver's latencies were worked out with.
    var lastCycle = CycleSize(frameCount: 0, sampleRate: 0)
    var latency: LatencyLedger
    /// What the app asked for, which may follow a receiver.
    var wantedLatency: PortLatency { declared.declaration.latency }
    /// What the port's object gives as its latency.
    var ownLatency: OwnLatency { declared.handle.latency }
    var waitingReports = WaitingReports()
    /// So many for each channel come at once where much is connected.
    var latencyRate = RateLimit(burst: 2000, perSecond: 20)
    /// The latency is published a little later.
    var isLatencyDue = false
    private var published: PathLatencyRange?
    private var publishedUpstream: PathLatencyRange?

    /// Links that leave the outputs: their ids, and the channel that each is of.
    var outgoing: [UInt32: UInt32] = [:]
    /// Ids of the links that arrive, with their lanes.
    var incoming: Set<UInt32> = []
    /// What comes back from the app itself.
    var returns = SelfConnectionGuard()
    /// The state that was published last.
    var state: PortState?
    var status: SharedStatus { declared.handle.status }
    var streams: PortStreams { declared.handle.streams }
    var bypass: BypassMemory? { declared.bypass }
    /// While it is on its way back; see ``DaemonSession/pollBypassRelease(of:after:)``.
    var bypassReleaseTimer: LoopTimer?

    init(
        _ declared: DeclaredPort, nodeName: String, title: String, node: FilterNode, id: GraphPort.ID, nodeID: UInt32,
        inputChannels: [UInt32], outputChannels: [UInt32]
    ) {
        self.declared = declared
        let declaration = declared.declaration
        self.nodeName = nodeName
        self.title = title
        self.node = node
        self.id = id
        self.nodeID = nodeID
        self.inputChannels = inputChannels
        self.outputChannels = outputChannels
        lanes = LaneTable(laneCount: max(declaration.laneCount, 1))
        latency = LatencyLedger(own: declaration.latency.ownFrames)
        receiver = declared.memory.receiver.map { memory in
            ReceiverControl(
                memory: memory, laneCount: declaration.laneCount, width: declaration.laneWidth,
                alignment: declaration.alignment, fade: declaration.fade, panLaw: declaration.panLaw,
                sourceCounts: declared.sourceCounts)
        }
    }

    /// The lane and the channel within it of an input port.
    func place(ofInput id: UInt32) -> (lane: Int, channel: Int)? {
        inputChannels.firstIndex(of: id).flatMap { place(ofInputAt: $0) }
    }

    /// The same of the input with a number.
    func place(ofInputAt index: Int) -> (lane: Int, channel: Int)? {
        guard inputChannels.indices.contains(index), declaration.laneWidth > 0 else { return nil }
        return (index / declaration.laneWidth, index % declaration.laneWidth)
    }

    /// Whether a link is on its way out of an input.
    func isLinkLeaving(at key: ReportKey) -> Bool {
        guard key.isInput, let place = place(ofInputAt: key.port) else { return false }
        return lanes.isLeaving(lane: place.lane, channel: place.channel)
    }

    /// How old the sound is that arrives on some channels of a lane.
    func latency(ofLane lane: Int, channels: Set<Int>) -> ClosedRange<Int> {
        latency.upstream(
            ofInputs: channels.map { lane * declaration.laneWidth + $0 },
            cycleLength: memory.receiver?.cycleLength ?? 0, sampleRate: sampleRate)
    }

    /// Tells the audio thread which lanes are linked and whether anybody listens.
    func publishConnections() {
        var isLinked = false
        for lane in 0..<lanes.laneCount where lanes.isLinked(lane: lane) {
            // A receiver silences its lanes by itself. Its block goes on running, and sees why.
            if receiver == nil && returns.isBlocked(lane: lane) { continue }
            isLinked = true
        }
        var status = PortStatus(rawValue: 0)
        if !outgoing.isEmpty { status.insert(.hasDestination) }
        if !outgoing.isEmpty || !incoming.isEmpty { status.insert(.isConnected) }
        if !outputChannels.isEmpty, Set(outgoing.values).count == outputChannels.count {
            status.insert(.isFullyConnected)
        }
        if state?.isConnectedToSelf == true { status.insert(.isConnectedToSelf) }
        if state?.shouldMuteLocalOutput == true { status.insert(.shouldMuteLocalOutput) }
        if isBypassed { status.insert(.isBypassed) }
        // While it is on its way back too.
        if let bypass, !bypass.settle(hasDestination: !outgoing.isEmpty) { status.insert(.isBypassing) }
        let core = memory.core
        let wasActive = isActive(
            isLinked: core.value.isLinked.load(ordering: .relaxed),
            hasDestination: core.value.loadStatus().has(.hasDestination))
        // The epoch first: a cycle between the two stores must not count the time before as missed.
        if !wasActive, isActive(isLinked: isLinked, hasDestination: !outgoing.isEmpty) {
            core.value.connectionEpoch.add(1, ordering: .relaxed)
        }
        core.value.isLinked.store(isLinked, ordering: .releasing)
        core.value.status.store(status.rawValue, ordering: .releasing)
        self.status.set(status)
    }

    var isBypassed: Bool { bypass?.isBypassed ?? false }
    /// A bypass has been ended, and the audio thread is still at it.
    var isReleasingBypass: Bool { bypass.map { !$0.isBypassed && !$0.isIdle } ?? false }

    /// Tells the audio thread whether the filter is bypassed, and with which latency.
    func setBypassed(_ isBypassed: Bool) {
        if bypass == nil {
            guard isBypassed else { return }
            let core = memory.core
            let made = BypassMemory(
                inputCount: core.value.inputCount, outputCount: core.value.outputCount, silence: core.value.silence)
            memory.keep(made)
            declared.bypass = made
        }
        bypass?.set(isBypassed: isBypassed, latency: latency.own)
        publishConnections()
    }

    /// What is passed on is as late as the filter is, and so is the wait on the way back.
    func followLatency() {
        guard let bypass, bypass.isBypassed || isReleasingBypass else { return }
        setBypassed(bypass.isBypassed)
    }

    /// The node is closed: the audio thread is out of it. What the next one begins with is that nothing is connected.
    func leaveGraph() {
        let core = memory.core
        core.value.isLinked.store(false, ordering: .releasing)
        core.value.status.store(0, ordering: .releasing)
        status.set(isBypassed ? .isBypassed : PortStatus(rawValue: 0))
        declared.handle.disappeared()
        if let receiver {
            receiver.leaveGraph()
            declared.sourceCounts = receiver.lanes.map(\.occupancy)
            streams.sources.send([])
        }
        streams.states.send(.disconnected)
    }

    /// PipeWire has a reason to run it.
    var isActive: Bool { declaration.kind == .receiver ? !incoming.isEmpty : !outgoing.isEmpty }

    /// Cycles in which it ran.
    var cycleCount: UInt64 { memory.core.value.cycles.load(ordering: .relaxed) }

    private func isActive(isLinked: Bool, hasDestination: Bool) -> Bool {
        declaration.kind == .receiver ? isLinked : hasDestination
    }

    /// Publishes what this port adds by itself. Its neighbours read ``publishLatency()``, channel by channel.
    func publishOwnLatency() {
        guard declaration.kind != .receiver else { return }
        try? node.setProperty(PipeBusProperty.latency, to: "\(latency.own)")
        try? node.setProcessLatency(frames: latency.own)
    }

    /// Publishes the latency of the path to the neighbours, where there are channels.
    func publishLatency() {
        // A node that is going away cannot publish any more, and need not.
        let downstream = latency.published
        for output in 0..<declaration.outputs where downstream != published {
            try? node.setLatency(portIsInput: false, port: output, isOutputLatency: true, latency: downstream)
        }
        published = downstream
        let upstream = latency.publishedUpstream
        for input in 0..<declaration.inputs where upstream != publishedUpstream {
            try? node.setLatency(portIsInput: true, port: input, isOutputLatency: false, latency: upstream)
        }
        publishedUpstream = upstream
    }

    /// In hertz; 0 before the first cycle.
    var sampleRate: Int { memory.cells.sampleRate }

    var statistics: PortStatistics {
        let core = memory.core
        return PortStatistics(
            cycles: core.value.cycles.load(ordering: .relaxed),
            frames: core.value.frames.load(ordering: .relaxed),
            missedFrames: core.value.missedFrames.load(ordering: .relaxed),
            gaps: core.value.gaps.load(ordering: .relaxed),
            realignments: memory.receiver?.realignments ?? 0, invalidBlocks: memory.receiver?.invalidBlocks ?? 0)
    }
}

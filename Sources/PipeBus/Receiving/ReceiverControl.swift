// SPDX-License-Identifier: MIT
import AudioKernels
import ConnectionGraph
import PipeWireClient
import Synchronization

/// The client's state of a receiver's lanes: their sources, mix levels and latencies. Confined to the loop.
final class ReceiverControl {
    let memory: ReceiverMemory
    let alignment: Alignment
    let fade: Fade
    let panLaw: PanLaw
    let width: Int
    /// The cycle size from which the lanes' latencies follow.
    var cycle: CycleSize?
    private(set) var lanes: [ControlLane]
    private(set) var plan: AlignmentPlan
    /// Incremented with every request to hold no more latency than is needed.
    private var realignmentRequest: UInt64 = 0
    private var lastLatency = 0
    /// The least latency of the aligned lanes, in frames: the age of other sound that they wait for.
    private var leastLatency = 0
    /// By lane.
    private var invalid: [InvalidSampleWatch]
    /// Lanes to which a mono source is being connected on both sides. It counts as mono even while only one side is
    /// linked.
    private var monoLanes: Set<Int> = []
    /// Sources that are held when they come, by serial; see ``SourceExchange``.
    private var heldSources: Set<UInt64> = []
    /// The app's values for sources of the last session that have not come back.
    private var missingValues: [Source.Identity: SourceValues]
    /// Those of sources that were disconnected a moment ago.
    private var recentValues: [Source.Identity: (values: SourceValues, time: ContinuousClock.Instant)] = [:]
    /// The links of a port that another program destroys are removed before the port.
    private static let moment: Duration = .seconds(1)

    init(
        memory: ReceiverMemory, laneCount: Int, width: Int, alignment: Alignment, fade: Fade, panLaw: PanLaw,
        sourceCounts: [UInt64] = [], sourceValues: [Source.Identity: SourceValues] = [:]
    ) {
        missingValues = sourceValues
        self.memory = memory
        self.alignment = alignment
        self.fade = fade
        self.panLaw = panLaw
        self.width = width
        lanes = (0..<laneCount).map { lane in
            ControlLane(sourceGeneration: sourceCounts.indices.contains(lane) ? sourceCounts[lane] : 0)
        }
        invalid = (0..<laneCount).map { lane in
            InvalidSampleWatch(blocks: memory.invalidBlockCount(ofLane: lane))
        }
        plan = AlignmentPlan(latencies: Array(repeating: nil, count: laneCount), capacity: alignment.capacity)
    }

    /// The lane of a source that is connected.
    func lane(of source: GraphPort.ID) -> Int? {
        lanes.firstIndex { $0.linkSummary?.sources.contains(source.serial) == true }
    }

    // MARK: Changes. `publish` hands each to the audio thread.

    /// Updates a lane to its present links.
    ///
    /// - Parameters:
    ///   - facts: looks up a source by its serial.
    ///   - latency: age of the sound on the linked channels on arrival, in frames.
    ///   - level: looks up the remembered mix level of a source.
    func updateLane(
        _ lane: Int, with linkSummary: LaneTable.LinkSummary?, latency: ClosedRange<Int>,
        facts: (UInt64) -> GraphReducer.SourceFacts?, level: (Source.Identity) -> Source.Level
    ) {
        let now = ContinuousClock.now
        if !recentValues.isEmpty {
            recentValues = recentValues.filter { $0.value.time.duration(to: now) < Self.moment }
        }
        guard let linkSummary else {
            // It may be because the port is being destroyed.
            if let (identity, values) = lanes[lane].values { recentValues[identity] = (values, now) }
            return lanes[lane].clear()
        }
        let generation = lanes[lane].sourceGeneration
        let identity = lanes[lane].identity
        lanes[lane].update(
            to: linkSummary, arrival: latency, facts: facts,
            channelCount: { outputs in channelCount(lane, linkSummary, outputs: outputs) }, level: level)
        if lanes[lane].sourceGeneration != generation { lanes[lane].isHeld = heldSources.contains(lanes[lane].source) }
        if lanes[lane].sourceGeneration != generation || lanes[lane].identity != identity {
            restoreValues(ofLane: lane)
        }
    }

    private func restoreValues(ofLane lane: Int) {
        guard let identity = lanes[lane].identity, let values = missingValues.removeValue(forKey: identity) else {
            return
        }
        lanes[lane].context = values.context
        lanes[lane].tag = values.tag
    }

    /// The app's values for sources, to be kept for the next node of the port.
    var sourceValues: [Source.Identity: SourceValues] {
        let now = ContinuousClock.now
        var kept = missingValues
        for (identity, recent) in recentValues where recent.time.duration(to: now) < Self.moment {
            kept[identity] = recent.values
        }
        for lane in lanes { if let (identity, values) = lane.values { kept[identity] = values } }
        return kept
    }

    private func channelCount(_ lane: Int, _ linkSummary: LaneTable.LinkSummary, outputs: Int) -> Int {
        let isOnAll = linkSummary.channels.count == width || monoLanes.contains(lane)
        return isOnAll && linkSummary.outputCount == 1 && outputs == 1 && !linkSummary.isShared ? 1 : width
    }

    /// The sources that are too old to be aligned and have not been reported to the app yet.
    func takeUnaligned() -> [(source: GraphPort.ID, latency: Int)] {
        guard let capacity = alignment.capacity else { return [] }
        return lanes.indices.compactMap { index in
            let latency = lanes[index].latency.upperBound
            let isUnaligned = lanes[index].isLinked && latency > capacity
            defer { lanes[index].isReportedUnaligned = isUnaligned }
            return isUnaligned && !lanes[index].isReportedUnaligned
                ? (GraphPort.ID(serial: lanes[index].source), latency) : nil
        }
    }

    /// The sources of which blocks were silenced for invalid samples, each once; see ``InvalidSampleWatch``.
    func takeInvalidSources(at now: SuspendingClock.Instant) -> [(source: GraphPort.ID, identity: Source.Identity?)] {
        lanes.indices.compactMap { index in
            let lane = lanes[index]
            // First: it makes the generation visible that was stored before it.
            let count = memory.invalidBlockCount(ofLane: index)
            let generation = memory.invalidGeneration(ofLane: index)
            guard invalid[index].look(count, of: generation, at: now) else { return nil }
            return generation == lane.sourceGeneration
                ? (GraphPort.ID(serial: lane.source), lane.identity)
                : (GraphPort.ID(serial: lane.previousSource), lane.previousIdentity)
        }
    }

    func setLevel(_ level: Source.Level, lane: Int) { lanes[lane].level = level }
    func setContext(_ context: (any Sendable)?, lane: Int) { lanes[lane].context = context }
    func setTag(_ tag: UInt64, lane: Int) { lanes[lane].tag = tag }
    func setBlocked(_ blocked: LaneSet) {
        for lane in lanes.indices { lanes[lane].isBlocked = blocked.contains(lane) }
    }
    /// Sets the lanes of an auxiliary input whose sound may come from its filter. Takes effect with ``publish()``.
    ///
    /// - Returns: whether that is a change.
    func setReturning(_ returning: LaneSet) -> Bool {
        var isChange = false
        for lane in lanes.indices where lanes[lane].isReturning != returning.contains(lane) {
            lanes[lane].isReturning.toggle()
            isChange = true
        }
        return isChange
    }
    func beginMono(lane: Int) { monoLanes.insert(lane) }
    func endMono(lane: Int) { monoLanes.remove(lane) }
    func setLeaving(_ isLeaving: Bool, lane: Int) { lanes[lane].isLeaving = isLeaving }
    /// Holds sources silent when they come, until ``setHeld(_:lane:)``.
    func holdWhenConnected(_ sources: some Sequence<UInt64>) { heldSources.formUnion(sources) }
    func endHold(of sources: some Sequence<UInt64>) { heldSources.subtract(sources) }
    func setHeld(_ isHeld: Bool, lane: Int) { lanes[lane].isHeld = isHeld }
    func setStalled(_ isStalled: Bool, lane: Int) { lanes[lane].isStalled = isStalled }

    // MARK: Alignment

    /// The delay of a lane's sound, in frames.
    func delay(ofLane lane: Int) -> Int { plan.delay(ofLane: lane, holding: memory.heldLatency) }

    /// The latency that the sources alone need, in frames.
    var neededLatency: Int { makePlan(leastLatency: 0).latency }

    /// Lets the aligned lanes wait for other sound as well, unless that is older than can be aligned. Takes effect with
    /// ``publish()``.
    ///
    /// - Returns: whether that is a change.
    func setLeastLatency(_ frames: Int) -> Bool {
        defer { leastLatency = frames }
        return frames != leastLatency
    }

    private func makePlan(leastLatency: Int) -> AlignmentPlan {
        AlignmentPlan(
            latencies: lanes.map { $0.isHeard && !$0.isReturning ? $0.latency.upperBound : nil },
            capacity: alignment.capacity,
            leastLatency: leastLatency)
    }

    /// Whether the latency of the receiver's output has changed since the last call.
    func takeLatencyChange() -> Bool {
        let latency = memory.totalLatency
        defer { lastLatency = latency }
        return latency != lastLatency
    }

    /// Requests that held latency that is not needed be given up, although sound jumps. Takes effect with
    /// ``publish()``.
    func requestRealignment() { realignmentRequest &+= 1 }

    // MARK: To the audio thread

    /// Removes all sources, because the node is closed.
    func leaveGraph() {
        for lane in lanes.indices {
            lanes[lane].linkSummary = nil
            lanes[lane].isLeaving = false
            lanes[lane].isBlocked = false
        }
        publish()
    }

    func publish() {
        let wasHeard = !memory.heardLanes.load().isEmpty
        plan = makePlan(leastLatency: leastLatency)
        let isAnySoloed = lanes.contains { $0.isHeard && $0.level.isSoloed }
        let settings = lanes.indices.map { lane in makeSettings(lane, isAnySoloed: isAnySoloed) }
        memory.publish(settings, AlignmentSettings(latency: plan.latency, request: realignmentRequest))
        memory.heardLanes.store(LaneSet(lanes.indices.filter { lanes[$0].isHeard }))
        // The first source finds no held latency. Where sound is still to come, the audio thread stores its own
        // again.
        if !wasHeard { memory.forgetHeldLatency() }
        memory.setLatencies(
            aligned: plan.lanes.contains(where: \.isAligned) ? plan.latency : nil,
            unaligned: lanes.indices.filter { lanes[$0].isHeard && !plan.lanes[$0].isAligned }
                .map { lanes[$0].latency.upperBound }.max())
    }

    private func makeSettings(_ index: Int, isAnySoloed: Bool) -> LaneSettings {
        let planned = plan.lanes[index]
        let lane = lanes[index]
        let gains = lane.gains(width: width, panLaw: panLaw, isAnySoloed: isAnySoloed)
        return LaneSettings(
            isHeard: lane.isHeard, isLeaving: lane.isLeaving, isHeld: lane.isHeld,
            sourceGeneration: lane.sourceGeneration,
            source: lane.source,
            channelCount: lane.channelCount,
            linkedChannels: lane.linkSummary?.channels.reduce(0) { $0 | 1 << UInt64($1) } ?? 0, tag: lane.tag,
            isShared: lane.linkSummary?.isShared ?? false,
            isLatencyUncertain: lane.latency.count > 1, isAligned: planned.isAligned,
            latency: lane.latency.upperBound, left: Float(gains.left), right: Float(gains.right),
            history: lane.sourceGeneration > 0 ? memory.history(ofLane: index) : nil)
    }
}

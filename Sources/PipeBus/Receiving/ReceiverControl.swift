// SPDX-License-Identifier: MIT
import AudioKernels
import ConnectionGraph
import Synchronization

/// What the client keeps of a receiver's lanes: who is on them, how loud and how old they are. Lives on the loop.
final class ReceiverControl {
    /// Who is on a lane, or was last.
    struct Lane {
        var occupation: LaneTable.Occupation?
        /// Grows with every source that comes.
        var occupancy: UInt64 = 0
        /// The source that the lane is called by: of several, the one that was there first.
        var source: UInt64 = 0
        var isLeaving = false
        var identity: SourceIdentity?
        var channelCount = 0
        /// Of the sound as it arrives, in frames.
        var latency = 0...0
        var level = SourceLevel()
        /// It was reported to the app as too old to be aligned.
        var isReportedUnaligned = false
        /// What the app hangs on it.
        var context: (any Sendable)?
        /// And a number that its block can read.
        var tag: UInt64 = 0
        /// Who was on the lane before.
        var previousSource: UInt64 = 0
        var previousIdentity: SourceIdentity?

        /// What is linked comes from the app itself, which does not allow it: it is not heard.
        var isBlocked = false

        var isLinked: Bool { occupation != nil }
        var isHeard: Bool { isLinked && !isBlocked }
    }

    let memory: ReceiverMemory
    let alignment: Alignment
    let fade: Fade
    let panLaw: PanLaw
    let width: Int
    private(set) var lanes: [Lane]
    private(set) var plan: AlignmentPlan
    /// Grows with every request to hold no more latency than is needed.
    private var realignmentRequest: UInt64 = 0
    private var lastLatency = 0
    /// What was announced of sources that give something else than numbers, by lane.
    private var invalid: [InvalidSource]
    /// Lanes to which a mono source is being connected on both sides: it is mono while only one of them is there, too.
    var monoLanes: Set<Int> = []

    init(
        memory: ReceiverMemory, laneCount: Int, width: Int, alignment: Alignment, fade: Fade, panLaw: PanLaw,
        sourceCounts: [UInt64] = []
    ) {
        self.memory = memory
        self.alignment = alignment
        self.fade = fade
        self.panLaw = panLaw
        self.width = width
        lanes = (0..<laneCount).map { lane in
            Lane(occupancy: sourceCounts.indices.contains(lane) ? sourceCounts[lane] : 0)
        }
        invalid = (0..<laneCount).map { lane in
            InvalidSource(blocks: memory.invalidBlockCount(ofLane: lane))
        }
        plan = AlignmentPlan(latencies: Array(repeating: nil, count: laneCount), capacity: alignment.capacity)
    }

    /// The lane of a source that is connected.
    func lane(of source: GraphPort.ID) -> Int? {
        lanes.firstIndex { $0.occupation?.sources.contains(source.serial) == true }
    }

    // MARK: Changes. `publish` hands each to the audio thread.

    /// Takes over what is linked to a lane now.
    ///
    /// - Parameters:
    ///   - facts: looks up a source by its serial.
    ///   - latency: of the sound as it arrives on the linked channels.
    ///   - level: what is remembered of a source.
    func occupy(
        _ lane: Int, with occupation: LaneTable.Occupation?, latency: ClosedRange<Int>,
        facts: (UInt64) -> GraphReducer.SourceFacts?, level: (SourceIdentity) -> SourceLevel
    ) {
        guard let occupation else {
            lanes[lane].occupation = nil
            lanes[lane].isLeaving = false
            lanes[lane].context = nil
            lanes[lane].tag = 0
            return
        }
        if lanes[lane].isLinked, occupation.sources.contains(lanes[lane].source) {
            lanes[lane].occupation = occupation
        } else {
            lanes[lane] = Lane(
                occupation: occupation, occupancy: lanes[lane].occupancy + 1, source: occupation.sources[0],
                previousSource: lanes[lane].source, previousIdentity: lanes[lane].identity,
                isBlocked: lanes[lane].isBlocked)
        }
        lanes[lane].latency = latency
        // Its properties may come a moment after its links.
        let facts = facts(lanes[lane].source)
        lanes[lane].channelCount = channelCount(lane, occupation, outputs: facts?.outputCount ?? 0)
        guard let facts else { return }
        let identity = SourceIdentity(applicationID: facts.applicationID, nodeName: facts.nodeName)
        if identity != lanes[lane].identity {
            lanes[lane].identity = identity
            lanes[lane].level = level(identity)
        }
    }

    private func channelCount(_ lane: Int, _ occupation: LaneTable.Occupation, outputs: Int) -> Int {
        let isOnAll = occupation.channels.count == width || monoLanes.contains(lane)
        return isOnAll && occupation.outputCount == 1 && outputs == 1 && !occupation.isShared ? 1 : width
    }

    /// The sources that are too old to be aligned, and have not been reported to the app yet.
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

    private struct InvalidSource {
        var blocks: UInt64 = 0
        var occupancy: UInt64 = 0
        var lastSeen: SuspendingClock.Instant?
    }

    /// The sources of which blocks were silenced because they held something else than numbers, each once while that goes
    /// on: for as long as there is no pause of ten seconds.
    func takeInvalidSources(at now: SuspendingClock.Instant) -> [(source: GraphPort.ID, identity: SourceIdentity?)] {
        lanes.indices.compactMap { index in
            let lane = lanes[index]
            let blocks = memory.invalidBlockCount(ofLane: index)
            guard blocks != invalid[index].blocks else { return nil }
            let occupancy = memory.invalidGeneration(ofLane: index)
            let wasAnnounced =
                occupancy == invalid[index].occupancy
                && invalid[index].lastSeen.map { now - $0 < .seconds(10) } == true
            invalid[index] = InvalidSource(blocks: blocks, occupancy: occupancy, lastSeen: now)
            guard !wasAnnounced else { return nil }
            return occupancy == lane.occupancy
                ? (GraphPort.ID(serial: lane.source), lane.identity)
                : (GraphPort.ID(serial: lane.previousSource), lane.previousIdentity)
        }
    }

    func setLevel(_ level: SourceLevel, lane: Int) { lanes[lane].level = level }
    func setContext(_ context: (any Sendable)?, lane: Int) { lanes[lane].context = context }
    func setTag(_ tag: UInt64, lane: Int) { lanes[lane].tag = tag }
    func setBlocked(_ isBlocked: Bool, lane: Int) { lanes[lane].isBlocked = isBlocked }
    func setLeaving(_ isLeaving: Bool, lane: Int) { lanes[lane].isLeaving = isLeaving }

    // MARK: Alignment

    /// How long the sound of a lane waits here, in frames.
    func delay(ofLane lane: Int) -> Int { plan.delay(ofLane: lane, holding: memory.heldLatency) }

    /// Whether the latency of what is handed over has become another one since this was asked last.
    func takeLatencyChange() -> Bool {
        let latency = memory.totalLatency
        defer { lastLatency = latency }
        return latency != lastLatency
    }

    /// Gives up latency that is held and not needed, though sound jumps. Takes effect with ``publish()``.
    func requestRealignment() { realignmentRequest &+= 1 }

    // MARK: To the audio thread

    /// The node is closed: all sources have gone with it.
    func leaveGraph() {
        for lane in lanes.indices {
            lanes[lane].occupation = nil
            lanes[lane].isLeaving = false
            lanes[lane].isBlocked = false
        }
        publish()
    }

    func publish() {
        let wasHeard = !memory.linkedLanes.load().isEmpty
        plan = AlignmentPlan(
            latencies: lanes.map { $0.isHeard ? $0.latency.upperBound : nil }, capacity: alignment.capacity)
        let isAnySoloed = lanes.contains { $0.isHeard && $0.level.isSoloed }
        let settings = lanes.indices.map { lane in makeSettings(lane, isAnySoloed: isAnySoloed) }
        memory.publish(settings, AlignmentSettings(latency: plan.latency, request: realignmentRequest))
        memory.linkedLanes.store(LaneSet(lanes.indices.filter { lanes[$0].isHeard }))
        // Nothing is held for the first that comes; where something is on its way still, the audio thread says so.
        if !wasHeard { memory.forgetHeldLatency() }
        memory.setLatencies(
            aligned: plan.lanes.contains(where: \.isAligned) ? plan.latency : nil,
            unaligned: lanes.indices.filter { lanes[$0].isHeard && !plan.lanes[$0].isAligned }
                .map { lanes[$0].latency.upperBound }.max())
    }

    private func makeSettings(_ index: Int, isAnySoloed: Bool) -> LaneSettings {
        let planned = plan.lanes[index]
        let lane = lanes[index]
        let gains = gains(of: lane, isAnySoloed: isAnySoloed)
        return LaneSettings(
            isLinked: lane.isHeard, isLeaving: lane.isLeaving, sourceGeneration: lane.occupancy, source: lane.source,
            channelCount: lane.channelCount, tag: lane.tag, isShared: lane.occupation?.isShared ?? false,
            isLatencyUncertain: lane.latency.count > 1, isAligned: planned.isAligned,
            latency: lane.latency.upperBound, left: Float(gains.left), right: Float(gains.right),
            history: lane.occupancy > 0 ? memory.history(ofLane: index) : nil)
    }

    private func gains(of lane: Lane, isAnySoloed: Bool) -> (left: Double, right: Double) {
        let level = lane.level
        guard !level.isMuted, level.isSoloed || !isAnySoloed else { return (0, 0) }
        // Without two sides there is nothing to pan between.
        guard width == 2 else { return (level.volume, level.volume) }
        let sides = (lane.channelCount == 1 ? panLaw : .balance).gains(pan: level.pan)
        return (level.volume * sides.left, level.volume * sides.right)
    }
}

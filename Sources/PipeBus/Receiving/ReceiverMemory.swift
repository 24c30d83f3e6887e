// SPDX-License-Identifier: MIT
import CAudioKernels
import RealtimeKit
import Synchronization

/// Owns what the audio thread uses of a receiver beyond what every port has, and gives the control side access to it.
@safe final class ReceiverMemory: @unchecked Sendable {
    // @unchecked: the core belongs to the audio thread while the node lives; the board and the meters are made for both.
    // The histories and the writer are the client's own.
    private let ownedCore: OwnedCells<ReceiverCore>
    private let ownedBoard: OwnedCells<LaneBoard>
    let meters: MeterBoard
    /// Of the sources that are heard: that of the slowest aligned one, and of the oldest that is not aligned; −1 for none.
    private let alignedLatency = Atomic<Int>(-1)
    private let unalignedLatency = Atomic<Int>(-1)
    /// Lanes that have a source.
    let linkedLanes = AtomicLaneSet()

    private var writer: TripleBuffer<LaneSettingsPage>.Writer
    /// Frames that a delay line holds; 0 where nothing is delayed.
    private let historyFrames: Int
    private var histories: [Int: DelayStorage] = [:]

    // What the core has views of.
    private let lanes: OwnedCells<LaneState>
    private let gains: OwnedCells<LaneGains>
    private let lastSamples: OwnedCells<Float>
    private let channels: OwnedCells<ChannelState>
    private let blocks: OwnedCells<UnsafeMutablePointer<Float>>
    private let mix: OwnedCells<UnsafeMutablePointer<Float>>
    private let samples: OwnedCells<Float>
    private let mixInputs: OwnedCells<cak_input>
    private let mixedLanes: OwnedCells<LaneSet>

    /// - Parameter silence: the longest cycle of zeros, which lives longer than this.
    init(laneCount: Int, width: Int, alignment: Alignment, fade: Fade, silence: SampleBlock) {
        cak_prepare()
        let inputCount = laneCount * width
        historyFrames = alignment.capacity.map { $0 + AudioCycle.maximumFrameCount } ?? 0
        meters = MeterBoard(laneCount: laneCount)
        ownedBoard = OwnedCells(LaneBoard(laneCount: laneCount))
        writer = ownedBoard.cell.value.pages.makeWriter()
        lanes = OwnedCells(repeating: LaneState(), count: laneCount)
        gains = OwnedCells(repeating: LaneGains(), count: laneCount)
        lastSamples = OwnedCells(repeating: 0, count: inputCount)
        channels = OwnedCells(repeating: ChannelState(), count: inputCount)
        unsafe blocks = OwnedCells(repeating: silence.base, count: inputCount)
        unsafe mix = OwnedCells(repeating: silence.base, count: width)
        samples = OwnedCells(repeating: 0, count: BlockPool.sampleCount(blocks: inputCount + width + 1))
        unsafe mixInputs = OwnedCells(repeating: cak_input(), count: inputCount)
        mixedLanes = OwnedCells(repeating: LaneSet(), count: width)
        let pages = ownedBoard.cell.value.pages.makeReader()
        ownedCore = OwnedCells(
            ReceiverCore(
                laneCount: laneCount, width: width, fadeMicroseconds: fade.microseconds, board: ownedBoard.cell,
                meters: meters.core, lanes: lanes.cells, gains: gains.cells, lastSamples: lastSamples.cells,
                channels: channels.cells, blocks: unsafe BlockTable(blocks.cells), mix: unsafe BlockTable(mix.cells),
                silence: silence, scratch: BlockPool(samples.cells), mixInputs: unsafe MixInputs(mixInputs.cells),
                mixedLanes: mixedLanes.cells, pages: pages, settings: pages.value.lanes))
    }

    var core: Cell<ReceiverCore> { ownedCore.cell }
    private var board: Cell<LaneBoard> { ownedBoard.cell }

    /// Publishes the settings of all lanes. The audio thread has them from its next cycle on.
    ///
    /// - Thread: the client's.
    func publish(_ settings: [LaneSettings], _ alignment: AlignmentSettings) {
        var page = writer.value
        for lane in settings.indices { page.lanes[lane] = settings[lane] }
        page.alignment = alignment
        writer.value = page
        writer.publish()
    }

    /// The delay line of a lane, made when it gets its first source: most lanes never have one. `nil` where nothing is
    /// delayed.
    ///
    /// - Thread: the client's.
    func history(ofLane lane: Int) -> DelayMemory? {
        guard historyFrames > 0 else { return nil }
        if let history = histories[lane] { return history.memory }
        let history = DelayStorage(frames: historyFrames, channels: core.value.width)
        histories[lane] = history
        return history.memory
    }

    /// - Thread: the client's.
    func setLatencies(aligned: Int?, unaligned: Int?) {
        alignedLatency.store(aligned ?? -1, ordering: .relaxed)
        unalignedLatency.store(unaligned ?? -1, ordering: .relaxed)
    }

    /// How old the oldest sound is when it is handed over, in frames; 0 when nothing is connected.
    ///
    /// - Thread: any.
    var totalLatency: Int {
        let aligned = alignedLatency.load(ordering: .relaxed)
        // What the audio thread holds, which it may not have raised yet.
        let held = aligned >= 0 ? max(aligned, heldLatency) : 0
        return max(held, unalignedLatency.load(ordering: .relaxed))
    }

    /// What the audio thread holds for the aligned lanes, in frames.
    ///
    /// - Thread: any.
    var heldLatency: Int { board.value.heldLatency.load(ordering: .relaxed) }

    /// Nothing is held for the first source that comes.
    ///
    /// - Thread: the client's.
    func forgetHeldLatency() { board.value.heldLatency.store(0, ordering: .relaxed) }

    /// Which of a lane's sources was faded out last, by its sourceGeneration.
    ///
    /// - Thread: any.
    func quietGeneration(ofLane lane: Int) -> UInt64 { board.value.quietGeneration(ofLane: lane) }

    /// How many blocks of a lane were silenced because they held something else than numbers, since the receiver was made.
    ///
    /// - Thread: any.
    func invalidBlockCount(ofLane lane: Int) -> UInt64 { board.value.invalidBlockCount(ofLane: lane) }

    /// Which of the lane's sources the last of them came from, by its sourceGeneration.
    ///
    /// - Thread: any.
    func invalidGeneration(ofLane lane: Int) -> UInt64 { board.value.invalidGeneration(ofLane: lane) }

    /// See ``PortStatistics/realignments``.
    ///
    /// - Thread: any.
    var realignments: UInt64 { board.value.realignments.load(ordering: .relaxed) }

    /// See ``PortStatistics/invalidBlocks``.
    ///
    /// - Thread: any.
    var invalidBlocks: UInt64 {
        (0..<core.value.laneCount).reduce(0) { $0 &+ invalidBlockCount(ofLane: $1) }
    }

    /// The graph's, in hertz; 0 before the first cycle.
    ///
    /// - Thread: any.
    var sampleRate: Int { meters.core.value.sampleRate.load(ordering: .relaxed) }

    /// In frames; 0 before the first cycle.
    ///
    /// - Thread: any.
    var cycleLength: Int { meters.core.value.cycleLength.load(ordering: .relaxed) }
}

// SPDX-License-Identifier: MIT
import CAudioKernels
import PipeWireClient
import RealtimeKit
import Synchronization

/// Owns the audio thread's memory of a receiver beyond that of every port, and gives the control side access to it.
@safe final class ReceiverMemory: @unchecked Sendable {
    // @unchecked: the core belongs to the audio thread while the node lives; the board and the meters are made for
    // both threads. The histories and the writer are confined to the loop.
    private let ownedCore: OwnedCells<ReceiverCore>
    private let ownedBoard: OwnedCells<LaneBoard>
    let meters: MeterBoard
    /// The streams to other threads.
    let streams = StreamTable()
    let fade: Fade
    /// The latency of the slowest aligned source, and of the oldest that is not aligned, among the sources that are
    /// heard; −1 for none.
    private let alignedLatency = Atomic<Int>(-1)
    private let unalignedLatency = Atomic<Int>(-1)
    /// Lanes with a source that is heard.
    let heardLanes = AtomicLaneSet()

    private var writer: TripleBuffer<LaneSettingsPage>.Writer
    /// Frames that a delay line holds; 0 where no source is delayed.
    private let historyFrames: Int
    private var histories: [Int: DelayStorage] = [:]
    private let width: Int

    // The memory behind the core's views.
    private let lanes: OwnedCells<AudioLane>
    private let gains: OwnedCells<LaneGains>
    private let lastSamples: OwnedCells<Float>
    private let fades: OwnedCells<ChannelFade>
    private let blocks: OwnedCells<UnsafeMutablePointer<Float>>
    private let mix: OwnedCells<UnsafeMutablePointer<Float>>
    private let samples: OwnedCells<Float>
    private let mixInputs: OwnedCells<cak_input>
    private let mixedLanes: OwnedCells<LaneSet>

    /// - Parameter silence: a block of zeros of the longest cycle. It must outlive this object.
    init(laneCount: Int, width: Int, alignment: Alignment, fade: Fade, silence: SampleBlock) {
        cak_prepare()
        // The inputs of all lanes.
        let allInputCount = laneCount * width
        self.width = width
        self.fade = fade
        historyFrames = alignment.capacity.map { $0 + AudioCycle.maximumFrameCount } ?? 0
        meters = MeterBoard(laneCount: laneCount)
        ownedBoard = OwnedCells(LaneBoard(laneCount: laneCount))
        writer = ownedBoard.cell.value.pages.makeWriter()
        lanes = OwnedCells(repeating: AudioLane(), count: laneCount)
        gains = OwnedCells(repeating: LaneGains(), count: laneCount)
        lastSamples = OwnedCells(repeating: 0, count: allInputCount)
        fades = OwnedCells(repeating: ChannelFade(), count: allInputCount)
        unsafe blocks = OwnedCells(repeating: silence.base, count: allInputCount)
        unsafe mix = OwnedCells(repeating: silence.base, count: width)
        samples = OwnedCells(repeating: 0, count: BlockPool.sampleCount(blocks: allInputCount + width + 1))
        unsafe mixInputs = OwnedCells(repeating: cak_input(), count: allInputCount)
        mixedLanes = OwnedCells(repeating: LaneSet(), count: width)
        let pages = ownedBoard.cell.value.pages.makeReader()
        ownedCore = OwnedCells(
            ReceiverCore(
                laneCount: laneCount, width: width, fadeMicroseconds: fade.microseconds, board: ownedBoard.cell,
                meters: meters.core, lanes: lanes.cells, gains: gains.cells, lastSamples: lastSamples.cells,
                fades: fades.cells, blocks: unsafe BlockTable(blocks.cells), mix: unsafe BlockTable(mix.cells),
                silence: silence, scratch: BlockPool(samples.cells), mixInputs: unsafe MixInputs(mixInputs.cells),
                mixedLanes: mixedLanes.cells, streams: streams.slots, pages: pages, settings: pages.value.lanes))
    }

    var core: Cell<ReceiverCore> { ownedCore.cell }
    private var board: Cell<LaneBoard> { ownedBoard.cell }

    /// Publishes the settings of all lanes. The audio thread reads them from its next cycle on.
    ///
    /// - Thread: the client's.
    func publish(_ settings: [LaneSettings], _ alignment: AlignmentSettings) {
        var page = writer.value
        for lane in settings.indices { page.lanes[lane] = settings[lane] }
        page.alignment = alignment
        writer.value = page
        writer.publish()
    }

    /// The delay line of a lane; `nil` where no source is delayed.
    ///
    /// It is made for the lane's first source: most lanes never have one.
    ///
    /// - Thread: the client's.
    func history(ofLane lane: Int) -> DelayMemory? {
        guard historyFrames > 0 else { return nil }
        if let history = histories[lane] { return history.memory }
        let history = DelayStorage(frames: historyFrames, channels: width)
        histories[lane] = history
        return history.memory
    }

    /// - Thread: the client's.
    func setLatencies(aligned: Int?, unaligned: Int?) {
        alignedLatency.store(aligned ?? -1, ordering: .relaxed)
        unalignedLatency.store(unaligned ?? -1, ordering: .relaxed)
    }

    /// The age of the oldest sound when it is handed over, in frames; 0 without a connection.
    ///
    /// - Thread: any.
    var totalLatency: Int {
        let aligned = alignedLatency.load(ordering: .relaxed)
        // The audio thread may not have raised the held latency yet.
        let held = aligned >= 0 ? max(aligned, heldLatency) : 0
        return max(held, unalignedLatency.load(ordering: .relaxed))
    }

    /// The latency that the audio thread holds for the aligned lanes, in frames.
    ///
    /// - Thread: any.
    var heldLatency: Int { board.value.heldLatency.load(ordering: .relaxed) }

    /// Sets the held latency to 0 for the first source.
    ///
    /// - Thread: the client's.
    func forgetHeldLatency() { board.value.heldLatency.store(0, ordering: .relaxed) }

    /// The generation of the lane's source that was faded out last.
    ///
    /// - Thread: any.
    func fadedOutGeneration(ofLane lane: Int) -> UInt64 { board.value.fadedOutGeneration(ofLane: lane) }

    /// The number of a lane's blocks that were silenced for invalid samples, since the receiver was made.
    ///
    /// - Thread: any.
    func invalidBlockCount(ofLane lane: Int) -> UInt64 { board.value.invalidBlockCount(ofLane: lane) }

    /// The generation of the source of the last such block.
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
        (0..<board.value.laneCount).reduce(0) { $0 &+ invalidBlockCount(ofLane: $1) }
    }

    /// The graph's sample rate, in hertz; 0 before the first cycle.
    ///
    /// - Thread: any.
    var sampleRate: Int { meters.core.value.sampleRate.load(ordering: .relaxed) }

    /// The size of the last cycle; `nil` before the first one.
    ///
    /// - Thread: any.
    var cycle: CycleSize? {
        let frameCount = meters.core.value.cycleLength.load(ordering: .relaxed)
        return frameCount > 0 ? CycleSize(frameCount: frameCount, sampleRate: sampleRate) : nil
    }

    /// Makes the cycle's size unknown until the next cycle.
    ///
    /// - Thread: the client's.
    func forgetCycle() { meters.core.value.cycleLength.store(0, ordering: .relaxed) }
}

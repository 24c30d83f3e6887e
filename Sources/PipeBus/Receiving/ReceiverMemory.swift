// SPDX-License-Identifier: MIT
import CAudioKernels
import RealtimeKit
import Synchronization

/// Owns what the audio thread uses of a receiver beyond what every port has, and is the control side's way to it.
@safe final class ReceiverMemory: @unchecked Sendable {
    // @unchecked: the core belongs to the audio thread while the node lives; the board and the meters are made for both.
    // The histories are the client's own.
    let core: UnsafeMutablePointer<ReceiverCore>
    let board: UnsafeMutablePointer<LaneBoard>
    let meters: MeterBoard
    /// Of the sources that are heard: that of the slowest aligned one, and of the oldest that is not aligned; −1 for none.
    private let alignedLatency = Atomic<Int>(-1)
    private let unalignedLatency = Atomic<Int>(-1)
    /// Bit n: lane n has a source.
    let linkedLanes = Atomic<UInt64>(0)
    private let historyLength: Int
    private var histories: [Int: UnsafeMutablePointer<Float>] = unsafe [:]

    /// - Parameter silence: one cycle of zeros, which lives longer than this.
    init(
        laneCount: Int, width: Int, alignment: Alignment, fade: Fade, silence: UnsafeMutablePointer<Float>
    ) {
        cak_prepare()
        let cycle = AudioCycle.maximumFrameCount
        let inputCount = laneCount * width
        historyLength = alignment.capacity.map { Self.powerOfTwo(atLeast: $0 + cycle) } ?? 0
        meters = MeterBoard(laneCount: laneCount)
        unsafe board = .allocate(capacity: 1)
        unsafe board.initialize(to: LaneBoard(laneCount: laneCount))
        let lanes = UnsafeMutablePointer<LaneState>.allocate(capacity: laneCount)
        unsafe lanes.initialize(repeating: LaneState(), count: laneCount)
        let gains = UnsafeMutablePointer<LaneGains>.allocate(capacity: laneCount)
        unsafe gains.initialize(repeating: LaneGains(), count: laneCount)
        let lastSamples = UnsafeMutablePointer<Float>.allocate(capacity: inputCount)
        unsafe lastSamples.initialize(repeating: 0, count: inputCount)
        let channels = UnsafeMutablePointer<ChannelState>.allocate(capacity: inputCount)
        unsafe channels.initialize(repeating: ChannelState(), count: inputCount)
        let blocks = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: inputCount)
        unsafe blocks.initialize(repeating: silence, count: inputCount)
        let mix = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: width)
        unsafe mix.initialize(repeating: silence, count: width)
        let scratchCount = (inputCount + width + 1) * cycle
        let scratch = UnsafeMutablePointer<Float>.allocate(capacity: scratchCount)
        unsafe scratch.initialize(repeating: 0, count: scratchCount)
        let mixInputs = UnsafeMutablePointer<cak_input>.allocate(capacity: laneCount * width)
        unsafe mixInputs.initialize(repeating: cak_input(), count: laneCount * width)
        let mixedLanes = UnsafeMutablePointer<UInt64>.allocate(capacity: width)
        unsafe mixedLanes.initialize(repeating: 0, count: width)
        unsafe core = .allocate(capacity: 1)
        unsafe core.initialize(
            to: ReceiverCore(
                laneCount: laneCount, width: width, fadeMicroseconds: fade.microseconds, historyLength: historyLength,
                board: board, meters: meters.core, lanes: lanes, gains: gains, lastSamples: lastSamples,
                channels: channels, blocks: blocks, mix: mix, silence: silence, scratch: scratch,
                mixInputs: mixInputs, mixedLanes: mixedLanes, slot: SlotExchange.firstRead))
    }

    deinit {
        unsafe core.pointee.lanes.deallocate()
        unsafe core.pointee.gains.deallocate()
        unsafe core.pointee.lastSamples.deallocate()
        unsafe core.pointee.channels.deallocate()
        unsafe core.pointee.blocks.deallocate()
        unsafe core.pointee.mix.deallocate()
        unsafe core.pointee.scratch.deallocate()
        unsafe core.pointee.mixInputs.deallocate()
        unsafe core.pointee.mixedLanes.deallocate()
        unsafe core.deinitialize(count: 1)
        unsafe core.deallocate()
        unsafe board.deinitialize(count: 1)
        unsafe board.deallocate()
        unsafe histories.values.forEach { unsafe $0.deallocate() }
    }

    /// The delay line of a lane, made when it gets its first source: most lanes never have one. `nil` where nothing is
    /// delayed.
    ///
    /// - Thread: the client's.
    func history(ofLane lane: Int) -> UnsafeMutablePointer<Float>? {
        guard historyLength > 0 else { return nil }
        if let history = unsafe histories[lane] { return unsafe history }
        let count = unsafe historyLength * core.pointee.width
        // On a cache line, because whole ones are written.
        let history = unsafe UnsafeMutableRawPointer.allocate(
            byteCount: count * MemoryLayout<Float>.stride, alignment: 64
        )
        .bindMemory(to: Float.self, capacity: count)
        // Written to, so that the audio thread is the first on no page.
        unsafe history.initialize(repeating: 0, count: count)
        unsafe histories[lane] = unsafe history
        return unsafe history
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
        // What the audio thread holds, which it may not have been told to raise yet.
        let held = aligned >= 0 ? max(aligned, heldLatency) : 0
        return max(held, unalignedLatency.load(ordering: .relaxed))
    }

    /// What the audio thread holds for the aligned lanes, in frames.
    ///
    /// - Thread: any.
    var heldLatency: Int { unsafe board.pointee.heldLatency.load(ordering: .relaxed) }

    /// See ``PortStatistics/realignments``.
    ///
    /// - Thread: any.
    var realignments: UInt64 { unsafe board.pointee.realignments.load(ordering: .relaxed) }

    /// See ``PortStatistics/invalidBlocks``.
    ///
    /// - Thread: any.
    var invalidBlocks: UInt64 {
        unsafe (0..<core.pointee.laneCount).reduce(0) { unsafe $0 &+ board.pointee.invalidBlockCount(ofLane: $1) }
    }

    /// The graph's, in hertz; 0 before the first cycle.
    ///
    /// - Thread: any.
    var sampleRate: Int { unsafe meters.core.pointee.sampleRate.load(ordering: .relaxed) }

    /// In frames; 0 before the first cycle.
    ///
    /// - Thread: any.
    var cycleLength: Int { unsafe meters.core.pointee.cycleLength.load(ordering: .relaxed) }

    private static func powerOfTwo(atLeast count: Int) -> Int {
        var power = 1
        while power < count { power *= 2 }
        return power
    }
}

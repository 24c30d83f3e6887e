// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The state that a receiver's control side and its audio thread share: the settings of all lanes, and the feedback on
/// them.
///
/// A struct in a cell, because a call of a class needs a retain.
struct LaneBoard: ~Copyable {
    // The memory never moves. The buffer gives each side one page at a time; everything else that both sides touch is
    // atomic.
    let laneCount: Int
    private let settings: OwnedCells<LaneSettings>
    /// The audio thread's end of the buffer of settings.
    let pages: TripleBuffer<LaneSettingsPage>
    /// For each lane the generation of the source that was faded out last.
    private let fadedOut: OwnedCells<Atomic<UInt64>>
    /// For each lane the number of its blocks with invalid samples, and the source generation of the last.
    private let invalidBlocks: OwnedCells<Atomic<UInt64>>
    private let invalidGenerations: OwnedCells<Atomic<UInt64>>
    /// See ``ReceiverCore/heldLatency``. The audio thread stores it when it changes, and in each cycle in which it
    /// exceeds what the sources need.
    let heldLatency = Atomic<Int>(0)
    /// The number of changes of a delay while sound was in it; see ``PortStatistics/realignments``.
    let realignments = Atomic<UInt64>(0)

    init(laneCount: Int) {
        self.laneCount = laneCount
        settings = OwnedCells(repeating: LaneSettings(), count: 3 * laneCount)
        let lanes = settings.cells
        pages = TripleBuffer { LaneSettingsPage(lanes: lanes.suffix(from: $0 * laneCount)) }
        fadedOut = OwnedCells(count: laneCount) { _ in Atomic(0) }
        invalidBlocks = OwnedCells(count: laneCount) { _ in Atomic(0) }
        invalidGenerations = OwnedCells(count: laneCount) { _ in Atomic(0) }
    }

    // MARK: Any thread

    /// The generation of the lane's source that was faded out last.
    func fadedOutGeneration(ofLane lane: Int) -> UInt64 { fadedOut.cells[lane].load(ordering: .relaxed) }

    /// The number of a lane's blocks that were silenced for invalid samples, since the receiver was made.
    func invalidBlockCount(ofLane lane: Int) -> UInt64 { invalidBlocks.cells[lane].load(ordering: .acquiring) }

    /// The generation of the source of the last such block.
    func invalidGeneration(ofLane lane: Int) -> UInt64 { invalidGenerations.cells[lane].load(ordering: .relaxed) }

    // MARK: Audio thread

    /// - Realtime: safe.
    @_noLocks
    func countInvalidBlock(lane: Int, sourceGeneration: UInt64) {
        invalidGenerations.cells[lane].store(sourceGeneration, ordering: .relaxed)
        // Release: the generation is visible with the count.
        let count = invalidBlocks.cells[lane].load(ordering: .relaxed) &+ 1
        invalidBlocks.cells[lane].store(count, ordering: .releasing)
    }

    /// Counts an audible change of delay.
    ///
    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    func countRealignment() {
        realignments.store(realignments.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// Reports that a source is faded out.
    ///
    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    func reportFadedOut(lane: Int, sourceGeneration: UInt64) {
        fadedOut.cells[lane].store(sourceGeneration, ordering: .relaxed)
    }
}

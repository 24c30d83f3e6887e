// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// What a receiver's control side and its audio thread share: the settings of all lanes one way, what became of them the
/// other way.
///
/// A struct in a cell, because a class cannot be called without a retain.
struct LaneBoard: ~Copyable {
    // The memory never moves. Of the pages, the buffer gives each side one at a time; everything else that both sides
    // touch is atomic.
    let laneCount: Int
    private let settings: OwnedCells<LaneSettings>
    /// For the audio thread to take the newest page from.
    let pages: TripleBuffer<LaneSettingsPage>
    private let quiet: OwnedCells<Atomic<UInt64>>
    /// For each lane how many of its blocks held something else than numbers, and the sourceGeneration of the last.
    private let invalidBlocks: OwnedCells<Atomic<UInt64>>
    private let invalidGenerations: OwnedCells<Atomic<UInt64>>
    /// See ``ReceiverCore/heldLatency``; the audio thread stores it when it changes, and in each cycle in which it is more
    /// than the sources need.
    let heldLatency = Atomic<Int>(0)
    /// How often the audio thread changed the delay of sound that was there; see ``PortStatistics/realignments``.
    let realignments = Atomic<UInt64>(0)

    init(laneCount: Int) {
        self.laneCount = laneCount
        settings = OwnedCells(repeating: LaneSettings(), count: 3 * laneCount)
        let lanes = settings.cells
        pages = TripleBuffer { LaneSettingsPage(lanes: lanes.suffix(from: $0 * laneCount)) }
        quiet = OwnedCells(count: laneCount) { _ in Atomic(0) }
        invalidBlocks = OwnedCells(count: laneCount) { _ in Atomic(0) }
        invalidGenerations = OwnedCells(count: laneCount) { _ in Atomic(0) }
    }

    // MARK: Any thread

    /// Which of a lane's sources was faded out last, by its sourceGeneration.
    func quietGeneration(ofLane lane: Int) -> UInt64 { quiet.cells[lane].load(ordering: .relaxed) }

    /// How many blocks of a lane were silenced because they held something else than numbers, since the receiver was made.
    func invalidBlockCount(ofLane lane: Int) -> UInt64 { invalidBlocks.cells[lane].load(ordering: .acquiring) }

    /// Which of the lane's sources the last of them came from, by its sourceGeneration.
    func invalidGeneration(ofLane lane: Int) -> UInt64 { invalidGenerations.cells[lane].load(ordering: .relaxed) }

    // MARK: Audio thread

    /// - Realtime: safe.
    @_noLocks
    func countInvalidBlock(lane: Int, sourceGeneration: UInt64) {
        invalidGenerations.cells[lane].store(sourceGeneration, ordering: .relaxed)
        // Release: with the count comes whose it is.
        let count = invalidBlocks.cells[lane].load(ordering: .relaxed) &+ 1
        invalidBlocks.cells[lane].store(count, ordering: .releasing)
    }

    /// Counts a change of delay that can be heard.
    ///
    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    func countRealignment() {
        realignments.store(realignments.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// Reports that a source cannot be heard any more.
    ///
    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    func reportQuiet(lane: Int, sourceGeneration: UInt64) {
        quiet.cells[lane].store(sourceGeneration, ordering: .relaxed)
    }
}

// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// What a receiver's control side and its audio thread share: the settings of all lanes one way, what became of them the
/// other way.
///
/// A struct behind a pointer, because a class cannot be called without a retain.
@unsafe struct LaneBoard: ~Copyable {
    // The pointers never change. Of the slots, the exchange gives each side one at a time; everything else that both
    // sides touch is atomic.
    let laneCount: Int
    /// Three times the settings of all lanes; see ``SlotExchange``.
    private let slots: UnsafeMutablePointer<LaneSettings>
    private let alignments: UnsafeMutablePointer<AlignmentSettings>
    private let exchange = SlotExchange()
    private let quiet: UnsafeMutablePointer<Atomic<UInt64>>
    /// For each lane how many of its blocks held something else than numbers, and the occupancy of the last.
    private let invalidBlocks: UnsafeMutablePointer<Atomic<UInt64>>
    private let invalidOccupancies: UnsafeMutablePointer<Atomic<UInt64>>
    /// The control side's own; atomic only because both sides hold the struct.
    private let writtenSlot = Atomic<Int>(SlotExchange.firstWritten)
    /// See ``ReceiverCore/heldLatency``; the audio thread stores it when it changes, and in each cycle in which it is more
    /// than the sources need.
    let heldLatency = Atomic<Int>(0)
    /// How often the audio thread changed the delay of sound that was there; see ``PortStatistics/realignments``.
    let realignments = Atomic<UInt64>(0)

    init(laneCount: Int) {
        unsafe self.laneCount = laneCount
        unsafe slots = .allocate(capacity: 3 * laneCount)
        unsafe slots.initialize(repeating: LaneSettings(), count: 3 * laneCount)
        unsafe alignments = .allocate(capacity: 3)
        unsafe alignments.initialize(repeating: AlignmentSettings(), count: 3)
        unsafe quiet = .allocate(capacity: laneCount)
        unsafe invalidBlocks = .allocate(capacity: laneCount)
        unsafe invalidOccupancies = .allocate(capacity: laneCount)
        for lane in 0..<laneCount {
            unsafe (quiet + lane).initialize(to: Atomic(0))
            unsafe (invalidBlocks + lane).initialize(to: Atomic(0))
            unsafe (invalidOccupancies + lane).initialize(to: Atomic(0))
        }
    }

    deinit {
        unsafe slots.deallocate()
        unsafe alignments.deallocate()
        unsafe quiet.deinitialize(count: laneCount)
        unsafe quiet.deallocate()
        unsafe invalidBlocks.deinitialize(count: laneCount)
        unsafe invalidBlocks.deallocate()
        unsafe invalidOccupancies.deinitialize(count: laneCount)
        unsafe invalidOccupancies.deallocate()
    }

    // MARK: Control side

    /// Tells the audio thread the settings of all lanes. It has them from its next cycle on.
    ///
    /// - Thread: the client's.
    func publish(_ settings: [LaneSettings], _ alignment: AlignmentSettings) {
        let slot = unsafe writtenSlot.load(ordering: .relaxed)
        for lane in unsafe settings.indices { unsafe slots[slot * laneCount + lane] = unsafe settings[lane] }
        unsafe alignments[slot] = alignment
        unsafe writtenSlot.store(exchange.publish(slot), ordering: .relaxed)
    }

    /// Which of a lane's sources was faded out last, by its occupancy.
    ///
    /// - Thread: any.
    func quietOccupancy(ofLane lane: Int) -> UInt64 { unsafe quiet[lane].load(ordering: .relaxed) }

    /// How many blocks of a lane were silenced because they held something else than numbers, since the receiver was made.
    ///
    /// - Thread: any.
    func invalidBlockCount(ofLane lane: Int) -> UInt64 { unsafe invalidBlocks[lane].load(ordering: .acquiring) }

    /// Which of the lane's sources the last of them came from, by its occupancy.
    ///
    /// - Thread: any.
    func invalidOccupancy(ofLane lane: Int) -> UInt64 { unsafe invalidOccupancies[lane].load(ordering: .relaxed) }

    // MARK: Audio thread

    /// - Realtime: safe.
    @_noLocks
    func countInvalidBlock(lane: Int, occupancy: UInt64) {
        unsafe invalidOccupancies[lane].store(occupancy, ordering: .relaxed)
        // Release: with the count comes whose it is.
        unsafe invalidBlocks[lane].store(invalidBlocks[lane].load(ordering: .relaxed) &+ 1, ordering: .releasing)
    }

    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    func take(_ slot: Int) -> Int { unsafe exchange.take(slot) }

    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    func settings(_ slot: Int) -> UnsafePointer<LaneSettings> { unsafe UnsafePointer(slots + slot * laneCount) }

    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    func alignment(_ slot: Int) -> AlignmentSettings { unsafe alignments[slot] }

    /// Counts a change of delay that can be heard.
    ///
    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    func countRealignment() {
        unsafe realignments.store(realignments.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// Tells that a source cannot be heard any more.
    ///
    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    func tellQuiet(lane: Int, occupancy: UInt64) { unsafe quiet[lane].store(occupancy, ordering: .relaxed) }
}

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
    private let latencies: UnsafeMutablePointer<Int>
    private let exchange = SlotExchange()
    private let quiet: UnsafeMutablePointer<Atomic<UInt64>>
    /// The control side's own; atomic only because both sides hold the struct.
    private let writtenSlot = Atomic<Int>(SlotExchange.firstWritten)

    init(laneCount: Int) {
        unsafe self.laneCount = laneCount
        unsafe slots = .allocate(capacity: 3 * laneCount)
        unsafe slots.initialize(repeating: LaneSettings(), count: 3 * laneCount)
        unsafe latencies = .allocate(capacity: 3)
        unsafe latencies.initialize(repeating: 0, count: 3)
        unsafe quiet = .allocate(capacity: laneCount)
        for lane in 0..<laneCount { unsafe (quiet + lane).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe slots.deallocate()
        unsafe latencies.deallocate()
        unsafe quiet.deinitialize(count: laneCount)
        unsafe quiet.deallocate()
    }

    // MARK: Control side

    /// Tells the audio thread the settings of all lanes. It has them from its next cycle on.
    ///
    /// - Parameter latency: how old the aligned lanes' sound is when they hand it on, in frames.
    /// - Thread: the client's.
    func publish(_ settings: [LaneSettings], latency: Int) {
        let slot = unsafe writtenSlot.load(ordering: .relaxed)
        for lane in unsafe settings.indices { unsafe slots[slot * laneCount + lane] = unsafe settings[lane] }
        unsafe latencies[slot] = latency
        unsafe writtenSlot.store(exchange.publish(slot), ordering: .relaxed)
    }

    /// Which of a lane's sources was faded out last, by its occupancy.
    ///
    /// - Thread: any.
    func quietOccupancy(ofLane lane: Int) -> UInt64 { unsafe quiet[lane].load(ordering: .relaxed) }

    // MARK: Audio thread

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
    func latency(_ slot: Int) -> Int { unsafe latencies[slot] }

    /// Tells that a source cannot be heard any more.
    ///
    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    func tellQuiet(lane: Int, occupancy: UInt64) { unsafe quiet[lane].store(occupancy, ordering: .relaxed) }
}

// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// A place for a stream of a receiver, for its audio thread.
struct StreamSlot: ~Copyable {
    /// Which thread may use ``stream``.
    let ownership = CycleOwnership()
    var stream: Cell<StreamCore>?

    init() {}

    /// Hands a cycle over to the stream, if there is one. While a stream is put in or taken out, the cycle is not its own.
    @_noLocks
    func write(_ receiver: Cell<ReceiverCore>, _ cycle: AudioCycle) {
        guard ownership.acquireForCycle() else { return }
        if let stream { stream.value.write(receiver, cycle) }
        ownership.release()
    }
}

/// The audio thread's view of all streams of a receiver, and of its monitor.
struct StreamSlots {
    private let slots: Cells<StreamSlot>
    private let monitor: Cell<MonitorSlot>
    /// Number of slots in use, and ``monitorBit`` if there is a monitor.
    private let count: Cell<Atomic<Int>>

    /// Larger than any number of slots.
    static var monitorBit: Int { @_noLocks get { 1 << 16 } }

    @_noLocks
    init(_ slots: Cells<StreamSlot>, monitor: Cell<MonitorSlot>, count: Cell<Atomic<Int>>) {
        self.slots = slots
        self.monitor = monitor
        self.count = count
    }

    /// Hands a cycle over to all streams.
    @_noLocks
    @inline(__always)
    func write(_ receiver: Cell<ReceiverCore>, _ cycle: AudioCycle) {
        // Relaxed: the slots' ownership publishes the streams.
        let used = count.value.load(ordering: .relaxed)
        if used != 0 { writeAll(receiver, cycle, used) }
    }

    @_noLocks
    @inline(never)
    private func writeAll(_ receiver: Cell<ReceiverCore>, _ cycle: AudioCycle, _ used: Int) {
        for slot in 0..<(used & (Self.monitorBit &- 1)) { slots.cell(slot).value.write(receiver, cycle) }
        if used & Self.monitorBit != 0 { monitor.value.store(receiver, cycle) }
    }
}

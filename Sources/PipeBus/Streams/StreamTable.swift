// SPDX-License-Identifier: MIT
import Glibc
import RealtimeKit
import Synchronization

/// Owns the streams of a receiver, and its monitor.
///
/// - Thread: any but the audio thread, which has ``slots``.
final class StreamTable: @unchecked Sendable {
    // @unchecked: `streams` is guarded by its lock, and each slot by its ownership.
    /// The largest number of streams of a receiver.
    static let capacity = 8

    private struct State {
        var streams: [StreamMemory?] = Array(repeating: nil, count: capacity)
        var monitor: MonitorMemory?
        var isFinished = false

        /// The number of slots from the first one on that may have a stream, and ``StreamSlots/monitorBit``.
        var used: Int {
            (streams.lastIndex { $0 != nil } ?? -1) + 1 + (monitor != nil ? StreamSlots.monitorBit : 0)
        }
    }

    private let cells = OwnedCells<StreamSlot>(count: capacity) { _ in StreamSlot() }
    private let monitorCell = OwnedCells(MonitorSlot())
    /// As ``State/used``.
    private let count = OwnedCells(Atomic<Int>(0))
    private let state = Mutex(State())

    var slots: StreamSlots { StreamSlots(cells.cells, monitor: monitorCell.cell, count: count.cell) }

    enum Refusal: Error { case isFull, isFinished }

    /// Adds a stream, which is written from the next cycle on.
    func add(_ stream: StreamMemory) throws(Refusal) {
        try state.withLock { (state) throws(Refusal) in
            if state.isFinished { throw .isFinished }
            guard let slot = state.streams.firstIndex(where: { $0 == nil }) else { throw .isFull }
            set(slot, to: stream)
            state.streams[slot] = stream
            count.cell.value.store(state.used, ordering: .relaxed)
        }
    }

    /// Removes a stream, which the audio thread does not use any more when the call returns. Idempotent.
    func remove(_ stream: StreamMemory) {
        state.withLock { state in
            guard let slot = state.streams.firstIndex(where: { $0 === stream }) else { return }
            set(slot, to: nil)
            state.streams[slot] = nil
            count.cell.value.store(state.used, ordering: .relaxed)
        }
    }

    /// Puts a monitor in, or takes it out: then the audio thread does not use it any more when the call returns.
    func setMonitor(_ monitor: MonitorMemory?) {
        state.withLock { state in
            while !monitorCell.cell.value.ownership.acquireForControl() { sched_yield() }
            monitorCell.cell.value.monitor = monitor?.core
            monitorCell.cell.value.ownership.release()
            state.monitor = monitor
            count.cell.value.store(state.used, ordering: .relaxed)
        }
    }

    private func set(_ slot: Int, to stream: StreamMemory?) {
        let cell = cells.cells.cell(slot)
        // The audio thread has it for some microseconds of a cycle.
        while !cell.value.ownership.acquireForControl() { sched_yield() }
        cell.value.stream = stream?.core
        cell.value.ownership.release()
    }

    /// Ends all streams, once the audio thread calls none any more.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            for stream in state.streams { stream?.finish() }
        }
    }
}

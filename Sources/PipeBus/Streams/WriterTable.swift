// SPDX-License-Identifier: MIT
import Glibc
import RealtimeKit
import Synchronization

/// Owns the writer of a sender without a block.
///
/// - Thread: any but the audio thread, which has ``slot``.
final class WriterTable: @unchecked Sendable {
    // @unchecked: the state is guarded by its lock, and the slot by its ownership.
    private struct State {
        var writer: WriterMemory?
        var isClosed = false
    }

    private let cell = OwnedCells(WriterSlot())
    private let state = Mutex(State())

    var slot: Cell<WriterSlot> { cell.cell }

    enum Refusal: Error { case hasWriter, isClosed }

    /// Puts a writer in, in place of one that has ended.
    func put(_ writer: WriterMemory) throws(Refusal) {
        try state.withLock { (state) throws(Refusal) in
            if state.isClosed { throw .isClosed }
            if let old = state.writer, !old.ring.value.isEnded { throw .hasWriter }
            // The audio thread has it for some microseconds of a cycle.
            while !slot.value.ownership.acquireForControl() { sched_yield() }
            if let old = state.writer { writer.core.value.takeOver(from: old.core) }
            slot.value.writer = writer.core
            slot.value.ownership.release()
            // Its sound may not be played yet, and somebody may wait for that.
            state.writer?.ring.value.replace()
            state.writer = writer
        }
    }

    /// The port is closed, and its block is not called any more.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.writer?.ring.value.close()
        }
    }
}

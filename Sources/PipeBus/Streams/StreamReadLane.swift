// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The reading side of one lane of a stream.
///
/// - Thread: the reader's.
/// - Realtime: safe.
struct StreamReadLane: ~Copyable {
    private var records: EventQueue<StreamRecord>.Reader
    private let lane: Cell<StreamLane>
    private let rows: Cells<Float>
    private let capacity: Int
    /// Number of frames that were ever read.
    private var head = 0
    /// The oldest record with frames to read, or without frames. Frames that were read are taken off its beginning.
    private var oldest = StreamRecord()
    private var hasOldest = false

    @_noLocks
    init(_ records: consuming EventQueue<StreamRecord>.Reader, lane: Cell<StreamLane>, rows: Cells<Float>) {
        self.records = records
        self.lane = lane
        self.rows = rows
        capacity = lane.value.capacity
    }

    /// The oldest frames, which stay; `nil` without any.
    @_noLocks
    mutating func peek() -> StreamRecord? {
        if !hasOldest, let next = records.tryReceive() {
            oldest = next
            hasOldest = true
        }
        return hasOldest ? oldest : nil
    }

    /// Copies the beginning of the oldest frames. The block must not be longer than these.
    @_noLocks
    func copy(channel: Int, into block: SampleBlock) {
        let start = head & (capacity &- 1)
        let first = min(capacity &- start, block.frameCount)
        let row = channel &* capacity
        block.prefix(first).copy(from: unsafe SampleBlock(rows.pointer(at: row &+ start), frameCount: first))
        let rest = block.frameCount &- first
        guard rest > 0 else { return }
        block.part(from: first, rest).copy(from: unsafe SampleBlock(rows.pointer(at: row), frameCount: rest))
    }

    /// Removes frames from the beginning of the oldest ones: all of them, or fewer.
    @_noLocks
    mutating func discard(_ frameCount: Int) {
        head &+= frameCount
        // Release: pairs with the writer's acquire, which then writes over the frames.
        lane.value.head.store(head, ordering: .releasing)
        oldest.frameCount &-= frameCount
        guard oldest.frameCount > 0 else {
            hasOldest = false
            return
        }
        oldest.arrival &+= Int64(truncatingIfNeeded: frameCount)
        oldest.nanoseconds &+=
            UInt64(truncatingIfNeeded: frameCount) &* 1_000_000_000
            / UInt64(truncatingIfNeeded: max(oldest.sampleRate, 1))
        oldest.isContinuation = true
        oldest.missedFrames = 0
        oldest.droppedFrames = 0
    }
}

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
    /// Number of frames that the memory holds.
    let capacity: Int
    /// Number of frames that were ever read.
    private var head = 0
    /// The oldest record with frames to read, or without frames. Frames that were read are taken off its beginning.
    private(set) var oldest = StreamRecord()
    private var hasOldest = false
    /// Where its first frame came, and when, before any were taken off.
    private var oldestArrival: Int64 = 0
    private var oldestNanoseconds: UInt64 = 0

    @_noLocks
    init(_ records: consuming EventQueue<StreamRecord>.Reader, lane: Cell<StreamLane>, rows: Cells<Float>) {
        self.records = records
        self.lane = lane
        self.rows = rows
        capacity = lane.value.capacity
    }

    /// The oldest frames, which stay; `nil` without any.
    @_noLocks
    mutating func peek() -> StreamRecord? { findOldest() ? oldest : nil }

    /// Looks for frames. Without any, ``oldest`` means nothing.
    @_noLocks
    mutating func findOldest() -> Bool {
        if !hasOldest, let next = records.tryReceive() {
            oldest = next
            hasOldest = true
            oldestArrival = next.arrival
            oldestNanoseconds = next.nanoseconds
        }
        return hasOldest
    }

    /// When the oldest frames came.
    var oldestMoment: StreamMoment {
        @_noLocks get {
            var moment = StreamMoment()
            moment.arrival = oldest.arrival
            moment.nanoseconds = oldest.nanoseconds
            moment.sampleRate = oldest.sampleRate
            moment.age = oldest.age
            return moment
        }
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

    /// The ring of a channel: the oldest frame is its frame ``firstFrame``.
    @_noLocks
    func ring(ofChannel channel: Int) -> UnsafeMutablePointer<Float> { unsafe rows.pointer(at: channel &* capacity) }

    /// Where the oldest frames begin in each ring.
    var firstFrame: Int { @_noLocks get { head & (capacity &- 1) } }
    /// Number of frames from the oldest one to the end of a ring.
    var unbrokenFrames: Int { @_noLocks get { capacity &- firstFrame } }

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
        // From the beginning, so that parts of nanoseconds do not add up.
        oldest.nanoseconds =
            oldestNanoseconds &+ UInt64(truncatingIfNeeded: oldest.arrival &- oldestArrival) &* 1_000_000_000
            / UInt64(truncatingIfNeeded: max(oldest.sampleRate, 1))
        oldest.isContinuation = true
        oldest.missedFrames = 0
        oldest.droppedFrames = 0
    }
}

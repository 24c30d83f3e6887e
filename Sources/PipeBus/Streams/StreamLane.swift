// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The writing side of one lane of a stream: a ring of samples for each channel, and a queue of the records that describe
/// them.
///
/// - Thread: audio, but for ``head``.
struct StreamLane: ~Copyable {
    private var records: EventQueue<StreamRecord>.Writer
    /// A row of ``capacity`` samples for each channel.
    private let rows: Cells<Float>
    /// In frames; a power of two.
    let capacity: Int
    /// Number of frames that the reader has given back. The reader releases it, and the writer acquires it.
    let head = Atomic<Int>(0)

    /// Number of frames that were ever handed over.
    private var tail = 0
    /// The record that is being written.
    private var begun = StreamRecord()
    /// The report of the frames dropped since the newest record; it has no frames itself.
    private var pending = StreamRecord()
    private(set) var hasPending = false
    /// The stream of the newest frames, dropped or not.
    private var newest: UInt64 = 0

    @_noLocks
    init(_ records: consuming EventQueue<StreamRecord>.Writer, rows: Cells<Float>, capacity: Int) {
        self.records = records
        self.rows = rows
        self.capacity = capacity
    }

    /// The report of the last dropped frames, once the writer has ended.
    var lastReport: StreamRecord? { hasPending ? pending : nil }

    /// Reserves room for a cycle's frames. Without room they are dropped, and the lane's next record reports them.
    ///
    /// After `true`, call ``fill(channel:with:)`` for each channel, then ``end()``.
    @_noLocks
    mutating func begin(_ given: StreamRecord) -> Bool {
        var record = given
        if record.generation != newest {
            newest = record.generation
            record.isContinuation = false
            record.missedFrames = 0
        }
        if hasPending, pending.generation != record.generation, records.trySend(pending) {
            // The dropped frames of another stream are reported as its own.
            hasPending = false
        }
        let isOther = hasPending && pending.generation != record.generation
        guard !isOther, records.writableEvents > 0, record.frameCount <= room else {
            drop(record)
            return false
        }
        if hasPending {
            record.isContinuation = false
            record.missedFrames &+= pending.missedFrames
            record.droppedFrames &+= pending.droppedFrames
            hasPending = false
        }
        begun = record
        return true
    }

    /// Number of frames that fit now.
    private var room: Int {
        // Acquire: pairs with the reader's release, so that it no longer uses the frames.
        @_noLocks get { capacity &- (tail &- head.load(ordering: .acquiring)) }
    }

    @_noLocks
    private mutating func drop(_ record: StreamRecord) {
        if hasPending {
            pending.missedFrames &+= record.missedFrames
        } else {
            pending = record
            pending.frameCount = 0
            hasPending = true
        }
        pending.droppedFrames &+= record.frameCount
    }

    /// Writes one channel of the frames that were begun.
    @_noLocks
    func fill(channel: Int, with block: SampleBlock) {
        let start = tail & (capacity &- 1)
        let first = min(capacity &- start, block.frameCount)
        let row = channel &* capacity
        unsafe SampleBlock(rows.pointer(at: row &+ start), frameCount: first).copy(from: block.prefix(first))
        let rest = block.frameCount &- first
        guard rest > 0 else { return }
        unsafe SampleBlock(rows.pointer(at: row), frameCount: rest).copy(from: block.part(from: first, rest))
    }

    /// Hands the frames over.
    @_noLocks
    mutating func end() {
        tail &+= begun.frameCount
        // Released with the record: a reader that has it finds the samples.
        let isSent = records.trySend(begun)
        precondition(isSent, "no record was begun")
        begun.frameCount = 0
    }
}

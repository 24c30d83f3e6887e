// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The ring of a ``Writer``, planar floats at the graph's rate, and what both sides know of each other.
///
/// - Realtime: safe.
struct WriterRing: ~Copyable {
    /// A row of ``capacity`` samples for each channel.
    private let rows: Cells<Float>
    /// In frames; a power of two.
    let capacity: Int
    /// The largest number of frames in the ring, but for the end of a resampler's sound.
    let limit: Int
    // The frames in [head, tail) belong to the audio thread and all others to the writer. The owner of an index releases it,
    // and the other side acquires it.
    private let head = Atomic<Int>(0)
    private let tail = Atomic<Int>(0)
    private let ended = Atomic<Bool>(false)
    private let closed = Atomic<Bool>(false)
    private let replaced = Atomic<Bool>(false)
    /// The longest write since the sound ran out last, in frames.
    private let block = Atomic<Int>(0)
    /// How often the sound has run out, and how often it had at the last write.
    private let runOuts = Atomic<Int>(0)
    private let knownRunOuts = Atomic<Int>(0)

    private let droppedFrames = Atomic<UInt64>(0)
    private let underruns = Atomic<UInt64>(0)
    private let underrunFrames = Atomic<UInt64>(0)

    @_noLocks
    init(rows: Cells<Float>, capacity: Int, limit: Int) {
        self.rows = rows
        self.capacity = capacity
        self.limit = limit
    }

    // MARK: Audio thread

    var readableFrames: Int {
        @_noLocks get { tail.load(ordering: .acquiring) &- head.load(ordering: .relaxed) }
    }
    /// Number of frames that were ever taken.
    var readPosition: Int { @_noLocks get { head.load(ordering: .relaxed) } }

    /// What sound waits for before it begins: as many frames as either side may take or give at once, and a cycle more; or so much
    /// time. After that time blocks that are written at the graph's pace do not run out, and none needs more: when the first one is
    /// at its end, the next one is there. A block that is late may be late by that time less a cycle.
    ///
    /// - Parameters:
    ///   - cycle: number of frames.
    ///   - longestBlock: number of frames of a write from which on the time does not grow.
    @_noLocks
    func needed(cycle: Int, longestBlock: Int) -> (frames: Int, time: Int) {
        let block = block.load(ordering: .relaxed)
        return (min(max(block, cycle) &+ cycle, limit), max(min(block, longestBlock), cycle) &+ cycle)
    }

    @_noLocks
    func noteRunOut() { runOuts.wrappingAdd(1, ordering: .relaxed) }

    @_noLocks
    func copy(channel: Int, into place: SampleBlock) {
        let start = head.load(ordering: .relaxed) & (capacity &- 1)
        let first = min(capacity &- start, place.frameCount)
        let row = channel &* capacity
        place.prefix(first).copy(from: unsafe SampleBlock(rows.pointer(at: row &+ start), frameCount: first))
        let rest = place.frameCount &- first
        guard rest > 0 else { return }
        place.part(from: first, rest).copy(from: unsafe SampleBlock(rows.pointer(at: row), frameCount: rest))
    }

    @_noLocks
    func discard(_ frames: Int) { head.store(head.load(ordering: .relaxed) &+ frames, ordering: .releasing) }

    /// Removes frames, and counts them.
    @_noLocks
    func drop(_ frames: Int) {
        guard frames > 0 else { return }
        discard(frames)
        droppedFrames.wrappingAdd(UInt64(truncatingIfNeeded: frames), ordering: .relaxed)
    }

    @_noLocks
    func countUnderrun(_ frames: UInt64) {
        underruns.wrappingAdd(1, ordering: .relaxed)
        underrunFrames.wrappingAdd(frames, ordering: .relaxed)
    }

    // MARK: Writer

    /// Number of frames for the end of a resampler's sound, which comes at once and also when the ring is full: 1.1 ms at
    /// 8 kHz and more make so many at 384 kHz.
    static var reserve: Int { @_noLocks get { 2560 } }

    var writableFrames: Int { @_noLocks get { max(0, limit &- waitingFrames) } }
    /// Number of frames for which there is memory, the reserve included.
    var freeFrames: Int { @_noLocks get { capacity &- waitingFrames } }
    var waitingFrames: Int {
        @_noLocks get { tail.load(ordering: .relaxed) &- head.load(ordering: .acquiring) }
    }
    /// Number of frames that were ever written.
    var writePosition: Int { @_noLocks get { tail.load(ordering: .relaxed) } }
    /// The place of the next frame in the rows, and the number of frames from there to their end.
    var writePlace: (place: Int, room: Int) {
        @_noLocks get {
            let place = tail.load(ordering: .relaxed) & (capacity &- 1)
            return (place, capacity &- place)
        }
    }
    @_noLocks
    func commit(_ frames: Int) { tail.store(tail.load(ordering: .relaxed) &+ frames, ordering: .releasing) }

    /// A frame that was written before, also if it was taken.
    ///
    /// - Parameter position: one of the last ``capacity`` that were written.
    @_noLocks
    func sample(ofChannel channel: Int, at position: Int) -> Float {
        rows[channel &* capacity &+ (position & (capacity &- 1))]
    }

    /// Takes note of a write, before its frames are there: the audio thread sees it with the first of them.
    @_noLocks
    func note(writing frames: Int) {
        let count = runOuts.load(ordering: .relaxed)
        let hasRunOut = count != knownRunOuts.load(ordering: .relaxed)
        if hasRunOut { knownRunOuts.store(count, ordering: .relaxed) }
        if hasRunOut || frames > block.load(ordering: .relaxed) { block.store(frames, ordering: .relaxed) }
    }

    /// Counts frames that were not kept.
    @_noLocks
    func countDropped(_ frames: Int) {
        droppedFrames.wrappingAdd(UInt64(truncatingIfNeeded: frames), ordering: .relaxed)
    }

    // MARK: Either

    /// Whether nothing more will be written.
    var isEnded: Bool { @_noLocks get { ended.load(ordering: .acquiring) } }
    @_noLocks
    func end() { ended.store(true, ordering: .releasing) }

    /// Whether the port is closed: nothing is taken any more.
    var isClosed: Bool { @_noLocks get { closed.load(ordering: .acquiring) } }
    @_noLocks
    func close() { closed.store(true, ordering: .releasing) }

    /// Whether another writer has taken the place of this one: nothing more of it is played.
    var isReplaced: Bool { @_noLocks get { replaced.load(ordering: .acquiring) } }
    @_noLocks
    func replace() { replaced.store(true, ordering: .releasing) }

    /// Whether all sound was taken.
    var isEmpty: Bool {
        @_noLocks get { tail.load(ordering: .acquiring) == head.load(ordering: .acquiring) }
    }

    var counts: (dropped: UInt64, underruns: UInt64, underrunFrames: UInt64) {
        @_noLocks get {
            (
                droppedFrames.load(ordering: .relaxed), underruns.load(ordering: .relaxed),
                underrunFrames.load(ordering: .relaxed)
            )
        }
    }
}

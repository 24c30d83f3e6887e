// SPDX-License-Identifier: MIT
import CRealtime
import Synchronization

/// The memory and positions of a ``SampleRing``.
///
/// A struct behind a pointer: the audio thread's state is a struct, and a class in a struct cannot be called without a
/// retain.
@safe struct SampleRingCore: ~Copyable {
    // `storage` is shared. The frames in [head, tail) belong to the reader and all others to the writer. The owner of
    // an index releases it, and the other side acquires it.
    private let storage: UnsafeMutablePointer<Float>
    private let mask: Int
    private let head = Atomic<Int>(0)  // moved by the reader only
    private let tail = Atomic<Int>(0)  // moved by the writer only

    let channelCount: Int
    let capacity: Int
    /// 2^64 divided by the number of channels, rounded up; 0 for one channel.
    private let reciprocal: UInt64

    init(channelCount: Int, minimumCapacity: Int) {
        precondition(channelCount > 0 && minimumCapacity > 0)
        self.channelCount = channelCount
        var capacity = 1
        while capacity < minimumCapacity { capacity *= 2 }
        self.capacity = capacity
        mask = capacity - 1
        reciprocal = channelCount == 1 ? 0 : UInt64.max / UInt64(channelCount) + 1
        // On cache lines of its own: blocks begin on them more often.
        let count = capacity * channelCount
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
        unsafe storage = memory.bindMemory(to: Float.self, capacity: count)
        unsafe storage.initialize(repeating: 0, count: count)
    }

    deinit { unsafe storage.deallocate() }

    /// Number of frames for the reader.
    var readableFrames: Int {
        // Acquire: pairs with the writer's release in `commit`, so that the samples are visible.
        @_noLocks get { tail.load(ordering: .acquiring) - head.load(ordering: .relaxed) }
    }

    /// Number of free frames for the writer.
    var writableFrames: Int {
        // Acquire: pairs with the reader's release in `discard`, so that the reader no longer uses the frames.
        @_noLocks get { capacity - (tail.load(ordering: .relaxed) - head.load(ordering: .acquiring)) }
    }

    // MARK: Writer

    // Frames lie in one part of the storage, or in two: up to its end, and from its beginning. C copies each part.

    /// Writes whole frames behind the committed ones. They must fit.
    @_noLocks
    @inline(__always)
    func write(interleaved samples: UnsafePointer<Float>, frameCount: Int) {
        let (place, first) = part(at: tail.load(ordering: .relaxed), frameCount)
        unsafe crt_copy(storage + place &* channelCount, samples, number(first &* channelCount))
        let rest = frameCount &- first
        guard rest > 0 else { return }
        unsafe crt_copy(storage, samples + first &* channelCount, number(rest &* channelCount))
    }

    /// Writes one channel of the frames behind the committed ones. They must fit.
    @_noLocks
    func fill(channel: Int, from samples: UnsafePointer<Float>, frameCount: Int) {
        let (place, first) = part(at: tail.load(ordering: .relaxed), frameCount)
        let stride = number(channelCount)
        unsafe crt_scatter(storage + (place &* channelCount &+ channel), stride, samples, number(first))
        let rest = frameCount &- first
        guard rest > 0 else { return }
        unsafe crt_scatter(storage + channel, stride, samples + first, number(rest))
    }

    /// Hands over frames that are written in all channels.
    @_noLocks
    func commit(frameCount: Int) { tail.store(tail.load(ordering: .relaxed) + frameCount, ordering: .releasing) }

    // MARK: Reader

    /// Copies the oldest frames, which stay. The ring must hold that many.
    @_noLocks
    @inline(__always)
    func copy(frameCount: Int, to destination: UnsafeMutablePointer<Float>) {
        let (place, first) = part(at: head.load(ordering: .relaxed), frameCount)
        unsafe crt_copy(destination, storage + place &* channelCount, number(first &* channelCount))
        let rest = frameCount &- first
        guard rest > 0 else { return }
        unsafe crt_copy(destination + first &* channelCount, storage, number(rest &* channelCount))
    }

    /// Copies samples of one channel of the oldest frames, which stay. The ring must hold that many.
    @_noLocks
    func copy(frameCount: Int, ofChannel channel: Int, to destination: UnsafeMutablePointer<Float>) {
        let (place, first) = part(at: head.load(ordering: .relaxed), frameCount)
        let stride = number(channelCount)
        unsafe crt_gather(destination, storage + (place &* channelCount &+ channel), stride, number(first))
        let rest = frameCount &- first
        guard rest > 0 else { return }
        unsafe crt_gather(destination + first, storage + channel, stride, number(rest))
    }

    /// Gives the oldest frames back to the writer.
    @_noLocks
    func discard(frameCount: Int) { head.store(head.load(ordering: .relaxed) + frameCount, ordering: .releasing) }

    // MARK: Either

    /// The number of whole frames in so many samples.
    ///
    /// A division costs as much as copying some 60 frames. The product is exact: it is too large by less than count / 2^64.
    @_noLocks
    @inline(__always)
    func wholeFrames(in count: Int) -> Int {
        let samples = UInt64(truncatingIfNeeded: count)
        guard channelCount > 1 else { return count }
        guard samples >> 32 == 0 else { return count / channelCount }
        return Int(truncatingIfNeeded: samples.multipliedFullWidth(by: reciprocal).high)
    }

    /// The place of a frame in the storage, and how many of a number of frames lie from there to its end.
    @_noLocks
    @inline(__always)
    private func part(at index: Int, _ frameCount: Int) -> (place: Int, first: Int) {
        let place = index & mask
        return (place, min(capacity &- place, frameCount))
    }

    @_noLocks
    @inline(__always)
    private func number(_ count: Int) -> UInt64 { UInt64(truncatingIfNeeded: count) }
}

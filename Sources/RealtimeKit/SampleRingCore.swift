// SPDX-License-Identifier: MIT
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

    init(channelCount: Int, minimumCapacity: Int) {
        precondition(channelCount > 0 && minimumCapacity > 0)
        self.channelCount = channelCount
        var capacity = 1
        while capacity < minimumCapacity { capacity *= 2 }
        self.capacity = capacity
        mask = capacity - 1
        unsafe storage = .allocate(capacity: capacity * channelCount)
        unsafe storage.initialize(repeating: 0, count: capacity * channelCount)
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

    /// Writes whole frames behind the committed ones. They must fit.
    @_noLocks
    func write(interleaved samples: Span<Float>) {
        let start = tail.load(ordering: .relaxed)
        var index = (start & mask) * channelCount
        for sample in 0..<samples.count {
            unsafe storage[index] = samples[sample]
            index += 1
            if index == capacity * channelCount { index = 0 }
        }
    }

    /// Writes one channel of the frames behind the committed ones. They must fit.
    @_noLocks
    func fill(channel: Int, with samples: Span<Float>) {
        let start = tail.load(ordering: .relaxed)
        for frame in 0..<samples.count {
            unsafe storage[((start + frame) & mask) * channelCount + channel] = samples[frame]
        }
    }

    @_noLocks
    func fill(channel: Int, from samples: UnsafePointer<Float>, frameCount: Int) {
        let start = tail.load(ordering: .relaxed)
        for frame in 0..<frameCount {
            unsafe storage[((start + frame) & mask) * channelCount + channel] = samples[frame]
        }
    }

    /// Hands over frames that are written in all channels.
    @_noLocks
    func commit(frameCount: Int) { tail.store(tail.load(ordering: .relaxed) + frameCount, ordering: .releasing) }

    // MARK: Reader

    @_noLocks
    func read(into destination: inout MutableSpan<Float>) -> Int {
        let start = head.load(ordering: .relaxed)
        let count = min(readableFrames, destination.count / channelCount)
        for frame in 0..<count {
            let base = ((start + frame) & mask) * channelCount
            for channel in 0..<channelCount {
                unsafe destination[frame * channelCount + channel] = storage[base + channel]
            }
        }
        discard(frameCount: count)
        return count
    }

    /// Copies samples of one channel of the oldest frames, which stay. The ring must hold that many.
    @_noLocks
    func copy(frameCount: Int, ofChannel channel: Int, into destination: inout MutableSpan<Float>) {
        let start = head.load(ordering: .relaxed)
        for frame in 0..<frameCount {
            unsafe destination[frame] = storage[((start + frame) & mask) * channelCount + channel]
        }
    }

    @_noLocks
    func copy(frameCount: Int, ofChannel channel: Int, to destination: UnsafeMutablePointer<Float>) {
        let start = head.load(ordering: .relaxed)
        for frame in 0..<frameCount {
            unsafe destination[frame] = storage[((start + frame) & mask) * channelCount + channel]
        }
    }

    /// Gives the oldest frames back to the writer.
    @_noLocks
    func discard(frameCount: Int) { head.store(head.load(ordering: .relaxed) + frameCount, ordering: .releasing) }
}

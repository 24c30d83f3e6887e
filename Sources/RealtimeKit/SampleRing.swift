// SPDX-License-Identifier: MIT
import Synchronization

/// A ring of interleaved samples between one writing and one reading thread, in whole frames.
///
/// Neither side waits for the other: what does not fit is not written, and the writer is told.
@safe package final class SampleRing: @unchecked Sendable {
    // @unchecked: the pointer never changes, and what it leads to is made for two threads.
    let core: UnsafeMutablePointer<SampleRingCore>

    /// - Parameter minimumCapacity: frames; rounded up to a power of two.
    package init(channelCount: Int, minimumCapacity: Int) {
        unsafe core = .allocate(capacity: 1)
        unsafe core.initialize(to: SampleRingCore(channelCount: channelCount, minimumCapacity: minimumCapacity))
    }

    deinit {
        unsafe core.deinitialize(count: 1)
        unsafe core.deallocate()
    }

    package var channelCount: Int { @_noLocks get { unsafe core.pointee.channelCount } }

    /// In frames.
    package var capacity: Int { @_noLocks get { unsafe core.pointee.capacity } }

    /// Frames that can be read. Exact for the reader, a lower bound for anybody else.
    package var readableFrames: Int { @_noLocks get { unsafe core.pointee.readableFrames } }

    /// Frames that can be written. Exact for the writer, a lower bound for anybody else.
    package var writableFrames: Int { @_noLocks get { capacity - readableFrames } }

    /// Writes `frameCount` frames, sample by sample as `sample(frame, channel)` gives them, or nothing if they do not fit.
    ///
    /// - Thread: the writer's.
    /// - Realtime: safe if `sample` is.
    @_noLocks
    package func tryWrite(frameCount: Int, _ sample: (_ frame: Int, _ channel: Int) -> Float) -> Bool {
        unsafe core.pointee.tryWrite(frameCount: frameCount, sample)
    }

    /// Reads at most `maximum` frames into `destination`, interleaved, and returns how many.
    ///
    /// - Thread: the reader's.
    /// - Realtime: safe.
    @_noLocks
    package func read(into destination: inout MutableSpan<Float>, maximum: Int) -> Int {
        unsafe core.pointee.read(into: &destination, maximum: maximum)
    }
}

/// The ring itself. A struct behind a pointer, because a class that lies in a struct cannot be called without a retain,
/// and the audio thread's state is a struct.
@safe struct SampleRingCore: ~Copyable {
    // `storage` is shared, but the frames in [head, tail) belong to the reader and all others to the writer; the release
    // of an index by its one owner is what the other side's acquire pairs with.
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

    var readableFrames: Int {
        @_noLocks get { tail.load(ordering: .acquiring) - head.load(ordering: .acquiring) }
    }

    @_noLocks
    func tryWrite(frameCount: Int, _ sample: (_ frame: Int, _ channel: Int) -> Float) -> Bool {
        guard hasRoom(forFrames: frameCount) else { return false }
        let start = tail.load(ordering: .relaxed)
        for frame in 0..<frameCount {
            let base = ((start + frame) & mask) * channelCount
            for channel in 0..<channelCount {
                unsafe storage[base + channel] = sample(frame, channel)
            }
        }
        commit(frameCount: frameCount)
        return true
    }

    // The same in three steps, for a writer that has its channels one by one.

    @_noLocks
    func hasRoom(forFrames frameCount: Int) -> Bool {
        // Acquire: pairs with the reader's release in `read`, so that it is done with the frames we overwrite.
        frameCount <= capacity - (tail.load(ordering: .relaxed) - head.load(ordering: .acquiring))
    }

    /// One channel of the frames behind those that were committed. There is room for them.
    @_noLocks
    func fill(channel: Int, with samples: Span<Float>) {
        let start = tail.load(ordering: .relaxed)
        for frame in 0..<samples.count {
            unsafe storage[((start + frame) & mask) * channelCount + channel] = samples[frame]
        }
    }

    /// Hands frames over that are filled in all channels.
    @_noLocks
    func commit(frameCount: Int) { tail.store(tail.load(ordering: .relaxed) + frameCount, ordering: .releasing) }

    @_noLocks
    func read(into destination: inout MutableSpan<Float>, maximum: Int) -> Int {
        let start = head.load(ordering: .relaxed)
        // Acquire: pairs with the writer's release in `commit`, so that the samples are there.
        let available = tail.load(ordering: .acquiring) - start
        let count = min(min(available, maximum), destination.count / channelCount)
        for frame in 0..<count {
            let base = ((start + frame) & mask) * channelCount
            for channel in 0..<channelCount {
                unsafe destination[frame * channelCount + channel] = storage[base + channel]
            }
        }
        head.store(start + count, ordering: .releasing)
        return count
    }
}

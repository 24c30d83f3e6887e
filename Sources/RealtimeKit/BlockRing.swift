// SPDX-License-Identifier: MIT
import Synchronization

/// Tells one reading thread about the blocks that it gets through a ``SampleRing``: a block is put in after its samples
/// are, so whoever sees it sees them too.
///
/// A struct, so that the audio thread can reach it through a plain pointer, without a retain.
@safe struct BlockRing: ~Copyable, @unchecked Sendable {
    // @unchecked: `storage` is shared, but the blocks in [head, tail) belong to the reader and all others to the writer;
    // the release of an index by its one owner is what the other side's acquire pairs with.
    private let storage: UnsafeMutablePointer<CapturedBlock>
    private let mask: Int
    private let head = Atomic<Int>(0)  // moved by the reader only
    private let tail = Atomic<Int>(0)  // moved by the writer only

    /// - Parameter minimumCapacity: blocks; rounded up to a power of two.
    init(minimumCapacity: Int) {
        precondition(minimumCapacity > 0)
        var capacity = 1
        while capacity < minimumCapacity { capacity *= 2 }
        mask = capacity - 1
        unsafe storage = .allocate(capacity: capacity)
        // Written to, so that the audio thread is the first on no page.
        unsafe storage.initialize(
            repeating: CapturedBlock(stream: 0, position: 0, frameCount: 0, channelCount: 0), count: capacity)
    }

    deinit { unsafe storage.deallocate() }

    /// Whether one more can be put in.
    ///
    /// - Thread: the writer's.
    /// - Realtime: safe.
    var hasRoom: Bool {
        // Acquire: pairs with the reader's release in `removeFirst`, so that it is done with the slot.
        @_noLocks get { tail.load(ordering: .relaxed) - head.load(ordering: .acquiring) <= mask }
    }

    /// Puts in a block, for which there is room.
    ///
    /// - Thread: the writer's.
    /// - Realtime: safe.
    @_noLocks
    func put(_ block: CapturedBlock) {
        let end = tail.load(ordering: .relaxed)
        unsafe storage[end & mask] = block
        tail.store(end + 1, ordering: .releasing)
    }

    /// The oldest block, which stays.
    ///
    /// - Thread: the reader's.
    /// - Realtime: safe.
    var first: CapturedBlock? {
        @_noLocks get {
            let start = head.load(ordering: .relaxed)
            // Acquire: pairs with the writer's release in `put`, so that the block is there.
            guard tail.load(ordering: .acquiring) > start else { return nil }
            return unsafe storage[start & mask]
        }
    }

    /// Removes the oldest block, which there must be.
    ///
    /// - Thread: the reader's.
    /// - Realtime: safe.
    @_noLocks
    func removeFirst() {
        head.store(head.load(ordering: .relaxed) + 1, ordering: .releasing)
    }
}

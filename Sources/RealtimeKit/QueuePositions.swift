// SPDX-License-Identifier: MIT
import Synchronization

/// The next slot of a queue for each of its ends. The queue owns the slots.
@usableFromInline struct QueuePositions: ~Copyable, Sendable {
    // The slots in [head, tail) belong to the reader and all others to the writer. The owner of a position releases it,
    // and the other side acquires it.
    private let head = Atomic<Int>(0)  // moved by the reader only
    private let tail = Atomic<Int>(0)  // moved by the writer only
    let capacity: Int

    /// - Parameter minimumCapacity: rounded up to a power of two.
    init(minimumCapacity: Int) {
        precondition(minimumCapacity > 0, "a queue has room for one event or more")
        var capacity = 1
        while capacity < minimumCapacity { capacity *= 2 }
        self.capacity = capacity
    }

    /// Number of free slots, for the writer.
    @_noLocks
    @usableFromInline
    func writableSlots() -> Int {
        // Acquire: pairs with the release in `commitRead`, so that the reader no longer uses the slots.
        capacity - (tail.load(ordering: .relaxed) - head.load(ordering: .acquiring))
    }

    /// The next slot to write; -1 if none is free.
    @_noLocks
    @usableFromInline
    func slotToWrite() -> Int { writableSlots() > 0 ? tail.load(ordering: .relaxed) & (capacity - 1) : -1 }

    @_noLocks
    @usableFromInline
    func commitWrite() { tail.store(tail.load(ordering: .relaxed) + 1, ordering: .releasing) }

    /// The next slot to read; -1 if none is filled.
    @_noLocks
    @usableFromInline
    func slotToRead() -> Int {
        let start = head.load(ordering: .relaxed)
        // Acquire: pairs with the release in `commitWrite`, so that the event is visible.
        return tail.load(ordering: .acquiring) > start ? start & (capacity - 1) : -1
    }

    @_noLocks
    @usableFromInline
    func commitRead() { head.store(head.load(ordering: .relaxed) + 1, ordering: .releasing) }
}

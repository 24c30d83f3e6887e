// SPDX-License-Identifier: MIT
import Synchronization

/// Which slot of a queue is next for each of its ends. What lies in the slots is the owner's.
@usableFromInline struct QueuePositions: ~Copyable, Sendable {
    // The slots in [head, tail) belong to the reader and all others to the writer; the release of a position by its one
    // owner is what the other side's acquire pairs with.
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

    /// Slots that are free, for the writer.
    @_noLocks
    @usableFromInline
    func writableSlots() -> Int {
        // Acquire: pairs with the release in `commitRead`, so that the reader is done with the slots.
        capacity - (tail.load(ordering: .relaxed) - head.load(ordering: .acquiring))
    }

    /// -1 if there is no room.
    @_noLocks
    @usableFromInline
    func slotToWrite() -> Int { writableSlots() > 0 ? tail.load(ordering: .relaxed) & (capacity - 1) : -1 }

    @_noLocks
    @usableFromInline
    func commitWrite() { tail.store(tail.load(ordering: .relaxed) + 1, ordering: .releasing) }

    /// -1 if there is nothing.
    @_noLocks
    @usableFromInline
    func slotToRead() -> Int {
        let start = head.load(ordering: .relaxed)
        // Acquire: pairs with the release in `commitWrite`, so that the event is there.
        return tail.load(ordering: .acquiring) > start ? start & (capacity - 1) : -1
    }

    @_noLocks
    @usableFromInline
    func commitRead() { head.store(head.load(ordering: .relaxed) + 1, ordering: .releasing) }
}

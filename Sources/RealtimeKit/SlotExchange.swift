// SPDX-License-Identifier: MIT
import Synchronization

/// Deals out the slots of a ``TripleBuffer``, by their numbers 0, 1 and 2. Not generic, so that its functions can be
/// `@_noLocks` in a debug build too.
@usableFromInline struct SlotExchange: ~Copyable, Sendable {
    /// The slot in the middle; with ``isNew`` set, the reader has not had it yet.
    private let middle = Atomic<UInt8>(1)
    private static var isNew: UInt8 { @_noLocks get { 4 } }

    /// The slot to write first.
    @usableFromInline static var firstWritten: Int { @_noLocks get { 0 } }
    /// The slot that the reader has before anything was published.
    @usableFromInline static var firstRead: Int { @_noLocks get { 2 } }

    @usableFromInline init() {}

    /// Publishes what was written to a slot.
    ///
    /// - Returns: the slot to write next, which may hold anything; and whether the reader has had what was published
    ///   before, and may have it still. If not it never will.
    /// - Thread: the writer's.
    /// - Realtime: safe.
    @_noLocks
    @usableFromInline
    func replace(_ slot: Int) -> (slot: Int, wasTaken: Bool) {
        // Release: the reader is to see what was written. Acquire: it must be done with the slot that comes back.
        let old = middle.exchange(UInt8(truncatingIfNeeded: slot) | Self.isNew, ordering: .acquiringAndReleasing)
        return (Int(truncatingIfNeeded: old & 3), old & Self.isNew == 0)
    }

    /// The slot to read now: the newest that was published, or the same as before.
    ///
    /// - Thread: the reader's.
    /// - Realtime: safe.
    @_noLocks
    @usableFromInline
    func take(_ slot: Int) -> Int {
        // Relaxed: only a hint; the exchange below is what counts.
        guard middle.load(ordering: .relaxed) & Self.isNew != 0 else { return slot }
        let old = middle.exchange(UInt8(truncatingIfNeeded: slot), ordering: .acquiringAndReleasing)
        return Int(truncatingIfNeeded: old & 3)
    }
}

// SPDX-License-Identifier: MIT
import Synchronization

/// The exchange of the slots of a ``TripleBuffer``, by their numbers 0, 1 and 2. Not generic, so that its functions can
/// be `@_noLocks` in a debug build too.
@usableFromInline struct SlotExchange: ~Copyable, Sendable {
    /// The slot in the middle; with ``isNew`` set, the reader has not taken it yet.
    private let middle = Atomic<UInt8>(1)
    private static var isNew: UInt8 { @_noLocks get { 4 } }

    /// The first slot to write.
    @usableFromInline static var firstWritten: Int { @_noLocks get { 0 } }
    /// The slot that the reader has before the first one is published.
    @usableFromInline static var firstRead: Int { @_noLocks get { 2 } }

    @usableFromInline init() {}

    /// Publishes a written slot.
    ///
    /// - Returns: the slot to write next, with any content; and whether the reader has taken the slot that was
    ///   published before, and may still use it. If it has not taken it, it never will.
    /// - Thread: the writer's.
    /// - Realtime: safe.
    @_noLocks
    @usableFromInline
    func replace(_ slot: Int) -> (slot: Int, wasTaken: Bool) {
        // Release: the slot's content is visible to the reader. Acquire: the reader no longer uses the slot that comes
        // back.
        let old = middle.exchange(UInt8(truncatingIfNeeded: slot) | Self.isNew, ordering: .acquiringAndReleasing)
        return (Int(truncatingIfNeeded: old & 3), old & Self.isNew == 0)
    }

    /// The slot to read now: the newest that was published, or the present one.
    ///
    /// - Thread: the reader's.
    /// - Realtime: safe.
    @_noLocks
    @usableFromInline
    func take(_ slot: Int) -> Int {
        // Relaxed: only a hint; the exchange decides.
        guard middle.load(ordering: .relaxed) & Self.isNew != 0 else { return slot }
        let old = middle.exchange(UInt8(truncatingIfNeeded: slot), ordering: .acquiringAndReleasing)
        return Int(truncatingIfNeeded: old & 3)
    }
}

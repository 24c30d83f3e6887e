// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The last xruns of a port: written by the audio thread, read by any thread without a lock. A view of ``XrunMemory``.
struct XrunRing {
    /// An xrun as the audio thread sees it.
    struct Entry: Sendable, Equatable {
        /// Position of the first missed frame, in the app's time.
        var position: UInt64
        var missedFrames: UInt64
        /// The start of the first cycle after it, on CLOCK_MONOTONIC.
        var nanoseconds: UInt64
        /// The number of the clock.
        var clock: UInt32
        /// The sample rate, in hertz.
        var rate: UInt32
        /// Whether the port's own callback had taken longer than its cycle just before.
        var isOwn: Bool

        @_noLocks
        init(
            position: UInt64, missedFrames: UInt64, nanoseconds: UInt64, clock: UInt32, rate: UInt32, isOwn: Bool
        ) {
            self.position = position
            self.missedFrames = missedFrames
            self.nanoseconds = nanoseconds
            self.clock = clock
            self.rate = rate
            self.isOwn = isOwn
        }
    }

    /// An entry in memory.
    struct Slot: ~Copyable {
        fileprivate let position = Atomic<UInt64>(0)
        fileprivate let missedFrames = Atomic<UInt64>(0)
        fileprivate let nanoseconds = Atomic<UInt64>(0)
        fileprivate let clock = Atomic<UInt32>(0)
        fileprivate let rate = Atomic<UInt32>(0)
        fileprivate let isOwn = Atomic<Bool>(false)

        init() {}
    }

    /// The number of xruns that are given out.
    static let length = 16
    /// Twice as many, so that a reader has time to copy an entry before it is written over.
    @usableFromInline static var capacity: UInt64 { @_noLocks get { 32 } }

    private let slots: Cells<Slot>

    init(_ slots: Cells<Slot>) { self.slots = slots }

    /// Writes the entry of an xrun. Its count is published afterwards.
    @_noLocks
    func put(_ entry: Entry, number: UInt64) {
        let index = Int(truncatingIfNeeded: number % Self.capacity)
        slots[index].position.store(entry.position, ordering: .relaxed)
        slots[index].missedFrames.store(entry.missedFrames, ordering: .relaxed)
        slots[index].nanoseconds.store(entry.nanoseconds, ordering: .relaxed)
        slots[index].clock.store(entry.clock, ordering: .relaxed)
        slots[index].rate.store(entry.rate, ordering: .relaxed)
        slots[index].isOwn.store(entry.isOwn, ordering: .relaxed)
    }

    /// The last entries with their numbers, oldest first.
    ///
    /// - Parameter count: the present number of xruns, acquired.
    func last(before count: () -> UInt64) -> [(number: UInt64, entry: Entry)] {
        let end = count()
        let first = end - min(end, UInt64(Self.length))
        let found = (first..<end).map { (number: $0, entry: entry($0)) }
        atomicMemoryFence(ordering: .acquiring)
        // The entry that may be written now, and those before it, are those of earlier numbers.
        let now = count()
        return found.filter { $0.number + Self.capacity > now }
    }

    private func entry(_ number: UInt64) -> Entry {
        let index = Int(number % Self.capacity)
        return Entry(
            position: slots[index].position.load(ordering: .relaxed),
            missedFrames: slots[index].missedFrames.load(ordering: .relaxed),
            nanoseconds: slots[index].nanoseconds.load(ordering: .relaxed),
            clock: slots[index].clock.load(ordering: .relaxed), rate: slots[index].rate.load(ordering: .relaxed),
            isOwn: slots[index].isOwn.load(ordering: .relaxed))
    }
}

/// Owns the memory of a port's last xruns.
final class XrunMemory: @unchecked Sendable {
    // @unchecked: the slots are atomic.
    private let slots = OwnedCells<XrunRing.Slot>(count: Int(XrunRing.capacity)) { _ in XrunRing.Slot() }

    var ring: XrunRing { XrunRing(slots.cells) }
}

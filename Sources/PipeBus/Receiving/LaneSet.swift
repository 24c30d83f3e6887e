// SPDX-License-Identifier: MIT
import Synchronization

/// A set of a receiver's lanes.
///
/// The number of lanes is limited here alone: a wider ``Bits`` allows more.
///
/// - Thread: any. A value.
struct LaneSet: Equatable, Sendable, Sequence {
    fileprivate typealias Bits = UInt64
    fileprivate var bits: Bits

    /// The largest number of lanes of a receiver.
    static var capacity: Int { @_noLocks get { Bits.bitWidth } }

    /// The empty set.
    @_noLocks
    @inline(__always)
    init() { bits = 0 }

    init(_ lanes: some Sequence<Int>) {
        bits = 0
        for lane in lanes { insert(lane) }
    }

    @_noLocks
    @inline(__always)
    fileprivate init(bits: Bits) { self.bits = bits }

    var isEmpty: Bool { @_noLocks @inline(__always) get { bits == 0 } }
    /// Lanes in the set.
    var count: Int { @_noLocks @inline(__always) get { bits.nonzeroBitCount } }

    /// The only lane of the set, if the set has one.
    var only: Int? {
        @_noLocks @inline(__always) get {
            bits != 0 && bits & (bits &- 1) == 0 ? bits.trailingZeroBitCount : nil
        }
    }

    @_noLocks
    @inline(__always)
    func contains(_ lane: Int) -> Bool { bits & Self.bit(lane) != 0 }

    @_noLocks
    @inline(__always)
    mutating func insert(_ lane: Int) { bits |= Self.bit(lane) }

    @_noLocks
    @inline(__always)
    mutating func subtract(_ other: LaneSet) { bits &= ~other.bits }

    @_noLocks
    @inline(__always)
    func union(_ other: LaneSet) -> LaneSet { LaneSet(bits: bits | other.bits) }

    // Not synthesized: the audio thread compares sets, and each of its functions is @_noLocks.
    @_noLocks
    @inline(__always)
    static func == (left: LaneSet, right: LaneSet) -> Bool { left.bits == right.bits }

    @_noLocks
    @inline(__always)
    private static func bit(_ lane: Int) -> Bits {
        assert(lane >= 0 && lane < capacity, "no such lane")
        return 1 << Bits(truncatingIfNeeded: lane)
    }

    // MARK: In order, the lowest lane first

    struct Iterator: IteratorProtocol {
        fileprivate var rest: LaneSet

        @_noLocks
        @inline(__always)
        fileprivate init(_ set: LaneSet) { rest = set }

        @_noLocks
        @inline(__always)
        mutating func next() -> Int? {
            if rest.bits == 0 { return nil }
            let lane = rest.bits.trailingZeroBitCount
            rest.bits &= rest.bits &- 1
            return lane
        }
    }

    @_noLocks
    @inline(__always)
    func makeIterator() -> Iterator { Iterator(self) }
}

/// A set of lanes that one thread stores and any thread loads.
///
/// - Thread: any.
struct AtomicLaneSet: ~Copyable, Sendable {
    // Relaxed: no other value is published with it.
    private let bits = Atomic<LaneSet.Bits>(0)

    func load() -> LaneSet { LaneSet(bits: bits.load(ordering: .relaxed)) }
    func store(_ set: LaneSet) { bits.store(set.bits, ordering: .relaxed) }
}

// SPDX-License-Identifier: MIT

/// Finds the first of an app's nodes in a graph cycle.
///
/// A cycle is known by its clock and its position, and not by its time, which may be rewritten while it runs. But a
/// position may stand still: not every program that drives a graph counts. What decides then is that a node runs once in
/// a cycle, so one that comes again brings another.
///
/// A node that was held up may come several times in one cycle, for those that it missed and for the one that it found
/// running. The time of these is the same. So a node's coming again counts at once if the time is another; if that stands
/// still as well, only once it has come so often that nothing else explains it, and from then on each time.
///
/// All nodes of an app are processed by one thread, so there is nothing here to lock: see ``BusClient/checkThread(of:)``.
struct CycleGate: Sendable {
    private var clock: UInt32 = 0
    private var position: UInt64 = 0
    private var nanoseconds: UInt64 = 0
    /// How often a node comes again before time is taken to stand still. Held up on purpose for many cycles at a time, nodes
    /// came three times.
    static var standstill: Int { @_noLocks get { 16 } }

    /// Of the cycles; the first is 1.
    private var number: UInt64 = 0

    /// What the gate keeps of one node.
    struct Mark: Sendable {
        /// The cycle that the node was last seen in.
        fileprivate var number: UInt64 = 0
        /// How many times it came again in that one.
        fileprivate var repeats = 0

        @_noLocks
        init() {}
    }

    init() {}

    /// - Returns: whether nobody came in this cycle before.
    /// - Realtime: safe.
    @_noLocks
    mutating func isFirst(_ mark: inout Mark, clock: UInt32, position: UInt64, nanoseconds: UInt64) -> Bool {
        var repeats = 0
        if number > 0, clock == self.clock, position == self.position {
            guard mark.number == number else {
                mark.number = number
                mark.repeats = 0
                return false
            }
            mark.repeats += 1
            if nanoseconds == self.nanoseconds {
                guard mark.repeats >= Self.standstill else { return false }
                repeats = Self.standstill - 1
            }
        }
        self.clock = clock
        self.position = position
        self.nanoseconds = nanoseconds
        number &+= 1
        mark.number = number
        mark.repeats = repeats
        return true
    }
}

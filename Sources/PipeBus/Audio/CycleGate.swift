// SPDX-License-Identifier: MIT

/// Tells which of an app's nodes is the first one in a graph cycle.
///
/// A cycle is known by its clock and its position, and not by its time, which may be written anew while it runs. But a
/// position may stand still: not every program that drives a graph counts. What tells then is that a node runs once in
/// a cycle, so one that comes again brings another.
///
/// A node that was held up may come twice in one cycle, for the one that it missed and for the one that it found running.
/// The time of the two is the same. So a node's coming again counts at once if the time is another, and the second time if
/// it stands still as well.
///
/// All nodes of an app are processed by one thread, so there is nothing here to lock: see ``BusClient/checkThread(of:)``.
struct CycleGate: Sendable {
    private var clock: UInt32 = 0
    private var position: UInt64 = 0
    private var nanoseconds: UInt64 = 0
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
        let isSame = number > 0 && clock == self.clock && position == self.position
        if isSame {
            guard mark.number == number else {
                mark.number = number
                mark.repeats = 0
                return false
            }
            mark.repeats += 1
            if nanoseconds == self.nanoseconds, mark.repeats < 2 { return false }
        }
        self.clock = clock
        self.position = position
        self.nanoseconds = nanoseconds
        number &+= 1
        mark.number = number
        // Where the clock goes on standing still, each time counts from now on.
        mark.repeats = isSame ? 1 : 0
        return true
    }
}

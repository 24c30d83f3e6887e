// SPDX-License-Identifier: MIT

/// Finds the first of an app's nodes in a graph cycle.
///
/// A cycle is identified by its clock and its position. Its time is no key, because it may be rewritten while the cycle
/// runs.
///
/// A position may stand still, because not every program that drives a graph counts. Then the rule is that a node runs
/// once in a cycle: when it runs again, a new cycle has begun.
///
/// A late node may run several times in one cycle, for the cycles that it missed and for the present one. All of these
/// have the same time. So a repeated node counts as follows:
///
/// - with another time: at once;
/// - with the same time: once it has repeated ``standstill`` times, and from then on each time.
///
/// All nodes of an app are processed by one thread, so no lock is needed: see ``PortMaker/checkThread(of:)``.
struct CycleGate: Sendable {
    private var clock: UInt32 = 0
    private var position: UInt64 = 0
    private var nanoseconds: UInt64 = 0
    /// The number of repeats after which time is taken to stand still. Nodes that were held up on purpose for many
    /// cycles repeated three times.
    static var standstill: Int { @_noLocks get { 16 } }

    /// The number of the present cycle; the first is 1.
    private var number: UInt64 = 0

    /// The gate's state of one node.
    struct Mark: Sendable {
        /// The cycle in which the node ran last.
        fileprivate var number: UInt64 = 0
        /// How many times it repeated in that cycle.
        fileprivate var repeats = 0

        @_noLocks
        init() {}
    }

    init() {}

    /// - Returns: whether the node is the first of its app in this cycle.
    /// - Realtime: safe.
    @_noLocks
    mutating func isFirst(_ mark: inout Mark, _ moment: GraphMoment, nanoseconds: UInt64) -> Bool {
        var repeats = 0
        if number > 0, moment.clock == clock, moment.position == position {
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
        clock = moment.clock
        position = moment.position
        self.nanoseconds = nanoseconds
        number &+= 1
        mark.number = number
        mark.repeats = repeats
        return true
    }
}

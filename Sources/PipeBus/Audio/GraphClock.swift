// SPDX-License-Identifier: MIT

/// The clock of a position in the graph.
///
/// A graph is driven by one device at a time, and each device counts frames on a clock of its own. Positions on two
/// clocks cannot be compared. The time between two such cycles is known from ``AudioCycle/startTime`` alone.
///
/// PipeWire reuses the ids behind this value. So a clock that is equal to an earlier one may still be another clock,
/// with other positions.
///
/// - Thread: any. A value; meaningful for as long as the connection to the daemon lasts.
/// - Realtime: safe.
public struct GraphClock: Sendable, Hashable {
    private let id: UInt32

    @_noLocks
    @inline(__always)
    package init(id: UInt32) { self.id = id }

    // Not synthesized, because a block that is checked for real-time safety may compare clocks.
    @_noLocks
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }
}

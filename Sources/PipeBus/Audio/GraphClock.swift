// SPDX-License-Identifier: MIT

/// Which clock the positions of graph cycles are on.
///
/// A graph is driven by one device at a time, and each device counts frames on a clock of its own. Positions on two clocks
/// cannot be compared: what passed between two such cycles is known from ``AudioCycle/startTime`` alone.
///
/// PipeWire reuses the ids that this stands for. A clock that is equal to an earlier one may therefore be another one,
/// whose positions begin elsewhere.
///
/// - Thread: any. A value; meaningful for as long as the connection to the daemon lasts.
/// - Realtime: safe.
public struct GraphClock: Sendable, Hashable {
    private let id: UInt32

    @_noLocks
    @inline(__always)
    package init(id: UInt32) { self.id = id }

    // Not left to the compiler: a block that is checked for real-time safety may compare clocks.
    @_noLocks
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }
}

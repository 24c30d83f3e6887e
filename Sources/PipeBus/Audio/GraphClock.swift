// SPDX-License-Identifier: MIT

/// A period in which one device counted the frames of ``AudioCycle/position`` at one sample rate.
///
/// A graph is driven by one device at a time, and each device counts frames on a clock of its own. On one clock the
/// difference of two positions is exact. Over a change of clock it is the time between them on the system's monotonic
/// clock, at the new clock's rate. That does not count the time in which the computer sleeps. A clock ends in these cases:
///
/// - another device drives the graph;
/// - the sample rate changes;
/// - the daemon was restarted;
/// - the graph or its device stood still, for example in a debugger, and its positions with it.
///
/// No clock of a client is equal to an earlier one.
///
/// - Thread: any. A value; meaningful for as long as the client lives.
/// - Realtime: safe.
public struct GraphClock: Sendable, Hashable {
    /// The first clock of a client is 1.
    let number: UInt32

    @_noLocks
    @inline(__always)
    package init(number: UInt32) { self.number = number }

    // Not synthesized, because a block that is checked for real-time safety may compare clocks.
    @_noLocks
    public static func == (left: Self, right: Self) -> Bool { left.number == right.number }
}

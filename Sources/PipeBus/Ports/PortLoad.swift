// SPDX-License-Identifier: MIT
import CRealtime

/// The share of the cycles' time that a port's own callback takes: its process block with the library's work around it. 1 is
/// the whole cycle, which all ports of the graph share.
///
/// It is measured in time, not in processor time: a callback that another thread interrupts takes longer. While the graph
/// freewheels it is the share of the time that the cycle's frames last.
///
/// - Thread: any. A value.
/// - Realtime: safe.
public struct PortLoad: Sendable, Hashable {
    /// The mean over about a second: each cycle counts by its duration, and older ones exponentially less. At most the
    /// maximum.
    public let mean: Float
    /// The largest share of one cycle in the last second, and up to a second before that.
    public let maximum: Float

    @_noLocks
    @inline(__always)
    init(mean: Float, maximum: Float) {
        // It takes longer to forget a call that was much too long.
        self.mean = mean < maximum ? mean : maximum
        self.maximum = maximum
    }

    // Not synthesized, because a block that is checked for real-time safety may compare loads.
    @_noLocks
    public static func == (left: Self, right: Self) -> Bool {
        left.mean == right.mean && left.maximum == right.maximum
    }
}

extension crt_load {
    /// Whether the last call that has ended took longer than its cycle.
    var wasOverrun: Bool { @_noLocks get { overruns > 0 && overrun_ended == ended } }
}

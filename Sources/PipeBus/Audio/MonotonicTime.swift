// SPDX-License-Identifier: MIT
import CRealtime

/// A moment on the system's monotonic clock (CLOCK_MONOTONIC), in nanoseconds. It does not jump when the date is set.
///
/// - Thread: any. A value.
/// - Realtime: safe.
public struct MonotonicTime: Sendable, Hashable, Comparable {
    /// Nanoseconds since an arbitrary moment, usually the start of the computer.
    public let nanoseconds: UInt64

    /// Creates the moment at which the clock shows that many nanoseconds.
    ///
    /// - Realtime: safe.
    @_noLocks
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// The present moment.
    ///
    /// - Realtime: safe. It takes no system call where the kernel maps its clock into processes, as it nearly always does.
    public static var now: MonotonicTime {
        @_noLocks get { MonotonicTime(nanoseconds: crt_now()) }
    }

    @_noLocks
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}

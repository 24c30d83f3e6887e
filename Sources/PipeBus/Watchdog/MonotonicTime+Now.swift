// SPDX-License-Identifier: MIT
import Glibc

extension MonotonicTime {
    /// The present moment. For the control side.
    static var now: MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }
}

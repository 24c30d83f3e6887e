// SPDX-License-Identifier: MIT
import Glibc

extension Duration {
    /// The processor time that this thread has taken so far. For the control side.
    static var threadTime: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import Synchronization

/// A process block that does not return.
extension PortProbe.Memory {
    func hangIfAsked() {
        let nanoseconds = unsafe hangNanoseconds.exchange(0, ordering: .relaxed)
        guard nanoseconds > 0 else { return }
        // A stop of the process interrupts it.
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let end = now.tv_sec * 1_000_000_000 + now.tv_nsec + nanoseconds
        var until = timespec(tv_sec: end / 1_000_000_000, tv_nsec: end % 1_000_000_000)
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nil) == EINTR {}
    }
}

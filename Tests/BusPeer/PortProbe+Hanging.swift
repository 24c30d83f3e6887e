// SPDX-License-Identifier: MIT
import Glibc
import Synchronization

/// A process block that does not return.
extension PortProbe.Memory {
    func hangIfAsked() {
        let nanoseconds = unsafe hangNanoseconds.exchange(0, ordering: .acquiring)
        guard nanoseconds > 0 else { return }
        var now = unsafe Self.now
        let end = now + nanoseconds
        // In short pieces, because the control side may end it.
        while now < end, unsafe !isReleased.load(ordering: .relaxed) {
            let next = min(end, now + 1_000_000)
            var until = timespec(tv_sec: next / 1_000_000_000, tv_nsec: next % 1_000_000_000)
            // A stop of the process interrupts it.
            while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nil) == EINTR {}
            now = unsafe Self.now
        }
    }

    /// CLOCK_MONOTONIC, in nanoseconds.
    private static var now: Int {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return now.tv_sec * 1_000_000_000 + now.tv_nsec
    }
}

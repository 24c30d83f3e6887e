// SPDX-License-Identifier: MIT
import CPipeWireShims

/// Calls back once on the loop, unless cancelled before. It needs no descriptor: all timers of a loop share one. Confined to the
/// loop.
@safe package final class LoopTimer {
    private var timer: OpaquePointer?
    private let fired: () -> Void
    /// The loop must outlive its timers.
    private let loop: PipeWireLoop

    package init(on loop: PipeWireLoop, after delay: Duration, fired: @escaping () -> Void) {
        self.fired = fired
        self.loop = loop
        let nanoseconds = Self.nanoseconds(delay)
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe timer = pbpw_timer_new(
            loop.pointer, nanoseconds,
            { data in
                let timer = unsafe Unmanaged<LoopTimer>.fromOpaque(data!).takeUnretainedValue()
                timer.fired()
            }, me)
        // It needs some bytes of memory, without which nothing goes on.
        precondition(unsafe timer != nil, "out of memory")
    }

    private static func nanoseconds(_ delay: Duration) -> UInt64 {
        let (seconds, attoseconds) = delay.components
        // Clamped to a time longer than any process runs.
        return UInt64(clamping: min(max(seconds, 0), 1_000_000_000)) * 1_000_000_000
            + UInt64(clamping: attoseconds / 1_000_000_000)
    }

    /// Lets it fire once more, also if it is armed. It may be called inside its own callback.
    package func arm(after delay: Duration) {
        if let timer = unsafe timer { unsafe pbpw_timer_arm(timer, Self.nanoseconds(delay)) }
    }

    package func disarm() {
        if let timer = unsafe timer { unsafe pbpw_timer_disarm(timer) }
    }

    package func cancel() {
        guard let timer = unsafe timer else { return }
        unsafe self.timer = nil
        unsafe pbpw_timer_destroy(timer)
    }

    deinit { cancel() }
}

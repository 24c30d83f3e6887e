// SPDX-License-Identifier: MIT
import CSystemSleep
import Glibc

/// The readings of two of the system's clocks at one moment.
package struct SystemClocks: Sendable, Equatable {
    /// CLOCK_MONOTONIC. It stands while the system sleeps.
    package var monotonic: Duration
    /// CLOCK_BOOTTIME. It goes on while the system sleeps.
    package var bootTime: Duration

    package init(monotonic: Duration, bootTime: Duration) {
        self.monotonic = monotonic
        self.bootTime = bootTime
    }

    /// The present readings; `nil` if this thread is interrupted again and again between the two.
    package static var now: SystemClocks? {
        var clocks = css_clocks()
        guard unsafe css_clocks_read(&clocks) else { return nil }
        return SystemClocks(monotonic: .nanoseconds(clocks.monotonic), bootTime: .nanoseconds(clocks.boot_time))
    }

    /// The time for which the system has slept since its start.
    package var timeAsleep: Duration { bootTime - monotonic }
}

/// Calls back on the loop when the system wakes up, and when the date is set. It wakes no idle process. Confined to the
/// loop.
package final class WakeUpWatch {
    private let descriptor: Int32
    private let changed: () -> Void
    private var reader: LoopReader?

    /// Without a descriptor there is never a callback.
    package init(on loop: PipeWireLoop, changed: @escaping () -> Void) {
        self.changed = changed
        descriptor = css_clock_watch()
        guard descriptor >= 0 else { return }
        reader = LoopReader(on: loop, descriptor: descriptor) { [unowned self] in read() }
    }

    deinit {
        reader?.cancel()
        if descriptor >= 0 { close(descriptor) }
    }

    private func read() {
        css_clock_watch_read(descriptor)
        changed()
    }
}

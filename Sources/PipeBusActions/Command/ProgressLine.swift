// SPDX-License-Identifier: MIT
import Glibc
import Synchronization

/// A line with the progress of the work, on a terminal that this program may write to; nothing elsewhere.
///
/// - Thread: any.
final class ProgressLine: Sendable {
    private let isShown = Mutex(false)

    func show(_ fraction: Double) {
        guard isatty(STDERR_FILENO) != 0, tcgetpgrp(STDERR_FILENO) == getpgrp() else { return }
        isShown.withLock { $0 = true }
        StandardError.write("\r\(Int(fraction * 100)) % ")
    }

    func clear() {
        guard
            isShown.withLock({ shown in
                defer { shown = false }
                return shown
            })
        else { return }
        StandardError.write("\r\u{1B}[K")
    }
}

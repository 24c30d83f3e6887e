// SPDX-License-Identifier: MIT
import CPipeWireTesting
import Glibc
package import PipeBusTesting

/// A copy of the socket on which a daemon listens, as another process has it with socket activation. When the daemon has
/// ended, the socket still takes connections, and nobody answers them.
package final class HeldSocket: Sendable {
    private let descriptor: Int32

    /// `nil` if the system does not permit it.
    package init?(of daemon: HeadlessPipeWire) {
        descriptor = unsafe pbpw_copy_listener(daemon.pid, daemon.remote)
        if descriptor < 0 { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}

// SPDX-License-Identifier: MIT
import Glibc

/// Keeps a test from reaching the daemon of whoever runs it.
package enum NoDaemon {
    /// Points everything that tells PipeWire where to look to a place where nothing is. A client that is given a socket's
    /// absolute path still gets there; one that is not fails, also where a daemon runs for the whole machine.
    ///
    /// - Thread: one, and before others read the environment.
    package static func enforce(place: String = "/nonexistent/pipebus") {
        for name in ["XDG_RUNTIME_DIR", "PIPEWIRE_RUNTIME_DIR"] { unsafe setenv(name, place, 1) }
        unsafe setenv("PIPEWIRE_REMOTE", "\(place)/pipewire-0", 1)
        unsafe setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", 1)
        unsafe unsetenv("PIPEWIRE_CORE")
    }
}

// SPDX-License-Identifier: MIT
import Glibc

/// Keeps a test from reaching the daemon of the person who runs it.
package enum NoDaemon {
    /// Points all of PipeWire's variables to a place without a daemon, and those of D-Bus to none.
    ///
    /// A client that is given a socket's absolute path still gets there. Any other client fails, even where a
    /// system-wide daemon runs.
    ///
    /// - Thread: one, before any other thread reads the environment.
    package static func enforce(place: String = "/nonexistent/pipebus") {
        for name in ["XDG_RUNTIME_DIR", "PIPEWIRE_RUNTIME_DIR"] { unsafe setenv(name, place, 1) }
        unsafe setenv("PIPEWIRE_REMOTE", "\(place)/pipewire-0", 1)
        for name in ["DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"] { unsafe setenv(name, "disabled:", 1) }
        unsafe unsetenv("PIPEWIRE_CORE")
    }
}

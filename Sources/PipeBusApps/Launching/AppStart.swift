// SPDX-License-Identifier: MIT
import Glibc

/// How this process was started.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public enum AppStart: Sendable, Hashable {
    /// As any program: by the user, from a menu or a shell.
    case normal
    /// For the bus, by the app's `Exec` line.
    case forBus(AppLaunch)
    /// By D-Bus, which has a request: ``AppService`` gets it a moment later.
    case byDBus

    /// That of this process. It does not change.
    public static let ofProcess = AppStart(process: getpid()) { name in
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    init(process: Int32, variable: (String) -> String?) {
        if let launch = AppLaunch(process: process, variable: variable) {
            self = .forBus(launch)
        } else {
            // The bus sets it for what it starts. A child of that inherits it, and has no name of its own to be called by.
            self = variable("DBUS_STARTER_BUS_TYPE") == "session" ? .byDBus : .normal
        }
    }
}

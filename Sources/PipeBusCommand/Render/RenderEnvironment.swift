// SPDX-License-Identifier: MIT
import PipeBusTesting

/// The environment of a filter's process: the user's own, with another daemon and another session bus. Pure but for
/// ``make(remote:bus:)``.
///
/// The filter's app may run in the user's session too. On the user's bus a second process of it would not get its name, or would
/// leave all to the first one.
enum RenderEnvironment {
    /// What a user may have set for one program, or is true of this process alone.
    private static let dropped: Set<String> = [
        "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "DBUS_SESSION_BUS_PID", "DBUS_SESSION_BUS_WINDOWID",
        "GIO_LAUNCHED_DESKTOP_FILE", "GIO_LAUNCHED_DESKTOP_FILE_PID", "PIPEBUS_LAUNCHED_BY", "PIPEBUS_LAUNCH_PORT",
        "XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID",
    ]
    /// Of PipeWire's variables, those that say where its files are, and what it logs. The others change what is rendered.
    private static let kept: Set<String> = [
        "PIPEWIRE_CONFIG_DIR", "PIPEWIRE_CONFIG_PREFIX", "PIPEWIRE_DEBUG", "PIPEWIRE_LOG", "PIPEWIRE_MODULE_DIR",
    ]

    static func make(remote: String, bus: String) -> [String: String] {
        changed(ChildEnvironment.current, remote: remote, bus: bus)
    }

    static func changed(_ environment: [String: String], remote: String, bus: String) -> [String: String] {
        var result = environment.filter { name, _ in
            !dropped.contains(name) && (!name.hasPrefix("PIPEWIRE_") || kept.contains(name))
        }
        result["PIPEWIRE_REMOTE"] = remote
        result["DBUS_SESSION_BUS_ADDRESS"] = bus
        return result
    }
}

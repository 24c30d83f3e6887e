// SPDX-License-Identifier: MIT
import CPipeWireTesting

/// The environment of a child process.
package enum ChildEnvironment {
    /// This process's present environment.
    package static var current: [String: String] {
        var found: [String: String] = [:]
        guard var entry = unsafe pbpw_environment() else { return found }
        while let text = unsafe entry.pointee {
            let line = unsafe String(cString: text)
            if let equals = line.firstIndex(of: "=") {
                found[String(line[..<equals])] = String(line[line.index(after: equals)...])
            }
            unsafe entry += 1
        }
        return found
    }

    /// This process's environment for a child that must use the given daemon: PipeWire's own variables are replaced.
    package static func isolated(
        runtimeDirectory: String, remote: String, installation: PipeWireInstallation
    ) -> [String: String] {
        var environment = current.filter { name, _ in
            // A debug level is a person's choice. All other variables would make the test depend on the machine.
            !name.hasPrefix("PIPEWIRE_") && !name.hasPrefix("SPA_") || name == "PIPEWIRE_DEBUG"
        }
        environment["XDG_RUNTIME_DIR"] = runtimeDirectory
        environment["PIPEWIRE_RUNTIME_DIR"] = runtimeDirectory
        environment["XDG_STATE_HOME"] = runtimeDirectory + "/state"
        environment["PIPEWIRE_REMOTE"] = remote
        // No session bus: neither RTKit nor a portal takes part.
        environment["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = "disabled:"
        // A library of one version crashes with the modules of another.
        if let folders = environment["LD_LIBRARY_PATH"], let other = PipeWireInstallation.chosen.libraries {
            let kept = folders.split(separator: ":").filter { $0 != other }
            environment["LD_LIBRARY_PATH"] = kept.isEmpty ? nil : kept.joined(separator: ":")
        }
        environment.merge(installation.environment) { $1 }
        return environment
    }
}

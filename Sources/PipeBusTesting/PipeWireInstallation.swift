// SPDX-License-Identifier: MIT
import Glibc

/// The PipeWire of a daemon or a client: the system's, or one that was unpacked into a folder.
package struct PipeWireInstallation: Sendable, Hashable {
    /// The folder that holds `usr`; `nil` for the system.
    package let root: String?

    package static let system = PipeWireInstallation(root: nil)

    package init(root: String?) { self.root = root }

    /// The installation in `PIPEBUS_PIPEWIRE_ROOT`, or the system's.
    package static var chosen: PipeWireInstallation {
        let root = unsafe getenv("PIPEBUS_PIPEWIRE_ROOT").map { unsafe String(cString: $0) }
        return PipeWireInstallation(root: root?.isEmpty == false ? root : nil)
    }

    /// Whether a daemon can be started from it.
    package var isPresent: Bool { unsafe root == nil || access(program("pipewire"), X_OK) == 0 }

    /// Whether its daemon is found, the system's in the search path.
    package var isFound: Bool {
        guard root == nil else { return isPresent }
        let folders = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        return folders.split(separator: ":").contains { unsafe access("\($0)/pipewire", X_OK) == 0 }
    }

    /// The path of one of its programs, or the name alone for the system's search path.
    package func program(_ name: String) -> String {
        guard let root else { return name }
        return "\(root)/usr/bin/\(name)"
    }

    /// The folder of its libraries; `nil` for the system's, which the loader finds by itself.
    package var libraries: String? { root.map { "\($0)/usr/lib/\(Self.triplet)" } }

    /// The environment with which a process loads this installation's libraries and plugins.
    package var environment: [String: String] {
        guard let root, let libraries else { return [:] }
        return [
            "LD_LIBRARY_PATH": libraries,
            "SPA_PLUGIN_DIR": "\(libraries)/spa-0.2",
            "PIPEWIRE_MODULE_DIR": "\(libraries)/pipewire-0.3",
            "PIPEWIRE_CONFIG_DIR": "\(root)/usr/share/pipewire",
        ]
    }

    /// Debian's name for the machine, in which it separates libraries of several architectures.
    private static var triplet: String {
        #if arch(x86_64)
            "x86_64-linux-gnu"
        #elseif arch(arm64)
            "aarch64-linux-gnu"
        #else
            #error("say here how Debian names this machine")
        #endif
    }
}

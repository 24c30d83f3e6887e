// SPDX-License-Identifier: MIT
import Glibc
import PipeWireClient

/// Whether a daemon is installed and running, found out without a client.
struct DaemonPresence {
    /// Files that come with PipeWire's daemon, wherever a distribution puts it.
    private static let units = ["/usr/lib/systemd/user/pipewire.socket", "/etc/systemd/user/pipewire.socket"]
    private static let folders = ["/usr/bin", "/usr/local/bin", "/bin"]

    private let address: RemoteAddress
    private let environment: (String) -> String?
    private let exists: (String) -> Bool

    init(
        remote: String?, environment: @escaping (String) -> String? = RemoteAddress.environment,
        exists: @escaping (String) -> Bool = { unsafe access($0, F_OK) == 0 }
    ) {
        address = RemoteAddress(remote: remote, environment: environment)
        self.environment = environment
        self.exists = exists
    }

    var isRunning: Bool { address.isAnswered }

    /// A daemon that runs is installed, although an app in a sandbox may not see its files.
    var isInstalled: Bool {
        let path = environment("PATH")?.split(separator: ":").map(String.init) ?? []
        let programs = (path + Self.folders).filter { $0.hasPrefix("/") }.map { "\($0)/pipewire" }
        return (programs + Self.units).contains(where: exists) || isRunning
    }
}

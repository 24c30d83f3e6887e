// SPDX-License-Identifier: MIT
import Foundation
package import PipeBusTesting

/// A socket at which one daemon after the other can be reached, as at that of a daemon that is restarted.
package final class DaemonSocket: Sendable {
    /// The address for clients.
    package let path: String
    private let folder: URL

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "pipebus-socket-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "pipewire-0").path
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Puts a daemon in the place of the last one.
    package func lead(to daemon: HeadlessPipeWire) throws {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: daemon.remote)
    }
}

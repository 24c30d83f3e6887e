// SPDX-License-Identifier: MIT
import Glibc

/// A directory that only this user can read, for a daemon's socket.
enum PrivateDirectory {
    /// The longest path that leaves room for the longest name of a socket or lock in it, in bytes. A socket's address
    /// has 108 bytes.
    private static let longestPath = 107 - "/pipewire-0-manager.lock".utf8.count

    /// Creates one under `TMPDIR`, or under /tmp where that is too long for a socket's address.
    static func make() throws -> String {
        let given = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let name = "pipebus-XXXXXX"
        let parent = given.hasPrefix("/") && given.utf8.count + 1 + name.utf8.count <= longestPath ? given : "/tmp"
        // mkdtemp gives mode 0700.
        let made: String? = unsafe "\(parent)/\(name)".withCString { template in
            let copy = unsafe strdup(template)
            defer { unsafe free(copy) }
            guard let copy = unsafe copy, let path = unsafe mkdtemp(copy) else { return nil }
            return unsafe String(cString: path)
        }
        guard let made else { throw TestKitError("No directory could be made in \(parent) for a private daemon.") }
        return made
    }
}

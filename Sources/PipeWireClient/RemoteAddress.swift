// SPDX-License-Identifier: MIT
import Glibc

/// The places where libpipewire looks for a daemon.
///
/// libpipewire reports the errno of the last place alone. This type knows all places, so that an error can name them
/// and distinguish "no daemon" from "no permission".
package struct RemoteAddress {
    package let sockets: [String]
    /// Whether the caller gave this daemon. libpipewire would let `PIPEWIRE_REMOTE` overrule that.
    package let isExplicit: Bool
    /// Whether the caller or the environment names a daemon, or a folder of daemons.
    private let isNamed: Bool
    /// Whether the environment says where the user's own daemon would be, or the caller gave a path.
    private let hasRuntimeDirectory: Bool

    /// - Parameter remote: a socket's name or absolute path; `nil` for `PIPEWIRE_REMOTE`, or "pipewire-0" without it.
    package init(remote: String?, environment: (String) -> String? = RemoteAddress.environment) {
        isExplicit = remote != nil
        isNamed =
            isExplicit || ["PIPEWIRE_REMOTE", "PIPEWIRE_RUNTIME_DIR"].contains { environment($0)?.isEmpty == false }
        let names = Self.names(in: remote ?? environment("PIPEWIRE_REMOTE") ?? "")
        let directory =
            environment("PIPEWIRE_RUNTIME_DIR") ?? environment("XDG_RUNTIME_DIR") ?? environment("USERPROFILE")
        hasRuntimeDirectory = directory?.isEmpty == false || names.allSatisfy { $0.hasPrefix("/") }
        let directories = [directory].compactMap { $0 } + ["/run/pipewire"]
        sockets = names.flatMap { name in name.hasPrefix("/") ? [name] : directories.map { "\($0)/\(name)" } }
    }

    /// The names in a value of `PIPEWIRE_REMOTE`: one, or since 1.2 several as an array of JSON in PipeWire's relaxed form. An empty
    /// value means the default.
    private static func names(in value: String) -> [String] {
        guard value.hasPrefix("[") else { return [value.isEmpty ? "pipewire-0" : value] }
        let names = value.split { " \t\n,[]\"".contains($0) }.map(String.init)
        return names.isEmpty ? [value] : names
    }

    package static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// The first socket that is there, or else the first one; `nil` for the standard daemon.
    package var namedSocket: String? {
        isNamed ? sockets.first { unsafe access($0, F_OK) == 0 } ?? sockets.first : nil
    }

    /// Whether any of the sockets is there. Asks no daemon.
    package var hasSocket: Bool { sockets.contains { unsafe access($0, F_OK) == 0 } }

    /// The error of a failed connect.
    package func error(for code: Int32) -> PipeWireError {
        // An unreadable directory hides the socket in it. libpipewire goes on to the next place and reports that one's
        // errno.
        for socket in sockets where isForbidden(socket) {
            return .noPermission(what: socket)
        }
        switch code {
        case EACCES, EPERM: return .noPermission(what: sockets.joined(separator: " or "))
        case EPROTO, EPROTONOSUPPORT, ENOTSUP: return .incompatible(reason: PipeWireError.words(for: code))
        case EHOSTDOWN, ENOENT, ECONNREFUSED, ENOTDIR:
            return .noDaemon(sockets: sockets, hasRuntimeDirectory: hasRuntimeDirectory)
        // More clients have connected than the daemon has taken yet, as after its restart.
        case EAGAIN:
            return .timedOut(
                what:
                    "the PipeWire daemon at \(sockets.joined(separator: " or ")) has not yet taken the connections of "
                    + "other apps; it may be busy or hang")
        default: return .callFailed(call: "pw_context_connect", code: code)
        }
    }

    /// The error of a connect while no daemon listens.
    package var failure: PipeWireError { error(for: EHOSTDOWN) }

    private func isForbidden(_ socket: String) -> Bool {
        // A connection to a socket needs W_OK. EACCES also comes from a directory that may not be searched.
        unsafe access(socket, W_OK) != 0 && errno == EACCES
    }
}

// SPDX-License-Identifier: MIT

import Glibc

/// An error of PipeWire. Each case is one that a caller handles differently.
package enum PipeWireError: Error, Equatable {
    /// No daemon listens on any of the tried sockets. Without a runtime directory the user's own daemon is not among them.
    case noDaemon(sockets: [String], hasRuntimeDirectory: Bool = true)
    /// This user has no permission for the daemon.
    case noPermission(what: String)
    /// The daemon or the library is too old, or does not speak the protocol.
    case incompatible(reason: String)
    /// The daemon ended, or has ended the connection.
    case connectionLost(ConnectionLoss)
    /// The connection was closed on this side.
    case closed
    case timedOut(what: String)

    case linkExists
    case linkRefused(reason: String)
    case badPort(reason: String)
    case negotiationFailed(reason: String)
    case linkRemoved

    case nodeFailed(reason: String)
    /// A call failed for another reason.
    case callFailed(call: String, code: Int32)
}

extension PipeWireError {
    /// The operating system's text for an errno.
    package static func words(for code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        // Glibc shows Swift the POSIX strerror_r, which fills the buffer.
        guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

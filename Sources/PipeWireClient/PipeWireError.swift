// SPDX-License-Identifier: MIT

import Glibc

/// Why something asked of PipeWire did not happen. Each case is one that a caller can act on differently.
package enum PipeWireError: Error, Equatable {
    /// Nothing listens on any of the sockets that were tried.
    case noDaemon(sockets: [String])
    /// A daemon is there, but this user may not talk to it.
    case noPermission(what: String)
    /// A daemon or library too old, or one that does not speak the protocol.
    case incompatible(reason: String)
    /// The daemon went away, or ended the connection.
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
    /// A call failed in a way that none of the above says better.
    case callFailed(call: String, code: Int32)
}

extension PipeWireError {
    /// The operating system's words for an errno.
    package static func words(for code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        // Glibc shows Swift the POSIX strerror_r, which fills the buffer.
        guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

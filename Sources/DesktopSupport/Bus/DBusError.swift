// SPDX-License-Identifier: MIT

/// The failure of a call over D-Bus.
package enum DBusError: Error, Sendable, Hashable {
    /// There is no session bus, or it has ended.
    case noBus(reason: String)
    /// Nobody has the name, and nothing starts it.
    case unknownName
    /// The bus could not start the program of the name.
    case spawnFailed(reason: String)
    /// No answer came in time.
    case timedOut
    /// The other side has no such method, or no such object.
    case unknownMethod
    /// The other side has ended before it answered.
    case disconnected
    /// The other side answered with an error of its own.
    case remote(name: String, message: String)

    package init(name: String, message: String) {
        let prefix = "org.freedesktop.DBus.Error."
        guard name.hasPrefix(prefix) else {
            self = .remote(name: name, message: message)
            return
        }
        let kind = name.dropFirst(prefix.count)
        switch kind {
        case "ServiceUnknown", "NameHasNoOwner": self = .unknownName
        case "Timeout", "TimedOut": self = .timedOut
        // A service that ends before it takes its name, or never takes it, is told as a reply that does not come.
        case "NoReply": self = message.contains("timed out") || message.contains("Timeout") ? .timedOut : .disconnected
        case "UnknownMethod", "UnknownObject", "UnknownInterface": self = .unknownMethod
        case "Disconnected", "NoServer": self = .noBus(reason: message)
        case _ where kind.hasPrefix("Spawn."): self = .spawnFailed(reason: message)
        default: self = .remote(name: name, message: message)
        }
    }

    /// A part of a sentence.
    package var reason: String {
        switch self {
        case .noBus(let reason), .spawnFailed(let reason): reason
        case .unknownName: "nobody has the name"
        case .timedOut: "it does not answer"
        case .unknownMethod: "it does not know the request"
        case .disconnected: "it ended before it answered"
        case .remote(_, let message): message
        }
    }
}

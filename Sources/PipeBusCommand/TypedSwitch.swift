// SPDX-License-Identifier: MIT
import ArgumentParser

/// A switch as a person sets it.
enum TypedSwitch: Sendable {
    case on, off, toggle

    /// - Parameter what: what is switched, for the error.
    init(_ text: String, of what: String) throws {
        switch text.lowercased() {
        case "on", "true", "yes", "1": self = .on
        case "off", "false", "no", "0": self = .off
        case "toggle": self = .toggle
        default: throw ValidationError("\(what) takes on, off or toggle, not \"\(text)\".")
        }
    }

    func value(from present: Bool) -> Bool {
        switch self {
        case .on: true
        case .off: false
        case .toggle: !present
        }
    }
}

// SPDX-License-Identifier: MIT

/// The names of interfaces and objects on the session bus.
package enum BusName {
    /// Desktop Entry Specification 1.5, "D-Bus Activation".
    package static let application = "org.freedesktop.Application"

    /// The object of an app: its id with slashes for dots, and underscores for what a path must not have.
    package static func path(ofApp id: String) -> String {
        "/"
            + String(
                decoding: id.utf8.map { byte in
                    switch byte {
                    case UInt8(ascii: "."): UInt8(ascii: "/")
                    case UInt8(ascii: "-"): UInt8(ascii: "_")
                    default: byte
                    }
                }, as: UTF8.self)
    }
}

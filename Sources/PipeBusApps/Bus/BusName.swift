// SPDX-License-Identifier: MIT

/// The names of interfaces and objects on the session bus.
enum BusName {
    /// Desktop Entry Specification 1.5, "D-Bus Activation".
    static let application = "org.freedesktop.Application"
    /// What PipeBus adds: Docs/Protocols.md.
    static let app = "org.pipebus.App1"

    /// The object of an app: its id with slashes for dots, and underscores for what a path must not have.
    static func path(ofApp id: String) -> String {
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

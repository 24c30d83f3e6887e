// SPDX-License-Identifier: MIT
import DesktopSupport

/// The names of the protocol of actions: Docs/Protocols.md.
enum ActionProtocol {
    static let interface = EntryKey.actionInterface
    static let requestInterface = "org.pipebus.ActionRequest1"
    static let tokenOption = "handle_token"
    static let activationOption = "activation_token"

    /// The most descriptors of a message: dbus-daemon closes the connection of a program that sends more (`max_message_unix_fds`, dbus-daemon(1)).
    static let mostDescriptors = 16

    /// The object of a request: as the desktop's portals name theirs.
    ///
    /// - Parameter sender: the unique name of the caller.
    static func requestPath(sender: String, token: String) -> String {
        let sender = sender.utf8.drop { $0 == UInt8(ascii: ":") }.map {
            $0 == UInt8(ascii: ".") ? UInt8(ascii: "_") : $0
        }
        return "/org/pipebus/request/\(String(decoding: sender, as: UTF8.self))/\(token)"
    }

    /// Whether a text can end the path of an object.
    static func isToken(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
            }
    }

    /// Introspection data.
    static let actionXML = """
        <interface name="\(interface)">
          <method name="Run">
            <arg type="a(hss)" name="files" direction="in"/>
            <arg type="a{sv}" name="parameters" direction="in"/>
            <arg type="a{sv}" name="options" direction="in"/>
            <arg type="o" name="request" direction="out"/>
          </method>
        </interface>
        """

    static let requestXML = """
        <interface name="\(requestInterface)">
          <method name="Cancel"/>
          <signal name="Progress"><arg type="d" name="fraction"/></signal>
          <signal name="Response"><arg type="u" name="code"/><arg type="a{sv}" name="results"/></signal>
        </interface>
        """
}

extension ActionValue {
    var dbus: DBusValue {
        switch self {
        case .number(let number): .double(number)
        case .text(let text): .string(text)
        case .flag(let flag): .boolean(flag)
        }
    }

    /// - Returns: `nil` for a value of another type.
    init?(_ value: DBusValue) {
        switch value {
        case .double(let number): self = .number(number)
        case .int32(let number): self = .number(Double(number))
        case .int64(let number): self = .number(Double(number))
        case .uint32(let number): self = .number(Double(number))
        case .string(let text): self = .text(text)
        case .boolean(let flag): self = .flag(flag)
        default: return nil
        }
    }
}

extension Duration {
    /// For people: "30 s", "1.5 s".
    var words: String {
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        return "\(DecimalText.of((seconds * 1000).rounded() / 1000)) s"
    }
}

// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc
import PipeBus

/// Gives the state of this app to whoever saves a routing, and takes it from whoever loads one.
struct AppStateKeeper: Sendable {
    let save: @Sendable () async throws -> AppState
    let load: @Sendable (AppState, String?) async throws -> String?

    /// Docs/Protocols.md describes it.
    static let interface = """
        <interface name="\(BusName.app)">
          <method name="SaveState">
            <arg type="s" name="type" direction="out"/>
            <arg type="u" name="version" direction="out"/>
            <arg type="h" name="data" direction="out"/>
          </method>
          <method name="LoadState">
            <arg type="s" name="type" direction="in"/>
            <arg type="u" name="version" direction="in"/>
            <arg type="h" name="data" direction="in"/>
            <arg type="a{sv}" name="options" direction="in"/>
            <arg type="s" name="message" direction="out"/>
          </method>
          <property name="Version" type="u" access="read"/>
        </interface>
        """
    static let version: UInt32 = 1
    /// The option with the name of the routing.
    static let routingOption = "routing"
    /// The longest message for a user, in bytes.
    static let longestMessage = 4096

    func answer(_ call: BusObject.Call) async {
        switch call.method {
        case "SaveState": await answerSave(call)
        case "LoadState": await answerLoad(call)
        default: call.fail("Failed", "There is no such method.")
        }
    }

    private func answerSave(_ call: BusObject.Call) async {
        do {
            let state = try await save()
            try state.check()
            guard let descriptor = SealedMemory.make(state.bytes) else {
                return call.fail("Failed", "There is no memory for the state.")
            }
            // The message has a copy of it.
            defer { close(descriptor) }
            call.answer([.string(state.type), .uint32(state.version), .handle(0)], descriptors: [descriptor])
        } catch {
            call.fail("Failed", Self.sentence(error))
        }
    }

    private func answerLoad(_ call: BusObject.Call) async {
        let values = call.message.values
        guard values.count == 4, case .string(let type) = values[0], case .uint32(let version) = values[1],
            case .dictionary(let options) = values[3], let descriptor = call.message.descriptor(values[2])
        else { return call.fail("InvalidArguments", "LoadState takes a type, a version, a descriptor and options.") }
        guard let bytes = SealedMemory.read(descriptor, atMost: AppState.largestSize) else {
            return call.fail(
                "InvalidArguments", "The state must be sealed memory of at most \(AppState.largestSize) bytes.")
        }
        do {
            let state = AppState(type: type, version: version, bytes: bytes)
            try state.check()
            let name = options[Self.routingOption]?.text.map { Names.shown($0) }
            call.answer([.string(Self.message(try await load(state, name) ?? ""))])
        } catch {
            call.fail("Failed", Self.sentence(error))
        }
    }

    private static func sentence(_ error: any Error) -> String {
        message((error as? PipeBusError)?.message ?? "\(error)")
    }

    /// A text of an app's that fits into a message and can be shown.
    static func message(_ text: String) -> String {
        let printable = TerminalText.printable(text)
        guard printable.utf8.count > longestMessage else { return printable }
        return String(decoding: printable.utf8.prefix(longestMessage - 8), as: UTF8.self) + "…"
    }
}

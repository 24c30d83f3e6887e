// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport

/// What a call of `Run` asks for: Docs/Protocols.md, "Actions". Any program may have sent it. Pure.
struct RunCall: Sendable, Hashable {
    /// A file that the caller gives.
    struct File: Sendable, Hashable {
        /// Belongs to the message, and may be anything that can be opened.
        var descriptor: Int32
        /// One that a file can have.
        var name: String
        /// `nil` unless the caller knows that it is a sound.
        var type: MIMEType?
    }

    let files: [File]
    /// The values of the parameters that the action has. Other ones are ignored: an older action has fewer.
    let parameters: [String: ActionValue]
    /// The end of the request's path; `nil` if the caller leaves it to the action.
    let token: String?
    /// As the caller says. It may be anything.
    let activationToken: String?

    /// The most files of a call: no message has more descriptors.
    static let mostFiles = ActionProtocol.mostDescriptors

    /// Reads the message.
    ///
    /// - Throws: ``ActionFailure``.
    init(_ message: DBusReply, to action: ActionDescription) throws(ActionFailure) {
        guard message.values.count == 3, case .array(of: "(hss)", let files) = message.values[0],
            case .dictionary(let parameters) = message.values[1], case .dictionary(let options) = message.values[2]
        else {
            throw ActionFailure(.refused, "This is no request to an action in the form of Docs/Protocols.md.")
        }
        token = options[ActionProtocol.tokenOption]?.text
        guard token.map({ ActionProtocol.isToken($0) }) ?? true else {
            throw ActionFailure(
                .refused, "The handle_token has other characters than letters, digits and underscores.")
        }
        activationToken = options[ActionProtocol.activationOption]?.text
        self.files = try Self.files(files, in: message)
        self.parameters = try Self.values(parameters, of: action)
    }

    private static func files(_ values: [DBusValue], in message: DBusReply) throws(ActionFailure) -> [File] {
        // Of a longer list not all has been read.
        guard values.count <= mostFiles else {
            throw ActionFailure(.notAccepted, "More than \(mostFiles) files are too many; give fewer at once.")
        }
        return try values.map { value throws(ActionFailure) in
            guard case .tuple(let fields) = value, fields.count == 3, let descriptor = message.descriptor(fields[0]),
                let name = fields[1].text, let type = fields[2].text
            else { throw ActionFailure(.unreadable, "A file of the request has no descriptor, name and type.") }
            // The type is found by what is in the file unless the caller knows it.
            let known = MIMEType(type)
            return File(
                descriptor: descriptor, name: ResultName.cleaned(name) ?? "Sound",
                type: known.isValid && known.isSound ? known : nil)
        }
    }

    private static func values(
        _ given: [String: DBusValue], of action: ActionDescription
    ) throws(ActionFailure) -> [String: ActionValue] {
        var values: [String: ActionValue] = [:]
        for parameter in action.parameters {
            guard let sent = given[parameter.name] else { continue }
            guard let value = ActionValue(sent) else {
                throw ActionFailure(
                    .invalidValue, "\"\(parameter.name)\" takes \(parameter.rangeText); give such a value.")
            }
            values[parameter.name] = try parameter.checked(value)
        }
        return values
    }
}

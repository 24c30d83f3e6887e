// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport

/// What the `Response` of an action says: Docs/Protocols.md, "Actions". Any program may have sent it. Pure.
enum ActionResponse: Sendable, Hashable {
    /// A file that the action gives.
    struct File: Sendable, Hashable {
        /// Belongs to the message, and may be anything that can be opened.
        var descriptor: Int32
        /// As the action says. It may be anything.
        var name: String
        /// As the action says; empty without one.
        var note: String
    }

    /// One file at least.
    case completed([File])
    case cancelled
    /// The reason is printable, and empty if there is none.
    case failed(reason: String)

    /// Why a message is no response.
    enum Fault: Error, Hashable {
        case otherForm
        case noFiles
        case tooManyFiles
        case fileWithoutDescriptor
    }

    /// The most files that an action may give: no message has more descriptors.
    static let mostFiles = ActionProtocol.mostDescriptors
    /// The most characters of a reason.
    static let longestReason = 500

    /// Reads the message.
    ///
    /// - Throws: ``Fault``.
    init(_ message: DBusReply) throws(Fault) {
        guard message.values.count == 2, case .uint32(let code) = message.values[0],
            case .dictionary(let details) = message.values[1]
        else { throw .otherForm }
        switch code {
        case 0: self = .completed(try Self.files(details, in: message))
        case 1: self = .cancelled
        default: self = .failed(reason: details["message"]?.text?.shown(atMost: Self.longestReason) ?? "")
        }
    }

    private static func files(_ details: [String: DBusValue], in message: DBusReply) throws(Fault) -> [File] {
        guard case .array(of: _, let files)? = details["files"], !files.isEmpty else { throw .noFiles }
        guard files.count <= mostFiles else { throw .tooManyFiles }
        var notes: [String] = []
        if case .array(of: "s", let texts)? = details["notes"] { notes = texts.map { $0.text ?? "" } }
        return try files.enumerated().map { place, file throws(Fault) in
            guard case .tuple(let fields) = file, fields.count == 3, let descriptor = message.descriptor(fields[0]),
                let name = fields[1].text
            else { throw .fileWithoutDescriptor }
            return File(descriptor: descriptor, name: name, note: notes.indices.contains(place) ? notes[place] : "")
        }
    }
}

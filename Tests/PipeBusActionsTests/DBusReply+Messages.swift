// SPDX-License-Identifier: MIT
import Glibc

@testable import DesktopSupport

/// Messages as other programs send them, with descriptors of an empty file.
extension DBusReply {
    /// - Parameter files: as many descriptors as come along.
    static func message(_ values: [DBusValue], files: Int = 0) -> DBusReply {
        DBusReply(values: values, descriptors: (0..<files).map { _ in unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) })
    }

    /// A response that says that the action is done.
    static func completed(_ files: [DBusValue], notes: DBusValue? = nil, descriptors: Int) -> DBusReply {
        var details: [String: DBusValue] = ["files": .array(of: "(hss)", files)]
        details["notes"] = notes
        return message([.uint32(0), .dictionary(details)], files: descriptors)
    }
}

extension DBusValue {
    /// A file of a message.
    static func file(_ place: Int32, _ name: String = "Speech.wav", _ type: String = "audio/x-wav") -> DBusValue {
        .tuple([.handle(place), .string(name), .string(type)])
    }
}

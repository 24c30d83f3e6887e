// SPDX-License-Identifier: MIT
import Glibc

/// How much metadata there may be, and what counts as a string. All of it is, or is for, other processes.
package enum MetadataLimits {
    /// In bytes, as all of these. Also of a type.
    package static let longestKey = 256
    /// Of a value that another process asks us to take.
    package static let longestRequest = 4096
    /// Of one of our own values, and of another's that we read: PipeWire breaks connections over a multiple of that.
    package static let longestValue = 4 << 20
    /// Of all the keys, types and values of one object of ours: a new listener is sent all of them at once.
    package static let largestObject = 4 << 20
    /// Of the keys of one object of ours.
    package static let mostKeys = 4096

    /// What may not be sent, as an errno.
    static func check(key: String, type: String, value: String, longestValue: Int) throws(PipeWireError) {
        let call = "pw_metadata_set_property"
        guard !key.isEmpty, ![key, type, value].contains(where: { $0.utf8.contains(0) }) else {
            throw .callFailed(call: call, code: EINVAL)
        }
        guard key.utf8.count <= longestKey, type.utf8.count <= longestKey, value.utf8.count <= longestValue else {
            throw .callFailed(call: call, code: EMSGSIZE)
        }
    }

    /// A string from another process.
    enum Received: Equatable {
        case none
        case text(String)
        /// Too long, or not UTF-8: not to be used for anything.
        case unusable

        var text: String? {
            if case .text(let text) = self { text } else { nil }
        }
    }

    static func read(_ text: UnsafePointer<CChar>?, atMost longest: Int) -> Received {
        guard let text = unsafe text else { return .none }
        let length = unsafe strnlen(text, longest + 1)
        guard length <= longest else { return .unusable }
        let bytes = unsafe UnsafeRawBufferPointer(start: text, count: length)
        return unsafe String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .unusable
    }
}

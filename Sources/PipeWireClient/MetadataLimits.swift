// SPDX-License-Identifier: MIT
import Glibc

/// Limits of metadata, and the rule for strings. All of these come from other processes or are sent to them.
package enum MetadataLimits {
    /// The longest key or type, in bytes.
    package static let longestKey = 256
    /// The longest value that another process may request, in bytes.
    package static let longestRequest = 4096
    /// The longest value of this client, and the longest that is read from another client, in bytes: published data of 4 MiB in Base64. PipeWire breaks a
    /// connection over a multiple of it.
    package static let longestValue = 6 << 20
    /// The largest sum of keys, types and values of one object, in bytes. A new listener is sent all of them at once.
    package static let largestObject = 6 << 20
    /// The largest number of keys of one object.
    package static let mostKeys = 4096

    /// Throws the errno for a property that may not be sent.
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
        /// Too long, or not UTF-8.
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

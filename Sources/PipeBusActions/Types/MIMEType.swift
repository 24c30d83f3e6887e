// SPDX-License-Identifier: MIT
import CGIO
import ConnectionGraph

/// A type of media, such as `audio/flac` (RFC 6838). Which type is a kind of which other one, the desktop's database of types knows
/// (shared-mime-info).
///
/// - Thread: any but the audio thread. A value.
/// - Realtime: unsafe.
public struct MIMEType: Sendable, Hashable, Codable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The type in lower case: `audio/flac`, or `audio/*` for all of audio.
    public let name: String

    /// All types of audio.
    public static let anySound: MIMEType = "audio/*"

    /// - Parameter name: any text; see ``isValid``.
    public init(_ name: String) { self.name = name.lowercased() }

    /// The type of a text in a program.
    public init(stringLiteral name: String) { self.init(name) }

    public var description: String { name }

    /// Whether it has the form of a type: two words of at most 127 bytes, with a slash between them. The second may be `*`.
    public var isValid: Bool {
        let words = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return words.count == 2 && words.allSatisfy { Self.isWord($0) || Array($0) == [UInt8(ascii: "*")] }
            && Array(words[0]) != [UInt8(ascii: "*")]
    }

    /// RFC 6838, section 4.2.
    private static func isWord(_ word: Substring.UTF8View) -> Bool {
        (1...127).contains(word.count)
            && word.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: Array("!#$&-^_.+".utf8).contains(byte)
                }
            }
    }

    /// Whether this type is the other one, or a kind of it: `audio/x-vorbis+ogg` is `audio/ogg`, and `audio/*`.
    public func conforms(to other: MIMEType) -> Bool {
        guard isValid, other.isValid else { return false }
        if self == other { return true }
        return unsafe g_content_type_is_a(name, other.name) != 0
    }

    /// Whether this type is a sound, as far as its name says that.
    public var isSound: Bool { conforms(to: .anySound) }

    /// The type of a file, by its name and its first bytes.
    ///
    /// - Parameter name: without folders.
    init(ofFileNamed name: String, beginning bytes: [UInt8]) {
        let guess = unsafe g_content_type_guess(name, bytes, gsize(bytes.count), nil)
        defer { unsafe g_free(guess) }
        self.init(unsafe guess.map { unsafe String(cString: $0) } ?? "application/octet-stream")
    }
}

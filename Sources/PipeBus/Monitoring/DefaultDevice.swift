// SPDX-License-Identifier: MIT

/// The user's default output device, as session managers publish it: the metadata object "default". Pure.
enum DefaultDevice {
    static let objectName = "default"
    /// The key of the device that is the default now. The one that the user has chosen may be absent.
    static let key = "default.audio.sink"

    /// The node name in a value such as `{"name":"alsa_output.usb"}`; `nil` for any other text.
    ///
    /// It is JSON of another process, and parsed strictly: an object of strings. Other keys are ignored.
    static func name(in text: String) -> String? {
        var parser = Parser(text)
        return parser.name()
    }

    /// Reads JSON: one object, whose values are strings, numbers, or words.
    private struct Parser {
        private var rest: Substring.UnicodeScalarView

        init(_ text: String) { rest = text[...].unicodeScalars }

        mutating func name() -> String? {
            var name: String?
            guard take("{") else { return nil }
            if !take("}") {
                repeat {
                    skipSpace()
                    guard let key = string(), take(":") else { return nil }
                    skipSpace()
                    if let value = string() {
                        if key == "name" { name = value }
                    } else if !skipWord() {
                        return nil
                    }
                } while take(",")
                guard take("}") else { return nil }
            }
            skipSpace()
            guard rest.isEmpty, let name, !name.isEmpty else { return nil }
            return name
        }

        private mutating func skipSpace() {
            while let scalar = rest.first, [" ", "\t", "\n", "\r"].contains(scalar) { rest.removeFirst() }
        }

        private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            skipSpace()
            guard rest.first == scalar else { return false }
            rest.removeFirst()
            return true
        }

        /// A number, or `true`, `false` or `null`.
        private mutating func skipWord() -> Bool {
            let count = rest.prefix {
                $0.properties.isAlphabetic || ("0"..."9").contains($0) || "+-.".unicodeScalars.contains($0)
            }
            .count
            rest.removeFirst(count)
            return count > 0
        }

        private mutating func string() -> String? {
            guard rest.first == "\"" else { return nil }
            rest.removeFirst()
            var text = String.UnicodeScalarView()
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\"": return String(text)
                case "\\":
                    guard let escaped = escape() else { return nil }
                    text.append(escaped)
                default: text.append(scalar)
                }
            }
            return nil
        }

        private mutating func escape() -> Unicode.Scalar? {
            guard let kind = rest.popFirst() else { return nil }
            switch kind {
            case "\"", "\\", "/": return kind
            case "b": return "\u{8}"
            case "f": return "\u{C}"
            case "n": return "\n"
            case "r": return "\r"
            case "t": return "\t"
            case "u":
                guard let unit = codeUnit() else { return nil }
                if let scalar = Unicode.Scalar(unit) { return scalar }
                // One half of a pair.
                guard (0xD800...0xDBFF).contains(unit), rest.popFirst() == "\\", rest.popFirst() == "u",
                    let low = codeUnit(), (0xDC00...0xDFFF).contains(low)
                else { return nil }
                return Unicode.Scalar(0x1_0000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
            default: return nil
            }
        }

        private mutating func codeUnit() -> UInt16? {
            let digits = rest.prefix(4)
            guard digits.count == 4, digits.allSatisfy({ $0.properties.isASCIIHexDigit }) else { return nil }
            rest.removeFirst(4)
            return UInt16(String(digits), radix: 16)
        }
    }
}

// SPDX-License-Identifier: MIT

/// Reads JSON (RFC 8259), strictly and within bounds: the text may be anybody's. The library does without Foundation. Pure.
struct JSONReader {
    private static let deepest = 16
    private static let mostValues = 100_000
    private static let longestNumber = 64

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var count = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// With it some editors begin a text. RFC 8259 lets a reader pass over it.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The only value of a text.
    static func read(_ bytes: [UInt8]) throws(RoutingError) -> JSONNode {
        var reader = JSONReader(bytes)
        if bytes.starts(with: byteOrderMark) {
            reader.position = byteOrderMark.count
            reader.lineStart = byteOrderMark.count
        }
        let node = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.next == nil else { throw reader.error("there is more behind the end of the text") }
        return node
    }

    // MARK: Characters

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func error(_ problem: String) -> RoutingError {
        let column = String(decoding: bytes[lineStart..<position], as: UTF8.self).unicodeScalars.count + 1
        return RoutingError(at: "line \(line), column \(column)", problem)
    }

    /// The character at the present place, for a sentence.
    private var found: String {
        guard let next else { return "the text ends" }
        let rest = String(decoding: bytes[position..<min(position + 4, bytes.count)], as: UTF8.self)
        guard next >= 0x20, let first = rest.unicodeScalars.first, first.isPrintable, first != "\u{FFFD}" else {
            return "there is a byte \(next)"
        }
        return "there is \(Character(first) == "\"" ? "a quotation mark" : "\"\(first)\"")"
    }

    private mutating func skipSpace() {
        while let next {
            switch next {
            case 0x0A:
                line += 1
                lineStart = position + 1
            case 0x20, 0x09, 0x0D: break
            default: return
            }
            position += 1
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(RoutingError) -> JSONNode {
        skipSpace()
        count += 1
        guard count <= Self.mostValues else {
            throw error("there are more than \(Self.mostValues) values; no routing has so many")
        }
        let start = line
        switch next {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < Self.deepest else {
                throw error("more than \(Self.deepest) lists and objects are in each other; no routing has so many")
            }
            let isList = next == UInt8(ascii: "[")
            position += 1
            return JSONNode(value: isList ? try list(depth: depth + 1) : try object(depth: depth + 1), line: start)
        case UInt8(ascii: "\""): return JSONNode(value: .text(try text()), line: start)
        case UInt8(ascii: "-")?, .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            return JSONNode(value: .number(try number()), line: start)
        default:
            for (word, value) in [("true", JSONNode.Value.bool(true)), ("false", .bool(false)), ("null", .null)]
            where bytes[position...].starts(with: word.utf8) {
                position += word.utf8.count
                return JSONNode(value: value, line: start)
            }
            throw error("a value must be here, and \(found)")
        }
    }

    private mutating func list(depth: Int) throws(RoutingError) -> JSONNode.Value {
        var elements: [JSONNode] = []
        skipSpace()
        if take("]") { return .list(elements) }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            if take("]") { return .list(elements) }
            guard take(",") else { throw error("a comma or the end of the list must be here, and \(found)") }
        }
    }

    private mutating func object(depth: Int) throws(RoutingError) -> JSONNode.Value {
        var members: [(key: String, value: JSONNode)] = []
        var keys: Set<String> = []
        skipSpace()
        if take("}") { return .object(members) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("a key in quotation marks must be here, and \(found)") }
            let place = (position, line, lineStart)
            let key = try text()
            guard keys.insert(key).inserted else {
                (position, line, lineStart) = place
                throw error("the key \"\(RoutingError.shown(key))\" is here a second time")
            }
            skipSpace()
            guard take(":") else { throw error("a colon must be here, and \(found)") }
            members.append((key, try value(depth: depth)))
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { throw error("a comma or the end of the object must be here, and \(found)") }
        }
    }

    private mutating func number() throws(RoutingError) -> Double {
        let start = position
        func digits(_ reader: inout Self) throws(RoutingError) {
            guard let next = reader.next, 48...57 ~= next else {
                throw reader.error("a digit must be here, and \(reader.found)")
            }
            while let next = reader.next, 48...57 ~= next { reader.position += 1 }
        }
        _ = take("-")
        if take("0") {
            if let next, 48...57 ~= next { throw error("a number does not begin with 0") }
        } else {
            try digits(&self)
        }
        if take(".") { try digits(&self) }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits(&self)
        }
        guard position - start <= Self.longestNumber,
            let number = Double(String(decoding: bytes[start..<position], as: UTF8.self))
        else {
            position = start
            throw error("a number has more than \(Self.longestNumber) characters")
        }
        return number
    }

    // MARK: Texts

    /// The end of the characters from the present place on that stand for themselves. One by one they would take a second for some megabytes.
    private var plainEnd: Int {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var end = position
            while end < bytes.count {
                let byte = unsafe bytes[end]
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
                end += 1
            }
            return end
        }
    }

    private mutating func text() throws(RoutingError) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []
        while let next, next != UInt8(ascii: "\"") {
            guard next >= 0x20 else {
                throw error(
                    "a text has a control character; it is written as \\u00\(next < 16 ? "0" : "")\(String(next, radix: 16))"
                )
            }
            if next == UInt8(ascii: "\\") {
                text += String(try escape()).utf8
            } else {
                let end = plainEnd
                text += bytes[position..<end]
                position = end
            }
        }
        guard take("\"") else {
            position = start
            throw error("the quotation mark that ends this text is missing")
        }
        guard let valid = String(validating: text, as: UTF8.self) else {
            position = start
            throw error("this text is not valid UTF-8")
        }
        return valid
    }

    private mutating func escape() throws(RoutingError) -> Unicode.Scalar {
        position += 1
        let plain: [(Unicode.Scalar, Unicode.Scalar)] = [
            ("\"", "\""), ("\\", "\\"), ("/", "/"), ("b", "\u{8}"), ("f", "\u{C}"), ("n", "\n"), ("r", "\r"),
            ("t", "\t"),
        ]
        for (letter, scalar) in plain where take(letter) { return scalar }
        guard take("u") else { throw error("a backslash must be followed by one of \"\\/bfnrtu, and \(found)") }
        let unit = try hexadecimal()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        if 0xD800...0xDBFF ~= unit, take("\\"), take("u") {
            let low = try hexadecimal()
            if 0xDC00...0xDFFF ~= low,
                let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
            {
                return scalar
            }
        }
        throw error("half of a pair of \\u stands alone")
    }

    private mutating func hexadecimal() throws(RoutingError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let next, let digit = Character(Unicode.Scalar(next)).hexDigitValue, next < 0x80 else {
                throw error("four hexadecimal digits must be behind \\u, and \(found)")
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}

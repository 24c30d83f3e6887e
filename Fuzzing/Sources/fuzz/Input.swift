// SPDX-License-Identifier: MIT

/// The bytes of a run, read as numbers and texts. After the end all bytes are 0.
final class Input {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    var rest: [UInt8] { Array(bytes[min(position, bytes.count)...]) }

    func byte() -> UInt8 {
        defer { position += 1 }
        return isAtEnd ? 0 : bytes[position]
    }

    func number(below limit: Int) -> Int { Int(byte()) % limit }

    func choice<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

    func bytes(atMost longest: Int) -> [UInt8] {
        let count = min(number(below: longest + 1), max(bytes.count - position, 0))
        defer { position += count }
        return Array(bytes[min(position, bytes.count)..<min(position + count, bytes.count)])
    }

    /// A text as it is had from bytes of another process: with U+FFFD for what is no UTF-8.
    func text(atMost longest: Int) -> String { String(decoding: bytes(atMost: longest), as: UTF8.self) }

    /// A text from bytes, repeated up to `longest` times.
    func longText(repeats longest: Int) -> String {
        let part = text(atMost: 16)
        return String(repeating: part, count: 1 + number(below: longest))
    }
}

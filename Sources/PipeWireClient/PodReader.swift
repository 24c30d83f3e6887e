// SPDX-License-Identifier: MIT

/// Reads values one after the other, within fixed bounds. Pure.
package struct PodReader: Sendable {
    private static let headerSize = 8
    private let bytes: [UInt8]
    private var rest: Range<Int>

    /// - Precondition: the range lies inside the bytes.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        self.bytes = bytes
        rest = range
    }

    /// The next value; `nil` at the end, and for a value that is larger than the rest.
    mutating func next() -> Pod? {
        guard rest.count >= Self.headerSize else { return nil }
        let size = Int(bytes.uint32(at: rest.lowerBound))
        let kind = bytes.uint32(at: rest.lowerBound + 4)
        let start = rest.lowerBound + Self.headerSize
        guard size <= rest.upperBound - start else { return nil }
        // The last value may come without its padding.
        rest = min(start + (size + 7) / 8 * 8, rest.upperBound)..<rest.upperBound
        return Pod(bytes, body: start..<start + size, kind: kind)
    }

    /// Two numbers ahead of a value, as in an object's property.
    fileprivate mutating func nextKey() -> UInt32? {
        guard rest.count >= 8 else { return nil }
        defer { rest = rest.lowerBound + 8..<rest.upperBound }
        return bytes.uint32(at: rest.lowerBound)
    }
}

/// The properties of an object, in order.
package struct PodProperties {
    private var reader: PodReader

    init(_ reader: PodReader) { self.reader = reader }

    mutating func next() -> (key: UInt32, value: Pod)? {
        guard let key = reader.nextKey(), let value = reader.next() else { return nil }
        return (key, value)
    }
}

extension [UInt8] {
    /// A number in this machine's byte order.
    func uint32(at index: Int) -> UInt32 {
        var value: UInt32 = 0
        for byte in 0..<4 { value |= UInt32(self[index + byte]) << (8 * UInt32(byte)) }
        return UInt32(littleEndian: value.littleEndian)
    }

    func uint64(at index: Int) -> UInt64 { UInt64(uint32(at: index)) | UInt64(uint32(at: index + 4)) << 32 }
}

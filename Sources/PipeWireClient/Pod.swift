// SPDX-License-Identifier: MIT

/// A value in PipeWire's binary form (POD), somewhere in bytes of another process. Pure.
///
/// Each property is `nil` for a value of another type, or of another size than the type's. The layout is that of
/// `spa/pod/pod.h`: numbers of this machine's byte order, each value padded to 8 bytes.
package struct Pod: Sendable {
    /// `SPA_TYPE_…` of `spa/utils/type.h`.
    enum Kind: UInt32, Sendable {
        case none = 1, bool, id, int, long, float, double, string, bytes, rectangle, fraction, bitmap, array, structure,
            object
    }

    private let bytes: [UInt8]
    /// The value without its header and padding.
    private let body: Range<Int>
    private let kind: Kind?

    /// A value whose body lies inside the bytes.
    init(_ bytes: [UInt8], body: Range<Int>, kind: UInt32) {
        self.bytes = bytes
        self.body = body
        self.kind = Kind(rawValue: kind)
    }

    /// The value that the bytes begin with; `nil` if they are too few for it.
    package init?(_ bytes: [UInt8]) {
        var reader = PodReader(bytes, 0..<bytes.count)
        guard let pod = reader.next() else { return nil }
        self = pod
    }

    var bool: Bool? { hasKind(.bool, size: 4) ? bytes.uint32(at: body.lowerBound) != 0 : nil }
    var int: Int32? { hasKind(.int, size: 4) ? Int32(bitPattern: bytes.uint32(at: body.lowerBound)) : nil }
    var long: Int64? { hasKind(.long, size: 8) ? Int64(bitPattern: bytes.uint64(at: body.lowerBound)) : nil }
    var float: Float? { hasKind(.float, size: 4) ? Float(bitPattern: bytes.uint32(at: body.lowerBound)) : nil }
    var double: Double? { hasKind(.double, size: 8) ? Double(bitPattern: bytes.uint64(at: body.lowerBound)) : nil }

    var fraction: (numerator: UInt32, denominator: UInt32)? {
        guard hasKind(.fraction, size: 8) else { return nil }
        return (bytes.uint32(at: body.lowerBound), bytes.uint32(at: body.lowerBound + 4))
    }

    /// A text up to its first zero.
    ///
    /// - Parameter longest: of a longer text, so many bytes are taken. Bytes that are no UTF-8 become U+FFFD.
    func string(atMost longest: Int) -> String? {
        guard kind == .string, !body.isEmpty else { return nil }
        return String(decoding: bytes[body].prefix(longest).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The fields of a structure.
    var fields: PodReader? { kind == .structure ? PodReader(bytes, body) : nil }

    /// The properties of an object of a type.
    func properties(ofObject type: UInt32) -> PodProperties? {
        guard kind == .object, body.count >= 8, bytes.uint32(at: body.lowerBound) == type else { return nil }
        return PodProperties(PodReader(bytes, body.lowerBound + 8..<body.upperBound))
    }

    private func hasKind(_ kind: Kind, size: Int) -> Bool { self.kind == kind && body.count == size }
}

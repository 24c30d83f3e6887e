// SPDX-License-Identifier: MIT

/// Writes PODs as PipeWire does, for tests.
struct PodWriter {
    static func int(_ value: Int32) -> [UInt8] { pod(4, bytes(UInt32(bitPattern: value))) }
    static func long(_ value: Int64) -> [UInt8] { pod(5, bytes(UInt64(bitPattern: value))) }
    static func float(_ value: Float) -> [UInt8] { pod(6, bytes(value.bitPattern)) }
    static func double(_ value: Double) -> [UInt8] { pod(7, bytes(value.bitPattern)) }
    static func bool(_ value: Bool) -> [UInt8] { pod(2, bytes(UInt32(value ? 1 : 0))) }
    static func string(_ value: String) -> [UInt8] { pod(8, Array(value.utf8) + [0]) }
    static func fraction(_ numerator: UInt32, _ denominator: UInt32) -> [UInt8] {
        pod(11, bytes(numerator) + bytes(denominator))
    }
    static func structure(_ fields: [[UInt8]]) -> [UInt8] { pod(14, fields.flatMap(\.self)) }
    static func object(_ type: UInt32, _ properties: [(key: UInt32, value: [UInt8])]) -> [UInt8] {
        pod(15, bytes(type) + bytes(UInt32(0)) + properties.flatMap { bytes($0.key) + bytes(UInt32(0)) + $0.value })
    }

    /// A value of any type, padded.
    static func pod(_ kind: UInt32, _ body: [UInt8]) -> [UInt8] {
        bytes(UInt32(body.count)) + bytes(kind) + body + Array(repeating: 0, count: (8 - body.count % 8) % 8)
    }

    static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

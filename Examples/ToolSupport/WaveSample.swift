// SPDX-License-Identifier: MIT
import PipeBus

/// The form in which a WAV stream has its samples.
enum WaveSample {
    /// One that a port takes as it is.
    case plain(StreamFormat.Sample)
    /// Unsigned: 128 is silence.
    case int8
    case float64
    /// The two forms of telephones (ITU-T G.711), of 8 bits.
    case muLaw, aLaw

    /// - Parameter tag: the kind, as the header numbers them.
    init?(tag: Int, bits: Int) {
        switch (tag, bits) {
        case (1, 8): self = .int8
        case (1, 16): self = .plain(.int16)
        case (1, 24): self = .plain(.int24)
        case (1, 32): self = .plain(.int32)
        case (3, 32): self = .plain(.float32)
        case (3, 64): self = .float64
        case (6, 8): self = .aLaw
        case (7, 8): self = .muLaw
        default: return nil
        }
    }

    /// The size of a sample in the stream.
    var byteCount: Int {
        switch self {
        case .plain(let sample): sample.byteCount
        case .float64: 8
        case .int8, .muLaw, .aLaw: 1
        }
    }

    /// What the samples become.
    var played: StreamFormat.Sample {
        switch self {
        case .plain(let sample): sample
        case .float64: .float32
        case .int8, .muLaw, .aLaw: .int16
        }
    }

    /// - Parameter bytes: whole samples.
    func converted(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        switch self {
        case .plain: Array(bytes)
        case .int8: bytes.flatMap { [0, $0 ^ 0x80] }
        case .muLaw: bytes.flatMap { Self.bytes(UInt16(bitPattern: Self.muLaw($0))) }
        case .aLaw: bytes.flatMap { Self.bytes(UInt16(bitPattern: Self.aLaw($0))) }
        case .float64:
            stride(from: bytes.startIndex, to: bytes.endIndex, by: 8).flatMap { place in
                let bits = bytes[place..<place + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                return Self.bytes(Float(Double(bitPattern: bits)).bitPattern)
            }
        }
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// Three bits are a power of two, and four a step between two of them.
    private static func muLaw(_ byte: UInt8) -> Int16 {
        let bits = Int16(~byte)
        let size = ((bits & 0xF) << 3 + 0x84) << (bits >> 4 & 7) - 0x84
        return bits & 0x80 != 0 ? -size : size
    }

    private static func aLaw(_ byte: UInt8) -> Int16 {
        let bits = Int16(byte ^ 0x55)
        let (step, power) = ((bits & 0xF) << 4 + 8, bits >> 4 & 7)
        let size = power == 0 ? step : (step + 0x100) << (power - 1)
        return bits & 0x80 != 0 ? size : -size
    }
}

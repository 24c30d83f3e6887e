// SPDX-License-Identifier: MIT

/// Interleaved samples as a decoder gives them.
enum SoundSamples {
    /// Left-justified: full scale is 32 bits, whatever the file's.
    case integers(ArraySlice<Int32>)
    case floats(ArraySlice<Float>)
    case doubles(ArraySlice<Double>)

    var count: Int {
        switch self {
        case .integers(let samples): samples.count
        case .floats(let samples): samples.count
        case .doubles(let samples): samples.count
        }
    }

    /// The samples at full scale 1, all exactly.
    var values: [Double] {
        switch self {
        case .integers(let samples): samples.map { Double($0) * 0x1p-31 }
        case .floats(let samples): samples.map(Self.double)
        case .doubles(let samples): Array(samples)
        }
    }

    /// Takes samples away from the beginning.
    ///
    /// - Returns: at most `count`, fewer if there are no more.
    mutating func removeFirst(_ count: Int) -> SoundSamples {
        switch self {
        case .integers(let samples):
            self = .integers(samples.dropFirst(count))
            return .integers(samples.prefix(count))
        case .floats(let samples):
            self = .floats(samples.dropFirst(count))
            return .floats(samples.prefix(count))
        case .doubles(let samples):
            self = .doubles(samples.dropFirst(count))
            return .doubles(samples.prefix(count))
        }
    }

    /// The bits of a NaN are kept, too. A conversion would set one of them (IEEE 754, "quiet").
    private static func double(_ sample: Float) -> Double {
        guard sample.isNaN else { return Double(sample) }
        let bits = UInt64(sample.bitPattern)
        return Double(bitPattern: (bits & 0x8000_0000) << 32 | 0x7FF0 << 48 | (bits & 0x7F_FFFF) << 29)
    }

    /// The nearest number of 32 bits. A NaN keeps its bits as far as they fit.
    static func float(_ value: Double) -> Float {
        guard value.isNaN else { return Float(value) }
        let bits = value.bitPattern
        let payload = UInt32(truncatingIfNeeded: bits >> 29) & 0x7F_FFFF
        let sign = UInt32(truncatingIfNeeded: bits >> 32) & 0x8000_0000
        // One whose bits are all in the lower part is a NaN still.
        return Float(bitPattern: sign | 0x7F80_0000 | (payload == 0 ? 0x40_0000 : payload))
    }

    /// The nearest integer of a number of bits, left-justified in 32. Beyond full scale it is clipped, and NaN is silence.
    static func integer(_ value: Double, bits: Int) -> Int32 {
        let limit = Double(1 << (bits - 1))
        let scaled = (value * limit).rounded()
        let clipped = scaled.isNaN ? 0 : min(max(scaled, -limit), limit - 1)
        return Int32(clipped) << Int32(32 - bits)
    }
}

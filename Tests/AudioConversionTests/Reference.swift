// SPDX-License-Identifier: MIT
import AudioConversion

/// What a sample becomes, worked out in double precision.
enum Reference {
    static func bits(_ sample: SampleLayout.Sample) -> Int {
        switch sample {
        case .int16: 16
        case .int24: 24
        case .float32, .int32: 32
        }
    }

    /// The word that a float becomes: an integer, or the float's own bits.
    static func word(_ value: Float, _ sample: SampleLayout.Sample) -> Int32 {
        if sample == .float32 { return Int32(bitPattern: value.bitPattern) }
        if value.isNaN { return 0 }
        let limit = Double(sign: .plus, exponent: bits(sample) - 1, significand: 1)
        let scaled = (Double(value) * limit).rounded(.toNearestOrEven)
        return Int32(min(max(scaled, -limit), limit - 1))
    }

    /// The float that a word becomes.
    static func value(_ word: Int32, _ sample: SampleLayout.Sample) -> Float {
        if sample == .float32 { return Float(bitPattern: UInt32(bitPattern: word)) }
        return Float(Double(word) / Double(sign: .plus, exponent: bits(sample) - 1, significand: 1))
    }
}

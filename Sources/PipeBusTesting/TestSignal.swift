// SPDX-License-Identifier: MIT
import Glibc

/// A signal whose every sample follows from the number of its frame and channel, so that a receiver can identify each
/// frame that is wrong, missing, late or repeated.
package struct TestSignal: Sendable, Hashable, Codable {
    package enum Shape: Sendable, Hashable, Codable {
        /// 1, 2, 3 and so on. It starts again at 0 where a 32-bit float would no longer hold every integer, or before.
        /// Channels are a sixteenth of the range apart. None of the first frames is silence.
        case counting
        /// 1 all the time.
        case constant
        /// 1 at the first frame and then at every frame of that distance, 0 elsewhere.
        case impulse(every: Int)
        /// From −1 to 1, repeated.
        case ramp(over: Int)
        /// A sine with a period in frames. The channels are a quarter of it apart.
        case sine(period: Double)
        /// Noise of −1…1, equal in every run. No two channels are equal.
        case noise(seed: UInt64)
    }

    package var shape: Shape
    package var gain: Float
    /// The number at which counting starts again: a power of two, 16…2²⁴.
    package var modulus: UInt32

    package init(_ shape: Shape, gain: Float = 1, modulus: UInt32 = 1 << 24) {
        precondition(
            modulus.nonzeroBitCount == 1 && (16...1 << 24).contains(modulus), "no modulus to count exactly with")
        self.shape = shape
        self.gain = gain
        self.modulus = modulus
    }

    package static let counting = TestSignal(.counting)
    package static func constant(_ value: Float) -> TestSignal { TestSignal(.constant, gain: value) }

    /// One sample. Not for the audio thread if the shape is a sine.
    package func sample(frame: UInt64, channel: Int) -> Float {
        switch shape {
        case .counting: gain * Float(count(frame: frame, channel: channel))
        case .constant: gain
        case .impulse(let every): frame.isMultiple(of: UInt64(every)) ? gain : 0
        case .ramp(let over): gain * (Float(frame % UInt64(over)) * (2 / Float(max(over - 1, 1))) - 1)
        case .sine(let period):
            gain
                * Float(
                    sin(
                        2 * .pi * (Double(frame).truncatingRemainder(dividingBy: period) / period + Double(channel) / 4)
                    ))
        case .noise(let seed):
            gain * Self.noise(seed &+ UInt64(channel) &* 0x9E37_79B9 &+ frame &* 0xD1B5_4A32_D192_ED03)
        }
    }

    /// Samples of one channel, for a comparison.
    package func samples(from frame: UInt64 = 0, count: Int, channel: Int = 0) -> [Float] {
        (0..<count).map { sample(frame: frame + UInt64($0), channel: channel) }
    }

    /// The count of a counting signal, before the gain.
    @_noLocks
    func count(frame: UInt64, channel: Int) -> UInt32 {
        (UInt32(truncatingIfNeeded: frame) &+ 1 &+ UInt32(truncatingIfNeeded: channel) &* (modulus >> 4))
            & (modulus &- 1)
    }

    /// A hash of the number, as a sample (SplitMix64's finisher).
    private static func noise(_ number: UInt64) -> Float {
        var bits = number
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return Float(Int64(bits >> 40) - (1 << 23)) / Float(1 << 23)
    }
}

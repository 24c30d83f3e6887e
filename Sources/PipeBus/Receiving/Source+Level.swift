// SPDX-License-Identifier: MIT
import Glibc

extension Source {
    /// The mix level of a source: how a receiver mixes it. A receiver of separate streams does not mix: its sources
    /// have no mix levels.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public struct Level: Sendable, Hashable, Codable {
        /// The gain: 0…1, linear amplitude. A value out of range is clamped, and NaN changes nothing. In decibels it is
        /// ``volumeInDecibels``.
        public var volume: Double = 1 {
            didSet { volume = volume.isNaN ? oldValue : min(max(volume, 0), 1) }
        }
        /// The place in a stereo mix: −1 (left) … 1 (right). A value out of range is clamped, and NaN changes nothing.
        public var pan: Double = 0 {
            didSet { pan = pan.isNaN ? oldValue : min(max(pan, -1), 1) }
        }
        /// Whether the source is left out of the mix, soloed or not.
        public var isMuted = false
        /// Whether the source is soloed. While any source of the receiver is soloed, only soloed sources are in the mix.
        public var isSoloed = false

        /// ``volume`` in decibels, 20·log₁₀ of it: −∞ (silence) … 0 dB (full volume). A value above 0 dB is clamped, and
        /// NaN changes nothing.
        public var volumeInDecibels: Double {
            get { 20 * log10(volume) }
            set { volume = pow(10, newValue / 20) }
        }

        /// Creates the mix level of a source that was never changed: full volume, in the centre.
        public init() {}

        /// Creates a level.
        ///
        /// - Parameters:
        ///   - volume: 0…1, linear amplitude. A value out of range is clamped; NaN gives 1.
        ///   - pan: −1 (left) … 1 (right). A value out of range is clamped; NaN gives 0.
        ///   - isMuted: whether the source is left out of the mix.
        ///   - isSoloed: whether the source is soloed.
        public init(volume: Double, pan: Double = 0, isMuted: Bool = false, isSoloed: Bool = false) {
            // The observers do not run in the initializer itself.
            var level = Self()
            level.volume = volume
            level.pan = pan
            level.isMuted = isMuted
            level.isSoloed = isSoloed
            self = level
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // A value that an older or newer version has not written is the default.
            self.init(
                volume: try container.decodeIfPresent(Double.self, forKey: .volume) ?? 1,
                pan: try container.decodeIfPresent(Double.self, forKey: .pan) ?? 0,
                isMuted: try container.decodeIfPresent(Bool.self, forKey: .isMuted) ?? false,
                isSoloed: try container.decodeIfPresent(Bool.self, forKey: .isSoloed) ?? false)
        }

        private enum CodingKeys: String, CodingKey { case volume, pan, isMuted, isSoloed }
    }
}

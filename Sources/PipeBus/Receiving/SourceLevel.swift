// SPDX-License-Identifier: MIT
import Glibc

/// How a receiver mixes a source. A receiver of separate streams does not mix: its sources have no levels.
///
/// - Thread: any. A value.
public struct SourceLevel: Sendable, Hashable, Codable {
    /// How loud the source is: 0…1, linear amplitude. A value out of range is clamped, and NaN sets 1. The same in decibels is
    /// ``volumeInDecibels``.
    public var volume: Double = 1 {
        didSet { volume = volume.isNaN ? 1 : min(max(volume, 0), 1) }
    }
    /// −1 (left) … 1 (right).
    public var pan: Double = 0 {
        didSet { pan = pan.isNaN ? 0 : min(max(pan, -1), 1) }
    }
    /// Not heard, soloed or not.
    public var isMuted = false
    /// While any source of the receiver is soloed, only those are heard that are.
    public var isSoloed = false

    /// ``volume`` in decibels, 20·log₁₀ of it: 0 dB for full volume, −∞ for silence. A value above 0 dB is clamped, and NaN
    /// sets 0 dB.
    public var volumeInDecibels: Double {
        get { 20 * log10(volume) }
        set { volume = pow(10, newValue / 20) }
    }

    /// As every source is at first: full volume, in the centre.
    public init() {}

    public init(volume: Double, pan: Double = 0, isMuted: Bool = false, isSoloed: Bool = false) {
        // Through the observers, which do not run in the initializer itself.
        var level = SourceLevel()
        level.volume = volume
        level.pan = pan
        level.isMuted = isMuted
        level.isSoloed = isSoloed
        self = level
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // What an older or newer version has not written has its default.
        self.init(
            volume: try container.decodeIfPresent(Double.self, forKey: .volume) ?? 1,
            pan: try container.decodeIfPresent(Double.self, forKey: .pan) ?? 0,
            isMuted: try container.decodeIfPresent(Bool.self, forKey: .isMuted) ?? false,
            isSoloed: try container.decodeIfPresent(Bool.self, forKey: .isSoloed) ?? false)
    }

    private enum CodingKeys: String, CodingKey { case volume, pan, isMuted, isSoloed }
}

// SPDX-License-Identifier: MIT
import Glibc

/// A change of one part of a source's mix level, ``Source/Level``.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public enum LevelChange: Sendable, Hashable {
    /// The volume: 0…1, linear amplitude. A value out of range is clamped, and NaN changes nothing.
    case volume(Double)
    /// The place in a stereo mix: −1 (left) … 1 (right). A value out of range is clamped, and NaN changes
    /// nothing.
    case pan(Double)
    /// Whether the source is left out of the mix.
    case muted(Bool)
    /// Whether the source is soloed.
    case soloed(Bool)

    /// The volume in decibels, see ``Source/Level/volumeInDecibels``: −∞…0 dB. A value above 0 dB is clamped, and
    /// NaN changes nothing.
    public static func volume(decibels: Double) -> LevelChange {
        .volume(min(pow(10, decibels / 20), 1))
    }

    func apply(to level: inout Source.Level) {
        switch self {
        case .volume(let volume): level.volume = volume
        case .pan(let pan): level.pan = pan
        case .muted(let isMuted): level.isMuted = isMuted
        case .soloed(let isSoloed): level.isSoloed = isSoloed
        }
    }

    var part: LevelKey.Part {
        switch self {
        case .volume: .volume
        case .pan: .pan
        case .muted: .mute
        case .soloed: .solo
        }
    }
}

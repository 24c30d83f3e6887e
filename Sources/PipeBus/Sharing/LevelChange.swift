// SPDX-License-Identifier: MIT

/// One part of a source's ``SourceLevel``, to be set.
///
/// - Thread: any. A value.
public enum LevelChange: Sendable, Hashable {
    /// 0…1, linear amplitude. A value out of range is clamped.
    case volume(Double)
    /// −1 (left) … 1 (right). A value out of range is clamped.
    case pan(Double)
    /// Whether the source is left out of the mix.
    case muted(Bool)
    /// Whether the source is soloed.
    case soloed(Bool)

    /// The volume in decibels, as ``SourceLevel/volumeInDecibels`` has it: −∞…0 dB. A value above 0 dB is clamped.
    public static func volume(decibels: Double) -> LevelChange {
        var level = SourceLevel()
        level.volumeInDecibels = decibels
        return .volume(level.volume)
    }

    func apply(to level: inout SourceLevel) {
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

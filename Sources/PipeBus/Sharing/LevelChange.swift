// SPDX-License-Identifier: MIT

/// One part of a source's ``SourceLevel``, to be set.
///
/// - Thread: any. A value.
public enum LevelChange: Sendable, Hashable {
    /// 0…1, linear; what is out of range is set to the nearest that is not, here and below.
    case volume(Double)
    /// −1 (left) … 1 (right).
    case pan(Double)
    case muted(Bool)
    case soloed(Bool)

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

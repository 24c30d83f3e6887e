// SPDX-License-Identifier: MIT
import AudioKernels

/// How much of a mono source goes to each side of a stereo mix as it is panned from −1 (left) to 1 (right).
///
/// A stereo source is balanced instead, whatever the law: the side it is panned away from gets quieter in a straight line,
/// the other stays as it is, and in the centre nothing changes. Mixes of one channel, or of more than two, have no sides,
/// and pan does nothing there.
///
/// - Thread: any. A value.
public enum PanLaw: String, Sendable, Hashable, Codable, CaseIterable {
    /// Equally loud everywhere in a room: the squares of both gains add up to 1. Centre −3 dB, L = cos(π/4·(1 + pan)),
    /// R = sin(π/4·(1 + pan)).
    case constantPower
    /// Equally loud when both sides are added up to one channel: both gains add up to 1. Centre −6 dB.
    case linear
    /// The geometric mean of the gains of ``constantPower`` and ``linear``. Centre −4.5 dB.
    case minus4Point5dB
    /// As stereo sources are balanced. Centre 0 dB on both sides, as PipeWire itself plays a mono source.
    case balance

    /// The gains for both sides.
    func gains(pan: Double) -> (left: Double, right: Double) {
        switch self {
        case .constantPower: Panning.constantPower(pan)
        case .linear: Panning.linear(pan)
        case .minus4Point5dB: Panning.minus4Point5dB(pan)
        case .balance: Panning.balance(pan)
        }
    }
}

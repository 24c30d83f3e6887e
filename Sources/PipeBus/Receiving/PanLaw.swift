// SPDX-License-Identifier: MIT
import AudioKernels

/// The gains of a mono source for the sides of a stereo mix, as it is panned from −1 (left) to 1 (right).
///
/// A stereo source is balanced, whatever the law. The gain of the side opposite to the pan falls linearly, the other
/// gain stays 1, and in the centre both are 1.
///
/// Mixes of one channel, or of more than two, have no sides. Pan has no effect there.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public enum PanLaw: String, Sendable, Hashable, Codable, CaseIterable {
    /// Constant loudness in a room: the squares of both gains add up to 1. Centre −3 dB, L = cos(π/4·(1 + pan)), R =
    /// sin(π/4·(1 + pan)).
    case constantPower
    /// Constant loudness when both sides are added up to one channel: both gains add up to 1. Centre −6 dB.
    case linear
    /// The geometric mean of the gains of ``constantPower`` and ``linear``. Centre −4.5 dB.
    case minus4Point5dB
    /// The law of stereo sources. Centre 0 dB on both sides, as PipeWire itself plays a mono source.
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

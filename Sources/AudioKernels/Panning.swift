// SPDX-License-Identifier: MIT
import Glibc

/// The gains for the two sides of a stereo mix, from −1 (left) to 1 (right).
///
/// The laws differ in how loud the centre is.
package enum Panning {
    package typealias Gains = (left: Double, right: Double)

    /// The squares of both gains add up to 1. Centre −3 dB.
    package static func constantPower(_ pan: Double) -> Gains {
        // At the ends exactly 0 and 1, which cosine and sine of a rounded π are not.
        guard abs(pan) < 1 else { return linear(pan) }
        return (cos(.pi / 4 * (1 + pan)), sin(.pi / 4 * (1 + pan)))
    }

    /// Both gains add up to 1. Centre −6 dB.
    package static func linear(_ pan: Double) -> Gains {
        let pan = min(max(pan, -1), 1)
        return ((1 - pan) / 2, (1 + pan) / 2)
    }

    /// The geometric mean of ``constantPower(_:)`` and ``linear(_:)``. Centre −4.5 dB.
    package static func minus4Point5dB(_ pan: Double) -> Gains {
        let (round, straight) = (constantPower(pan), linear(pan))
        return ((round.left * straight.left).squareRoot(), (round.right * straight.right).squareRoot())
    }

    /// The gain of the side opposite to the pan falls linearly. Centre 0 dB.
    package static func balance(_ pan: Double) -> Gains {
        let pan = min(max(pan, -1), 1)
        return (min(1, 1 - pan), min(1, 1 + pan))
    }
}

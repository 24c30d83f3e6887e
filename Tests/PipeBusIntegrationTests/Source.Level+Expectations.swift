// SPDX-License-Identifier: MIT
import Glibc
import PipeBus

extension Source.Level {
    /// The gain of each channel, from the description alone.
    func expectedGains(width: Int, isMono: Bool, panLaw: PanLaw, isAnySoloed: Bool) -> [Double] {
        guard !isMuted, isSoloed || !isAnySoloed else { return Array(repeating: 0, count: width) }
        guard width == 2 else { return Array(repeating: volume, count: width) }
        let angle = (pan + 1) * Double.pi / 4
        // The cosine of a rounded π/2 is not 0.
        let round = [pan == 1 ? 0 : cos(angle), sin(angle)]
        let straight = [(1 - pan) / 2, (1 + pan) / 2]
        let balance = [min(1, 1 - pan), min(1, 1 + pan)]
        guard isMono else { return balance.map { $0 * volume } }
        let sides =
            switch panLaw {
            case .constantPower: round
            case .linear: straight
            case .minus4Point5dB: zip(round, straight).map { ($0 * $1).squareRoot() }
            case .balance: balance
            }
        return sides.map { $0 * volume }
    }
}

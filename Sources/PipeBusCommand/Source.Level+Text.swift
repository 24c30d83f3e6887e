// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

extension Source.Level {
    /// More digits than a person hears or reads: -6 dB is 0.501187.
    private static let significantDigits = 6

    var volumeText: String { Decimal.text(volume, significantDigits: Self.significantDigits) }
    var panText: String { Decimal.text(pan, significantDigits: Self.significantDigits) }

    /// The level with the volume and the pan that are printed.
    var rounded: Self {
        var level = self
        level.volume = Decimal.rounded(volume, significantDigits: Self.significantDigits)
        level.pan = Decimal.rounded(pan, significantDigits: Self.significantDigits)
        return level
    }
}

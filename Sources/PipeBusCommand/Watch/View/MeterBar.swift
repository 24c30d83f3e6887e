// SPDX-License-Identifier: MIT
import Glibc
import ToolSupport

/// A level as a bar, from -60 to 0 dB in half steps.
struct MeterBar {
    private static let range = 60.0

    let isUnicode: Bool
    let width: Int

    func text(_ meter: WatchMeter?) -> StyledText {
        guard width > 0 else { return StyledText() }
        guard let meter else { return StyledText(isUnicode ? "–" : "-", .dim).fitted(to: width) }
        let decibels = meter.level > 0 ? min(20 * log10(Double(meter.level)), 0) : -Self.range
        let share = max(decibels + Self.range, 0) / Self.range
        let filled = Int((share * 2 * Double(width)).rounded())
        var bar = StyledText()
        for step in 0..<width {
            let sign: String
            switch filled - 2 * step {
            case 2...: sign = isUnicode ? "━" : "="
            case 1: sign = isUnicode ? "╸" : "-"
            default:
                bar.append(isUnicode ? "─" : ".", .dim)
                continue
            }
            bar.append(sign, meter.isOver ? .warning : style(of: step))
        }
        return bar
    }

    /// Green up to -12 dB, yellow up to -3 dB.
    private func style(of step: Int) -> StyledText.Style {
        let decibels = (Double(step) + 0.5) / Double(width) * Self.range - Self.range
        return decibels < -12 ? .sender : decibels < -3 ? .filter : .warning
    }

    /// The held peak in decibels, in six columns.
    static func peak(_ meter: WatchMeter?) -> StyledText {
        guard let meter else { return StyledText() }
        if meter.hasInvalidSamples { return StyledText("NaN", .warning) }
        guard meter.heldPeak > 1e-5 else { return StyledText("-∞", .dim) }
        return StyledText(Decimal.decibels(ofLevel: meter.heldPeak), meter.isOver ? .warning : .plain)
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import Synchronization
import ToolSupport

/// What was heard so far.
final class Analysis: Sendable {
    private let state = Mutex((spectrum: Spectrum(), seconds: 0.0, loudest: (frequency: 0.0, level: Float(0))))

    /// The length of all sound, in seconds.
    var seconds: Double { state.withLock { $0.seconds } }

    func add(_ block: CaptureBlock) {
        guard block.frameCount > 0 else { return }
        state.withLock { state in
            state.spectrum.add(block[0])
            let before = state.seconds
            state.seconds += Double(block.frameCount) / Double(block.sampleRate)
            // Ten times a second.
            guard Int(10 * state.seconds) > Int(10 * before) else { return }
            if let peak = state.spectrum.peak, peak.level > state.loudest.level { state.loudest = peak }
        }
    }

    /// A picture of the spectrum, as wide as the terminal and up to 8 rows high.
    func lines() -> [String] {
        let size = StatusLine.size
        let columns = min(size.columns - 1, 120)
        // The last row of a terminal stays free, and a small one has no room for the scale.
        let hasScale = columns >= 12 && size.rows > 3
        let rows = min(max(size.rows - (hasScale ? 2 : 1), 1), 8)
        let levels = state.withLock { $0.spectrum.levels }
        let heights = (0..<columns).map { column in
            let edges = (0...1).map { 30 * pow(20_000.0 / 30, Double(column + $0) / Double(columns)) / Spectrum.step }
            let first = min(max(Int(edges[0].rounded()), 1), levels.count - 1)
            let last = min(max(Int(edges[1].rounded()) - 1, first), levels.count - 1)
            let level = levels[first...last].max() ?? 0
            // Eighths of a character; all rows are 72 dB.
            return level > 0 ? Int((20 * log10(Double(level)) + 72) / 72 * Double(8 * rows)) : 0
        }
        let steps = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        let picture = (0..<rows).reversed().map { row in heights.map { steps[min(max($0 - 8 * row, 0), 8)] }.joined() }
        return hasScale ? picture + [TextColumns.fit("30 Hz", to: columns - 6) + "20 kHz"] : picture
    }

    /// Prints the result at the end.
    func report() {
        let (seconds, loudest) = state.withLock { ($0.seconds, $0.loudest) }
        let (time, level) = (Decimal.text(seconds, digits: 1), Decimal.decibels(ofLevel: loudest.level))
        let frequency = loudest.level > 0 ? Decimal.text(loudest.frequency, digits: 0) : "none"
        Terminal.report(
            "Heard \(time) s\(loudest.level > 0 ? "; the loudest frequency was \(frequency) Hz with \(level) dBFS" : " of silence").",
            ["seconds": time, "loudest_hz": frequency, "level_dbfs": level])
    }
}

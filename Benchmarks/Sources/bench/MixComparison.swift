// SPDX-License-Identifier: MIT

/// The cost of a mix of a number of stereo sources, in nanoseconds per cycle for both channels.
///
/// Ratios are medians of the ratios of times taken directly after one another.
struct MixComparison: Codable {
    var sources: Int
    var frames: Int
    /// A gain for each source and channel.
    var ours: Double
    /// All of those gains moving.
    var ramping: Double
    /// PipeWire's node, which has no gains.
    var pipeWire: Double
    /// That node with no frames to mix: its part in `pipeWire`.
    var node: Double
    /// A plain loop with gains, compiled with -O3.
    var plain: Double
    var oursToPipeWire: Double
    /// To the sums alone: `pipeWire` without `node`. Ours with all that it does in a cycle.
    var oursToPipeWireWithoutNode: Double
    var rampingToPipeWire: Double
    var plainToPipeWire: Double

    private static let aim = 1.3

    static var heading: String {
        Measure.row(
            ["mix, ns a cycle", "ours", "ramping", "PipeWire", "its node", "plain C", "ratio", "to sums"], width: 26)
    }

    var text: String {
        let times = [ours, ramping, pipeWire, node, plain].map { $0.formatted(places: 0) }
        let ratios = [oursToPipeWire, oursToPipeWireWithoutNode].map { $0.formatted(places: 3) }
        return Measure.row(["\(sources) sources, \(frames) frames"] + times + ratios, width: 26)
            + "  (aim: at most \(Self.aim.formatted(places: 2)))"
    }
}

// SPDX-License-Identifier: MIT
import PipeWireClient

/// What a port knows about latency: its own, and what its neighbours reported on each of its channels.
///
/// A link that goes and a latency that is withdrawn both count as none, as on a channel that nobody ever linked.
struct LatencyLedger: Sendable, Equatable {
    /// In frames.
    var own: Int
    /// How old the sound is that arrives on each input.
    private(set) var upstream: [Int: PathLatencyRange] = [:]
    /// How long the sound will still take from each output.
    private(set) var downstream: [Int: PathLatencyRange] = [:]

    init(own: Int) { self.own = own }

    mutating func report(upstream latency: PathLatencyRange?, onInput input: Int) { upstream[input] = latency }
    mutating func report(downstream latency: PathLatencyRange?, onOutput output: Int) { downstream[output] = latency }

    /// Whether what is reported is less than before.
    func falls(to latency: PathLatencyRange?, onInput input: Int) -> Bool {
        let size = { (range: PathLatencyRange?) in
            (range ?? .none).maximum.inFrames(cycleLength: 1024, sampleRate: 48_000)
        }
        return size(latency) < size(upstream[input])
    }

    /// What the outputs tell: the age of what they give.
    var published: PathLatencyRange { Self.span(upstream.values, plus: own) }

    /// What the inputs tell: how long what they take will need.
    var publishedUpstream: PathLatencyRange { Self.span(downstream.values, plus: own) }

    /// How old the sound on some inputs is, in frames.
    func upstream(ofInputs inputs: [Int], cycleLength: Int, sampleRate: Int) -> ClosedRange<Int> {
        let ranges = inputs.map {
            (upstream[$0] ?? .none).inFrames(cycleLength: cycleLength, sampleRate: sampleRate)
        }
        guard let low = ranges.map(\.lowerBound).min(), let high = ranges.map(\.upperBound).max() else { return 0...0 }
        return low...high
    }

    /// Something that arrives follows from the cycle's length or the rate.
    var isRelative: Bool { upstream.values.contains(where: \.isRelative) }

    /// From the least of all to the most. Which of two is less is told at a usual cycle, for want of a better one.
    private static func span(_ ranges: some Collection<PathLatencyRange>, plus own: Int) -> PathLatencyRange {
        let size = { (latency: PathLatency) in latency.inFrames(cycleLength: 1024, sampleRate: 48_000) }
        let least = ranges.map(\.minimum).min { size($0) < size($1) } ?? PathLatency(frames: 0)
        let most = ranges.map(\.maximum).max { size($0) < size($1) } ?? PathLatency(frames: 0)
        return PathLatencyRange(least + PathLatency(frames: own), most + PathLatency(frames: own))
    }
}

// SPDX-License-Identifier: MIT
import PipeWireClient

/// A port's own latency, and its neighbours' reports on each of its channels. Pure.
///
/// A channel counts as without latency before its first link, after its last link is removed, and after its latency is
/// withdrawn.
struct LatencyLedger: Sendable, Equatable {
    /// The port's own latency, in frames.
    var own: Int
    /// The cycle size that turns latencies in cycles or in time into frames, once it is known.
    var cycle: CycleSize?
    /// The age of the sound that arrives, by input.
    private(set) var upstream: [Int: PathLatencyRange] = [:]
    /// The time that the sound still takes, by output.
    private(set) var downstream: [Int: PathLatencyRange] = [:]
    /// The last reports on channels whose reports are replaced.
    private var unusedUpstream: [Int: PathLatencyRange] = [:]
    private var unusedDownstream: [Int: PathLatencyRange] = [:]

    init(own: Int) { self.own = own }

    mutating func report(upstream latency: PathLatencyRange?, onInput input: Int) {
        Self.report(latency, of: input, to: &upstream, unused: &unusedUpstream)
    }

    mutating func report(downstream latency: PathLatencyRange?, onOutput output: Int) {
        Self.report(latency, of: output, to: &downstream, unused: &unusedDownstream)
    }

    private static func report(
        _ latency: PathLatencyRange?, of channel: Int, to used: inout [Int: PathLatencyRange],
        unused: inout [Int: PathLatencyRange]
    ) {
        if unused[channel] != nil {
            unused[channel] = latency ?? PathLatencyRange.none
        } else {
            used[channel] = latency
        }
    }

    // MARK: Channels whose reports are not used

    /// Uses a latency instead of the reports on a channel; `nil` keeps the present latency.
    mutating func replaceReports(
        of channel: Int, _ direction: LatencyMap.Direction, by latency: PathLatencyRange?
    ) {
        switch direction {
        case .upstream: Self.replace(latency, of: channel, in: &upstream, unused: &unusedUpstream)
        case .downstream: Self.replace(latency, of: channel, in: &downstream, unused: &unusedDownstream)
        }
    }

    /// Uses the reports on a channel again, the last one at once. Idempotent.
    mutating func trustReports(of channel: Int, _ direction: LatencyMap.Direction) {
        switch direction {
        case .upstream: if let latency = unusedUpstream.removeValue(forKey: channel) { upstream[channel] = latency }
        case .downstream:
            if let latency = unusedDownstream.removeValue(forKey: channel) { downstream[channel] = latency }
        }
    }

    private static func replace(
        _ latency: PathLatencyRange?, of channel: Int, in used: inout [Int: PathLatencyRange],
        unused: inout [Int: PathLatencyRange]
    ) {
        if unused[channel] == nil { unused[channel] = used[channel] ?? PathLatencyRange.none }
        if let latency { used[channel] = latency }
    }

    // MARK: Questions

    /// The cycle size by which latencies are compared.
    private var comparisonSize: CycleSize { cycle ?? .usual }

    /// Whether a report is less than the input's present latency.
    func decreases(to latency: PathLatencyRange?, onInput input: Int) -> Bool {
        (latency ?? .none).maximum.size(in: comparisonSize)
            < (upstream[input] ?? .none).maximum.size(in: comparisonSize)
    }

    /// Whether a report differs from the input's present latency.
    func differs(_ latency: PathLatencyRange?, onInput input: Int) -> Bool {
        (latency ?? .none) != (upstream[input] ?? .none)
    }

    /// Whether a report may include the latency that this port published.
    func mayInclude(_ latency: PathLatencyRange, reportedOnInput isInput: Bool) -> Bool {
        latency.maximum.size(in: comparisonSize)
            >= (isInput ? published : publishedUpstream).maximum.size(in: comparisonSize)
    }

    /// The latency that the outputs publish: the age of their sound.
    var published: PathLatencyRange { span(upstream.values) }

    /// The latency that the inputs publish: the time that their sound will still take.
    var publishedUpstream: PathLatencyRange { span(downstream.values) }

    /// The age of the sound on some inputs, in frames.
    func upstream(ofInputs inputs: [Int], cycleLength: Int, sampleRate: Int) -> ClosedRange<Int> {
        let ranges = inputs.map {
            (upstream[$0] ?? .none).inFrames(cycleLength: cycleLength, sampleRate: sampleRate)
        }
        guard let low = ranges.map(\.lowerBound).min(), let high = ranges.map(\.upperBound).max() else { return 0...0 }
        return low...high
    }

    /// Whether the latency of any input follows from the cycle's length or the rate.
    var isRelative: Bool { upstream.values.contains(where: \.isRelative) }

    /// Whether the latency of any input or output follows from the cycle's length or the rate.
    var isAnyRelative: Bool { isRelative || downstream.values.contains(where: \.isRelative) }

    /// The channels with a report in cycles or in time, used or not.
    func relativeReports(_ direction: LatencyMap.Direction) -> Set<Int> {
        let (used, unused) = direction == .upstream ? (upstream, unusedUpstream) : (downstream, unusedDownstream)
        return Set(used.merging(unused) { _, reported in reported }.filter { $0.value.isRelative }.keys)
    }

    /// The range over all channels, from the least latency to the most, with the port's own latency added.
    private func span(_ ranges: some Collection<PathLatencyRange>) -> PathLatencyRange {
        let all = ranges.dropFirst().reduce(ranges.first ?? .none) { $0.joined(with: $1, in: comparisonSize) }
        // In frames: where paths meet, PipeWire joins their latencies unit by unit.
        let sum = all + PathLatency(frames: own)
        return cycle.map { sum.resolved(in: $0) } ?? sum
    }
}

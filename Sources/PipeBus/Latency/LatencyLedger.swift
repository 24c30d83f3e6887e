// SPDX-License-Identifier: MIT
import PipeWireClient

/// What a port knows about latency: its own, and what its neighbours reported on each of its channels.
///
/// A link that goes and a latency that is withdrawn both count as none, as on a channel that nobody ever linked.
struct LatencyLedger: Sendable, Equatable {
    /// In frames.
    var own: Int
    /// What cycles and time come to in frames, once that is known.
    var cycle: CycleSize?
    /// How old the sound is that arrives on each input.
    private(set) var upstream: [Int: PathLatencyRange] = [:]
    /// How long the sound will still take from each output.
    private(set) var downstream: [Int: PathLatencyRange] = [:]
    /// What was reported of channels whose reports are not used.
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

    // MARK: Channels whose reports are of no use

    /// From now on this counts, whatever is reported; `nil` for what counts now.
    mutating func replaceReports(
        of channel: Int, _ direction: LatencyMap.Direction, by latency: PathLatencyRange?
    ) {
        switch direction {
        case .upstream: Self.replace(latency, of: channel, in: &upstream, unused: &unusedUpstream)
        case .downstream: Self.replace(latency, of: channel, in: &downstream, unused: &unusedDownstream)
        }
    }

    /// What was reported last counts again.
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

    /// Decides which of two latencies is more.
    private var order: CycleSize { cycle ?? .usual }

    /// Whether what is reported is less than before.
    func falls(to latency: PathLatencyRange?, onInput input: Int) -> Bool {
        (latency ?? .none).maximum.size(in: order) < (upstream[input] ?? .none).maximum.size(in: order)
    }

    /// Whether what is reported is something else than what counts now.
    func differs(_ latency: PathLatencyRange?, onInput input: Int) -> Bool {
        (latency ?? .none) != (upstream[input] ?? .none)
    }

    /// Whether what is reported may hold what this port published.
    func mayHold(_ latency: PathLatencyRange, reportedOnInput isInput: Bool) -> Bool {
        latency.maximum.size(in: order) >= (isInput ? published : publishedUpstream).maximum.size(in: order)
    }

    /// What the outputs publish: the age of what they give.
    var published: PathLatencyRange { span(upstream.values) }

    /// What the inputs publish: how long what they take will need.
    var publishedUpstream: PathLatencyRange { span(downstream.values) }

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

    /// Something that is declared on either side does.
    var isAnyRelative: Bool { isRelative || downstream.values.contains(where: \.isRelative) }

    /// Channels of which something relative is reported, used or not.
    func relativeReports(_ direction: LatencyMap.Direction) -> Set<Int> {
        let (used, unused) = direction == .upstream ? (upstream, unusedUpstream) : (downstream, unusedDownstream)
        return Set(used.merging(unused) { _, reported in reported }.filter { $0.value.isRelative }.keys)
    }

    /// From the least of all to the most.
    private func span(_ ranges: some Collection<PathLatencyRange>) -> PathLatencyRange {
        let all = ranges.dropFirst().reduce(ranges.first ?? .none) { $0.joined(with: $1, in: order) }
        // In frames, for where it meets others PipeWire puts them together unit by unit.
        let sum = all + PathLatency(frames: own)
        return cycle.map { sum.resolved(in: $0) } ?? sum
    }
}

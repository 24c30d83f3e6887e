// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// The paths of sound with the latencies that ports declare on them: enough to compute the latency behind a loop. Pure.
///
/// PipeWire adds up latencies from port to port. So in a loop the returning latency includes the published one, and grows
/// with every turn. Sound that returns was counted on its first turn. So only paths that pass no node twice count here.
struct LatencyMap {
    enum Direction: CaseIterable { case upstream, downstream }

    /// A link from the view of one of its ends.
    struct Arc {
        var link: UInt32
        /// The channel at this end.
        var channel: UInt32
        /// The node at the far end.
        var farNode: UInt32
        /// The channel at the far end.
        var farChannel: UInt32
        /// Whether the link's sound comes one cycle late.
        var isFeedback: Bool
    }

    enum Result: Equatable {
        /// No path leads here, but for those that pass a node twice.
        case nothing
        /// A latency has not been declared yet, or there are too many paths.
        case unknown
        case latency(PathLatencyRange)
    }

    /// The links of each node on the side that latencies come from.
    private(set) var arcs: [UInt32: [Arc]] = [:]
    /// The neighbours of each node on the opposite side.
    private var successors: [UInt32: [UInt32]] = [:]
    private let own: [UInt32: Int]
    private let reported: [UInt32: PathLatencyRange]
    private let reportedLate: [UInt32: PathLatencyRange]
    /// The latency that a feedback link adds: one cycle upstream, none downstream.
    ///
    /// The downstream latency is published for foreign tools. They compare it with PipeWire's latency of the path from the
    /// far end, which does not count that cycle.
    private let feedbackLatency: PathLatency
    private let cycle: CycleSize

    /// - Parameters:
    ///   - feedback: the links whose sound comes one cycle late.
    ///   - own: the latencies that filters declare as their own, in frames, by node.
    ///   - reported: the latencies that ports declare to their neighbours, by channel.
    ///   - reportedLate: for links in `feedback`, the latency that PipeWire still counts, if it is an older one; by link.
    ///   - cycle: the cycle size by which latencies are compared.
    init(
        _ links: [GraphReducer.AudioLink], towards direction: Direction, feedback: Set<UInt32>, own: [UInt32: Int],
        reported: [UInt32: PathLatencyRange], reportedLate: [UInt32: PathLatencyRange] = [:], cycle: CycleSize = .usual
    ) {
        self.cycle = cycle
        self.own = own
        self.reported = reported
        self.reportedLate = reportedLate
        feedbackLatency = PathLatency(cycles: direction == .upstream ? 1 : 0, frames: 0)
        for link in links {
            let isFeedback = feedback.contains(link.id)
            switch direction {
            case .upstream:
                arcs[link.inputNode, default: []].append(
                    Arc(
                        link: link.id, channel: link.input, farNode: link.outputNode, farChannel: link.output,
                        isFeedback: isFeedback))
                successors[link.outputNode, default: []].append(link.inputNode)
            case .downstream:
                arcs[link.outputNode, default: []].append(
                    Arc(
                        link: link.id, channel: link.output, farNode: link.inputNode, farChannel: link.input,
                        isFeedback: isFeedback))
                successors[link.inputNode, default: []].append(link.outputNode)
            }
        }
    }

    /// The nodes that share a loop with a node, itself included; empty if it is in no loop.
    func loop(through node: UInt32) -> Set<UInt32> {
        let ahead = reach(from: node) { node in arcs[node]?.map(\.farNode) ?? [] }
        guard ahead.contains(node) else { return [] }
        return ahead.intersection(reach(from: node) { node in successors[node] ?? [] })
    }

    private func reach(from node: UInt32, _ neighbours: (UInt32) -> [UInt32]) -> Set<UInt32> {
        var reached: Set<UInt32> = []
        var pending = neighbours(node)
        while let next = pending.popLast() {
            if reached.insert(next).inserted { pending += neighbours(next) }
        }
        return reached
    }

    /// The channels of a node for which PipeWire's reports cannot be used.
    ///
    /// | channel | PipeWire's report |
    /// | --- | --- |
    /// | in a loop | includes latency that went through the loop |
    /// | with a feedback link | leaves out changes over the link, and the cycle that it adds |
    /// | with several links, and latencies in cycles or in time | joins them unit by unit, to more than any of the paths has |
    ///
    /// The last one: one path of a cycle and one of 3000 frames become a cycle and 3000 frames.
    ///
    /// - Parameter relative: the channels with a latency that is declared in cycles or in time.
    func unreliableChannels(of node: UInt32, loop: Set<UInt32>, relative: Set<UInt32> = []) -> Set<UInt32> {
        let arcs = arcs[node] ?? []
        let junctions = relative.filter { channel in arcs.count { $0.channel == channel } > 1 }
        return Set(arcs.filter { $0.isFeedback || loop.contains($0.farNode) }.map(\.channel)).union(junctions)
    }

    /// The inputs of ``latency(arrivingAt:channel:loop:)`` for a node's unreliable channels: channels whose declared
    /// latency is needed, and links whose feedback mark is needed.
    func needs(of node: UInt32, channels: Set<UInt32>, loop: Set<UInt32>) -> (channels: Set<UInt32>, links: Set<UInt32>)
    {
        let own = (arcs[node] ?? []).filter { channels.contains($0.channel) }
        let all = own + loop.flatMap { arcs[$0] ?? [] }
        return (Set(all.map(\.farChannel)), Set(all.map(\.link)))
    }

    // MARK: Adding up

    /// The latency that arrives on a channel, over the paths that pass no node twice.
    func latency(arrivingAt node: UInt32, channel: UInt32, loop: Set<UInt32>) -> Result {
        // Bounded: where loops cross, the number of paths grows exponentially. Beyond the bound the latency is unknown.
        var steps = 4096
        let arcs = (arcs[node] ?? []).filter { $0.channel == channel }
        return sum(of: arcs, avoiding: [node], loop: loop, steps: &steps)
    }

    private func sum(of arcs: [Arc], avoiding passed: Set<UInt32>, loop: Set<UInt32>, steps: inout Int) -> Result {
        var all: PathLatencyRange?
        for arc in arcs where !passed.contains(arc.farNode) {
            steps -= 1
            guard steps > 0 else { return .unknown }
            switch latency(leaving: arc.farNode, channel: arc.farChannel, avoiding: passed, loop: loop, steps: &steps) {
            case .nothing: continue
            case .unknown: return .unknown
            case .latency(let latency):
                let arriving = arc.isFeedback ? latency + feedbackLatency : latency
                all = all?.joined(with: arriving, in: cycle) ?? arriving
            }
        }
        return all.map { .latency($0) } ?? .nothing
    }

    private func latency(
        leaving node: UInt32, channel: UInt32, avoiding passed: Set<UInt32>, loop: Set<UInt32>, steps: inout Int
    ) -> Result {
        // Outside the loop the declared latency is right.
        guard loop.contains(node) else { return reported[channel].map { .latency($0) } ?? .unknown }
        let added: PathLatency
        if let own = own[node] {
            added = PathLatency(frames: own)
        } else {
            guard let published = reported[channel], let arriving = leastArriving(at: node) else { return .unknown }
            // It publishes less than arrives: it does not pass on its input, or does not declare so.
            guard let difference = published.minimum.difference(from: arriving) else { return .latency(published) }
            added = difference
        }
        let result = sum(of: arcs[node] ?? [], avoiding: passed.union([node]), loop: loop, steps: &steps)
        guard case .latency(let latency) = result else { return result }
        return .latency(latency + added)
    }

    /// The least latency that arrives at a node, joined as PipeWire does; `nil` if any is not declared yet. The least,
    /// since that one seldom came through a loop.
    private func leastArriving(at node: UInt32) -> PathLatency? {
        var least: PathLatency?
        for arc in arcs[node] ?? [] {
            let latest = reported[arc.farChannel]
            guard let latency = (arc.isFeedback ? reportedLate[arc.link] ?? latest : latest)?.minimum else {
                return nil
            }
            least = least.map { $0.leastOfEach(with: latency) } ?? latency
        }
        return least ?? PathLatency(frames: 0)
    }
}

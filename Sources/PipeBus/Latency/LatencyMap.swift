// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// The path of sound, and what is declared of its latency on that path: enough to know how late sound is that comes out
/// of a loop. Pure.
///
/// PipeWire adds up latencies from port to port, so in a loop what comes back holds what went out, and grows with every
/// turn. Sound that goes round was counted when it first came by; so what counts here are the paths that pass
/// nobody twice.
struct LatencyMap {
    enum Direction: CaseIterable { case upstream, downstream }

    /// A link as one of its ends sees it.
    struct Arc {
        var link: UInt32
        /// The channel at this end.
        var channel: UInt32
        /// The node and the channel at the other.
        var peer: UInt32
        var peerChannel: UInt32
        /// What it carries comes one cycle late.
        var isFeedback: Bool
    }

    enum Result: Equatable {
        /// Nothing but what has been here before.
        case nothing
        /// Something has not been declared yet.
        case unknown
        case latency(PathLatencyRange)
    }

    /// The links of each node towards where the latency comes from.
    private(set) var arcs: [UInt32: [Arc]] = [:]
    /// Its neighbours on the other side.
    private var others: [UInt32: [UInt32]] = [:]
    /// What filters add that say so, in frames.
    private let own: [UInt32: Int]
    /// What ports declare to their neighbours.
    private let reported: [UInt32: PathLatencyRange]
    private let reportedLate: [UInt32: PathLatencyRange]
    /// Only sound is a cycle older there. How long it will still take is published for foreign tools, which compare it with what
    /// PipeWire says of the way from the other end, without that cycle.
    private let costOfLateLink: PathLatency
    private let cycle: CycleSize

    /// - Parameters:
    ///   - feedback: the links that come one cycle late.
    ///   - own: what filters add that say so, in frames, by node.
    ///   - reported: what ports declare to those they are linked to, by channel.
    ///   - reportedLate: what PipeWire counts of the links in `feedback`, by link, where it is late with that.
    ///   - cycle: decides which of two latencies is more.
    init(
        _ links: [GraphReducer.AudioLink], towards direction: Direction, feedback: Set<UInt32>, own: [UInt32: Int],
        reported: [UInt32: PathLatencyRange], reportedLate: [UInt32: PathLatencyRange] = [:], cycle: CycleSize = .usual
    ) {
        self.cycle = cycle
        self.own = own
        self.reported = reported
        self.reportedLate = reportedLate
        costOfLateLink = PathLatency(cycles: direction == .upstream ? 1 : 0, frames: 0)
        for link in links {
            let isFeedback = feedback.contains(link.id)
            switch direction {
            case .upstream:
                arcs[link.inputNode, default: []].append(
                    Arc(
                        link: link.id, channel: link.input, peer: link.outputNode, peerChannel: link.output,
                        isFeedback: isFeedback))
                others[link.outputNode, default: []].append(link.inputNode)
            case .downstream:
                arcs[link.outputNode, default: []].append(
                    Arc(
                        link: link.id, channel: link.output, peer: link.inputNode, peerChannel: link.input,
                        isFeedback: isFeedback))
                others[link.inputNode, default: []].append(link.outputNode)
            }
        }
    }

    /// The nodes that a node is in a loop with, itself among them; none if it is in no loop.
    func loop(through node: UInt32) -> Set<UInt32> {
        let ahead = reach(from: node) { node in arcs[node]?.map(\.peer) ?? [] }
        guard ahead.contains(node) else { return [] }
        return ahead.intersection(reach(from: node) { node in others[node] ?? [] })
    }

    private func reach(from node: UInt32, _ neighbours: (UInt32) -> [UInt32]) -> Set<UInt32> {
        var found: Set<UInt32> = []
        var waiting = neighbours(node)
        while let next = waiting.popLast() {
            if found.insert(next).inserted { waiting += neighbours(next) }
        }
        return found
    }

    /// The channels of a node for which what PipeWire reports is not to be used: it holds what went through a loop, or
    /// comes over a link that PipeWire does not count.
    ///
    /// - Parameter relative: channels of which something is declared in cycles or in time. Where several paths meet there,
    ///   PipeWire takes the most of each unit, and makes of a cycle here and 3000 frames there a cycle and 3000 frames.
    func unreliableChannels(of node: UInt32, loop: Set<UInt32>, relative: Set<UInt32> = []) -> Set<UInt32> {
        let arcs = arcs[node] ?? []
        let meeting = relative.filter { channel in arcs.count { $0.channel == channel } > 1 }
        return Set(arcs.filter { $0.isFeedback || loop.contains($0.peer) }.map(\.channel)).union(meeting)
    }

    /// The channels whose latency must be reported, and the links whose marks must be known, to know what arrives on
    /// unreliable channels.
    func needs(of node: UInt32, channels: Set<UInt32>, loop: Set<UInt32>) -> (channels: Set<UInt32>, links: Set<UInt32>)
    {
        let own = (arcs[node] ?? []).filter { channels.contains($0.channel) }
        let all = own + loop.flatMap { arcs[$0] ?? [] }
        return (Set(all.map(\.peerChannel)), Set(all.map(\.link)))
    }

    // MARK: Adding up

    /// What arrives on a channel by ways that pass nobody twice.
    func latency(arrivingAt node: UInt32, channel: UInt32, loop: Set<UInt32>) -> Result {
        // Ways may be many where loops cross: then it stays as it is.
        var steps = 4096
        let arcs = (arcs[node] ?? []).filter { $0.channel == channel }
        return sum(of: arcs, avoiding: [node], loop: loop, steps: &steps)
    }

    private func sum(of arcs: [Arc], avoiding passed: Set<UInt32>, loop: Set<UInt32>, steps: inout Int) -> Result {
        var all: PathLatencyRange?
        for arc in arcs where !passed.contains(arc.peer) {
            steps -= 1
            guard steps > 0 else { return .unknown }
            switch latency(leaving: arc.peer, channel: arc.peerChannel, avoiding: passed, loop: loop, steps: &steps) {
            case .nothing: continue
            case .unknown: return .unknown
            case .latency(let latency):
                let late = arc.isFeedback ? latency + costOfLateLink : latency
                all = all?.joined(with: late, in: cycle) ?? late
            }
        }
        return all.map { .latency($0) } ?? .nothing
    }

    private func latency(
        leaving node: UInt32, channel: UInt32, avoiding passed: Set<UInt32>, loop: Set<UInt32>, steps: inout Int
    ) -> Result {
        // Outside the loop what is declared is right.
        guard loop.contains(node) else { return reported[channel].map { .latency($0) } ?? .unknown }
        let added: PathLatency
        if let own = own[node] {
            added = PathLatency(frames: own)
        } else {
            guard let given = reported[channel], let taken = taken(by: node) else { return .unknown }
            // Gives less than it takes: it does not pass on what it takes, or does not say so.
            guard let difference = given.minimum.difference(from: taken) else { return .latency(given) }
            added = difference
        }
        let result = sum(of: arcs[node] ?? [], avoiding: passed.union([node]), loop: loop, steps: &steps)
        guard case .latency(let latency) = result else { return result }
        return .latency(latency + added)
    }

    /// The least of what a node is reported, as PipeWire puts it together. The least, since that seldom came through a loop.
    private func taken(by node: UInt32) -> PathLatency? {
        var least: PathLatency?
        for arc in arcs[node] ?? [] {
            let latest = reported[arc.peerChannel]
            guard let latency = (arc.isFeedback ? reportedLate[arc.link] ?? latest : latest)?.minimum else {
                return nil
            }
            least = least.map { $0.leastOfEach(with: latency) } ?? latency
        }
        return least ?? PathLatency(frames: 0)
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// What a client looks at more closely than the registry does, because of loops: the marks of links, and what ports declare.
struct LatencyWatch {
    /// Links that were asked for their mark.
    var links: Set<UInt32> = []
    /// Those of them that come one cycle late.
    var feedback: Set<UInt32> = []
    /// Ports that were asked for their latency.
    var channels: Set<UInt32> = []
    var reported: [UInt32: PathLatencyRange] = [:]
    /// What the source of a late link had declared when PipeWire last summed what arrives at its end, by link: it does
    /// that only for the sake of the others.
    var reportedLate: [LatencyMap.Direction: [UInt32: PathLatencyRange]] = [:]
    /// What cycles were like when that was looked at last.
    var cycle: CycleSize?

    /// Something depends on what a cycle is.
    var isRelative: Bool { !feedback.isEmpty || reported.values.contains(where: \.isRelative) }

    /// An object is gone; its id may be another's soon.
    mutating func forget(_ id: UInt32) {
        links.remove(id)
        feedback.remove(id)
        channels.remove(id)
        reported[id] = nil
        for direction in LatencyMap.Direction.allCases { reportedLate[direction]?[id] = nil }
    }

    /// PipeWire sums the latencies at a channel again: for a link that came or went there, or for what was declared over
    /// one that is not late.
    mutating func recompute(
        at channel: UInt32, among links: [GraphReducer.AudioLink], towards direction: LatencyMap.Direction
    ) {
        for link in links where feedback.contains(link.id) && link.channel(at: .end, direction) == channel {
            reportedLate[direction, default: [:]][link.id] = reported[link.channel(at: .start, direction)]
        }
    }

    /// What a channel declares has changed.
    mutating func take(
        _ latency: PathLatencyRange, reportedBy channel: UInt32, among links: [GraphReducer.AudioLink],
        towards direction: LatencyMap.Direction
    ) {
        reported[channel] = latency
        for link in links where link.channel(at: .start, direction) == channel {
            if !feedback.contains(link.id) {
                recompute(at: link.channel(at: .end, direction), among: links, towards: direction)
            } else if reportedLate[direction]?[link.id] == nil {
                // Told for the first time.
                reportedLate[direction, default: [:]][link.id] = latency
            }
        }
    }
}

extension GraphReducer.AudioLink {
    fileprivate enum Place { case start, end }

    /// The channel that declares over the link, or the one that receives the declaration.
    fileprivate func channel(at place: Place, _ direction: LatencyMap.Direction) -> UInt32 {
        (place == .start) == (direction == .upstream) ? output : input
    }
}

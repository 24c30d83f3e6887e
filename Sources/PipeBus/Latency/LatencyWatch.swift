// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// The information beyond the registry that a session needs because of loops: the feedback marks of links, and the
/// latencies that ports declare. Pure.
struct LatencyWatch {
    /// The links whose mark is watched.
    private var links: Set<UInt32> = []
    /// The watched links whose sound comes one cycle late.
    private(set) var feedback: Set<UInt32> = []
    /// The channels whose latency is watched.
    private(set) var channels: Set<UInt32> = []
    /// The latencies that watched channels declare.
    private(set) var reported: [UInt32: PathLatencyRange] = [:]
    /// The latency of each feedback link's source at the time of PipeWire's last sum at the link's end, by link. Only a
    /// change of another link makes PipeWire compute that sum.
    private(set) var reportedLate: [LatencyMap.Direction: [UInt32: PathLatencyRange]] = [:]
    /// The linked inputs at which several links met, and one has gone. PipeWire may keep the sum of all of them: an
    /// app sends each report back, and the daemon takes an older one that comes back late for the present one.
    private(set) var inputsAfterMeeting: Set<UInt32> = []

    /// Records that a link is about to go.
    ///
    /// - Parameters:
    ///   - input: the channel at its end.
    ///   - isLast: whether the channel has no other link.
    mutating func linkDisappears(at input: UInt32, isLast: Bool) {
        if isLast { inputsAfterMeeting.remove(input) } else { inputsAfterMeeting.insert(input) }
    }

    /// Watches a link's mark.
    ///
    /// - Returns: whether the mark was not watched before.
    mutating func watch(link: UInt32) -> Bool { links.insert(link).inserted }

    /// Records a link's mark.
    ///
    /// - Returns: whether the link is watched and its mark has changed.
    mutating func mark(_ link: UInt32, isFeedback: Bool) -> Bool {
        guard links.contains(link) else { return false }
        return isFeedback ? feedback.insert(link).inserted : feedback.remove(link) != nil
    }

    /// Watches a channel's latency. Idempotent.
    mutating func watch(channel: UInt32) { channels.insert(channel) }

    /// Records no latency for the channels that are watched and have declared none.
    ///
    /// - Returns: whether there are such channels.
    mutating func assumeNoLatency(among channels: Set<UInt32>) -> Bool {
        let undeclared = channels.filter { self.channels.contains($0) && reported[$0] == nil }
        for channel in undeclared { reported[channel] = PathLatencyRange.none }
        return !undeclared.isEmpty
    }

    /// Whether any watched latency follows from the cycle's length or the rate.
    var isRelative: Bool { !feedback.isEmpty || reported.values.contains(where: \.isRelative) }

    /// Forgets an object that is gone: the daemon may give its id to another one. Idempotent.
    mutating func forget(_ id: UInt32) {
        links.remove(id)
        feedback.remove(id)
        channels.remove(id)
        inputsAfterMeeting.remove(id)
        reported[id] = nil
        for direction in LatencyMap.Direction.allCases { reportedLate[direction]?[id] = nil }
    }

    /// Records that PipeWire sums the latencies at a channel again. It does so when a link to the channel appears or
    /// disappears, and when a latency is declared over a link that is no feedback link.
    mutating func recompute(
        at channel: UInt32, among links: [GraphReducer.AudioLink], towards direction: LatencyMap.Direction
    ) {
        for link in links where feedback.contains(link.id) && link.channel(at: .end, direction) == channel {
            reportedLate[direction, default: [:]][link.id] = reported[link.channel(at: .start, direction)]
        }
    }

    /// Records a channel's new latency.
    mutating func record(
        _ latency: PathLatencyRange, reportedBy channel: UInt32, among links: [GraphReducer.AudioLink],
        towards direction: LatencyMap.Direction
    ) {
        reported[channel] = latency
        for link in links where link.channel(at: .start, direction) == channel {
            if !feedback.contains(link.id) {
                recompute(at: link.channel(at: .end, direction), among: links, towards: direction)
            } else if reportedLate[direction]?[link.id] == nil {
                // Declared for the first time.
                reportedLate[direction, default: [:]][link.id] = latency
            }
        }
    }
}

extension GraphReducer.AudioLink {
    fileprivate enum End { case start, end }

    /// The channel at an end of the link: the start declares latencies of this direction, the end receives them.
    fileprivate func channel(at end: End, _ direction: LatencyMap.Direction) -> UInt32 {
        (end == .start) == (direction == .upstream) ? output : input
    }
}

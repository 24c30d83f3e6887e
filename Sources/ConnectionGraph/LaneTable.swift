// SPDX-License-Identifier: MIT

/// Assigns sources to the lanes of a receiver, and decides about links of other programs.
///
/// Pure: links in, decisions out. One source has one lane. A foreign link into another source's lane is moved to a free
/// lane, once. If it is made again while the source is connected or has just been, or if no lane is free, it stays and the
/// lane is shared.
package struct LaneTable: Sendable {
    package enum Decision: Sendable, Equatable {
        /// The link may stay.
        case accept
        /// Make the link again on that lane, same channel, and remove this one.
        case move(lane: Int)
        /// The link stays on a lane that another source has.
        case share(Reason)
    }

    package enum Reason: Sendable, Equatable {
        case noFreeLane, cameBack
    }

    private struct Entry: Sendable {
        var source: UInt64
        var output: UInt32
        var channel: Int
        /// Whether the link is being removed or moved. It no longer counts against links that stay.
        var isLeaving = false
    }

    private struct Move: Sendable, Hashable {
        var output: UInt32
        var lane: Int
        var channel: Int
    }

    /// The links of a lane, summarized.
    package struct LinkSummary: Sendable, Equatable {
        /// Serials of the source nodes, oldest first; several on a shared lane.
        package var sources: [UInt64]
        /// Number of output ports that the links come from.
        package var outputCount: Int
        /// Channels of the lane that are linked.
        package var channels: Set<Int>

        package var isShared: Bool { sources.count > 1 }

        package init(sources: [UInt64], outputCount: Int, channels: Set<Int>) {
            self.sources = sources
            self.outputCount = outputCount
            self.channels = channels
        }
    }

    package let laneCount: Int
    /// The links of each lane.
    private var links: [[UInt32: Entry]]
    /// The lane of each link.
    private var lanes: [UInt32: Int] = [:]
    /// Lanes reserved for a source whose links are being made.
    private var reservations: [Int: UInt64] = [:]
    /// Lanes to which a source is being moved, until its link appears there.
    private var pendingMoves: [Int: UInt64] = [:]
    /// The links that were moved, by source.
    private var moved: [UInt64: Set<Move>] = [:]

    package init(laneCount: Int) {
        precondition(laneCount > 0)
        self.laneCount = laneCount
        links = Array(repeating: [:], count: laneCount)
    }

    // MARK: Our own connections

    /// Reserves a lane for a source: the one it has, or else the first free one. `nil` when none is free.
    package mutating func reserve(for source: UInt64) -> Int? {
        guard let lane = lane(of: source) ?? firstFreeLane else { return nil }
        reservations[lane] = source
        return lane
    }

    /// Reserves the first free lane for a source, also if it has one. `nil` when none is free.
    package mutating func reserveAnother(for source: UInt64) -> Int? {
        guard let lane = firstFreeLane else { return nil }
        reservations[lane] = source
        return lane
    }

    /// Reserves a lane that a source has alone.
    package mutating func reserve(lane: Int, for source: UInt64) { reservations[lane] = source }

    /// Ends a reservation, used or not.
    package mutating func endReservation(lane: Int) {
        reservations[lane] = nil
    }

    /// Reports that a move failed.
    ///
    /// - Parameters:
    ///   - lane: the destination of the move.
    ///   - link: the link that stays in its place, if there is one.
    package mutating func cancelMove(lane: Int, link: UInt32? = nil) {
        pendingMoves[lane] = nil
        if let link { keep(link: link) }
    }

    /// Reports that a link that was to be removed stays.
    package mutating func keep(link: UInt32) { if let lane = lanes[link] { links[lane][link]?.isLeaving = false } }

    // MARK: Changes in the graph

    /// Takes note of a new link, and decides about it.
    ///
    /// - Parameters:
    ///   - source: the serial of the node that the link comes from.
    ///   - output: the id of the output port that the link comes from.
    ///   - isOurs: whether this client requested the link.
    ///   - isLeaving: whether the link is going to be removed in any case; see ``keep(link:)``.
    package mutating func linkAdded(
        id: UInt32, source: UInt64, output: UInt32, lane: Int, channel: Int, isOurs: Bool, isLeaving: Bool = false
    ) -> Decision {
        linkRemoved(id: id)
        let others = sources(on: lane).subtracting([source])
        lanes[id] = lane
        links[lane][id] = Entry(source: source, output: output, channel: channel, isLeaving: isLeaving)
        if isLeaving { return .accept }
        if pendingMoves[lane] == source { pendingMoves[lane] = nil }
        if isOurs || others.isEmpty { return .accept }
        let move = Move(output: output, lane: lane, channel: channel)
        if moved[source]?.contains(move) == true { return .share(.cameBack) }
        // Its other channels may have been moved already: the channels of a source stay on one lane.
        let home = (0..<laneCount).first { $0 != lane && sources(on: $0) == [source] }
        guard let target = home ?? firstFreeLane else { return .share(.noFreeLane) }
        moved[source, default: []].insert(move)
        pendingMoves[target] = source
        links[lane][id]?.isLeaving = true
        return .move(lane: target)
    }

    package mutating func linkRemoved(id: UInt32) {
        if let lane = lanes.removeValue(forKey: id) { links[lane][id] = nil }
    }

    /// Forgets a node that is gone. Its past moves do not count against the next node.
    package mutating func sourceRemoved(_ source: UInt64) {
        forgetMoves(of: source)
        reservations = reservations.filter { $0.value != source }
        pendingMoves = pendingMoves.filter { $0.value != source }
    }

    /// Forgets the moves of a source that has been away for a while: whoever connects it then does so anew.
    package mutating func forgetMoves(of source: UInt64) { moved[source] = nil }

    // MARK: Questions

    /// Whether a source was moved, and has no link any more.
    package func hasLeft(_ source: UInt64) -> Bool { moved[source] != nil && !holds(source) }

    /// The sources on a lane, those with a reservation or a move under way included.
    package func sources(on lane: Int) -> Set<UInt64> {
        var found = Set(links[lane].values.lazy.filter { !$0.isLeaving }.map(\.source))
        if let promised = reservations[lane] { found.insert(promised) }
        if let coming = pendingMoves[lane] { found.insert(coming) }
        return found
    }

    /// The lane that a source has alone.
    package func lane(of source: UInt64) -> Int? {
        (0..<laneCount).first { sources(on: $0) == [source] }
    }

    /// Whether a source has a link, a reservation or a move under way to any lane.
    package func holds(_ source: UInt64) -> Bool {
        (0..<laneCount).contains { sources(on: $0).contains(source) }
    }

    package func isLinked(lane: Int) -> Bool {
        !links[lane].isEmpty
    }

    /// Whether a channel of a lane has a link that is not being removed or moved.
    package func isOccupied(lane: Int, channel: Int) -> Bool {
        links[lane].values.contains { $0.channel == channel && !$0.isLeaving }
    }

    /// Whether a channel of a lane has a link that is being removed or moved.
    package func isLeaving(lane: Int, channel: Int) -> Bool {
        links[lane].values.contains { $0.channel == channel && $0.isLeaving }
    }

    /// The summary of a lane's links, without those that are being removed or moved; `nil` when there are none.
    package func linkSummary(of lane: Int) -> LinkSummary? {
        let entries = links[lane].values.filter { !$0.isLeaving }
        guard !entries.isEmpty else { return nil }
        return LinkSummary(
            sources: Set(entries.map(\.source)).sorted(), outputCount: Set(entries.map(\.output)).count,
            channels: Set(entries.map(\.channel)))
    }

    /// The links that are being removed or moved.
    package var leavingLinks: Set<UInt32> {
        Set(links.lazy.flatMap { $0.lazy.filter(\.value.isLeaving).map(\.key) })
    }

    private var firstFreeLane: Int? {
        (0..<laneCount).first { sources(on: $0).isEmpty }
    }
}

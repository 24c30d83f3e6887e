// SPDX-License-Identifier: MIT

/// Which source is on which lane of a receiver, and what becomes of a link that somebody else made.
///
/// Pure: links in, decisions out. One source has one lane. A foreign link into a lane that another source holds is to be
/// made again on a free lane, once; if it comes back, or if no lane is free, it stays and the lane is shared.
package struct LaneTable: Sendable {
    package enum Decision: Sendable, Equatable {
        /// The link may stay.
        case accept
        /// Make it again on that lane, same channel, and remove this one.
        case move(lane: Int)
        /// It stays where another source is.
        case share(Reason)
    }

    package enum Reason: Sendable, Equatable {
        case noFreeLane, cameBack
    }

    private struct Entry: Sendable {
        var source: UInt64
        var output: UInt32
        var lane: Int
        var channel: Int
        /// It is being removed, or made again elsewhere: it no longer stands against those that stay.
        var isLeaving = false
    }

    private struct Move: Sendable, Hashable {
        var source: UInt64
        var output: UInt32
        var lane: Int
        var channel: Int
    }

    /// What is linked to a lane.
    package struct Occupation: Sendable, Equatable {
        /// Serials of the nodes, oldest first; several on a shared lane.
        package var sources: [UInt64]
        /// Output ports that the links come from.
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
    private var links: [UInt32: Entry] = [:]
    /// Lanes promised to a source whose links are being made.
    private var reservations: [Int: UInt64] = [:]
    /// Lanes to which a source is being moved, until its link shows there.
    private var underway: [Int: UInt64] = [:]
    private var moved: Set<Move> = []

    package init(laneCount: Int) {
        precondition(laneCount > 0)
        self.laneCount = laneCount
    }

    // MARK: Our own connections

    /// Promises a lane to a source: the one it has, or else the first free one. `nil` when none is free.
    package mutating func reserve(for source: UInt64) -> Int? {
        guard let lane = lane(of: source) ?? firstFreeLane else { return nil }
        reservations[lane] = source
        return lane
    }

    /// Ends a promise, kept or not.
    package mutating func endReservation(lane: Int) {
        reservations[lane] = nil
    }

    /// A move that was decided did not come off.
    ///
    /// - Parameters:
    ///   - lane: where the source was to go.
    ///   - link: the one that stays where it is, if it does.
    package mutating func moveFailed(lane: Int, link: UInt32? = nil) {
        underway[lane] = nil
        if let link { stay(link: link) }
    }

    /// What was to be removed is not.
    package mutating func stay(link: UInt32) { links[link]?.isLeaving = false }

    // MARK: What happened in the graph

    /// A link has appeared.
    ///
    /// - Parameters:
    ///   - source: the serial of the node it comes from.
    ///   - output: the id of the output port it comes from.
    ///   - isOurs: whether we asked for it.
    ///   - isLeaving: whether it is going to be removed, wherever it is; see ``stay(link:)``.
    package mutating func linkAdded(
        id: UInt32, source: UInt64, output: UInt32, lane: Int, channel: Int, isOurs: Bool, isLeaving: Bool = false
    ) -> Decision {
        let others = sources(on: lane).subtracting([source])
        links[id] = Entry(source: source, output: output, lane: lane, channel: channel, isLeaving: isLeaving)
        if isLeaving { return .accept }
        if underway[lane] == source { underway[lane] = nil }
        if isOurs || others.isEmpty { return .accept }
        let move = Move(source: source, output: output, lane: lane, channel: channel)
        if moved.contains(move) { return .share(.cameBack) }
        // Its other channels may have been moved already: a source stays together.
        let home = (0..<laneCount).first { $0 != lane && sources(on: $0) == [source] }
        guard let target = home ?? firstFreeLane else { return .share(.noFreeLane) }
        moved.insert(move)
        underway[target] = source
        links[id]?.isLeaving = true
        return .move(lane: target)
    }

    package mutating func linkRemoved(id: UInt32) {
        links[id] = nil
    }

    /// A node has gone: what it did before no longer counts against the next one.
    package mutating func sourceRemoved(_ source: UInt64) {
        moved = moved.filter { $0.source != source }
        reservations = reservations.filter { $0.value != source }
        underway = underway.filter { $0.value != source }
    }

    // MARK: Questions

    /// The sources on a lane, with those that have a promise or are on their way.
    package func sources(on lane: Int) -> Set<UInt64> {
        var found = Set(links.values.filter { $0.lane == lane && !$0.isLeaving }.map(\.source))
        if let promised = reservations[lane] { found.insert(promised) }
        if let coming = underway[lane] { found.insert(coming) }
        return found
    }

    /// The lane a source has for itself.
    package func lane(of source: UInt64) -> Int? {
        (0..<laneCount).first { sources(on: $0) == [source] }
    }

    /// Whether anything of a source is linked, promised or on its way to any lane.
    package func holds(_ source: UInt64) -> Bool {
        (0..<laneCount).contains { sources(on: $0).contains(source) }
    }

    package func isLinked(lane: Int) -> Bool {
        links.values.contains { $0.lane == lane }
    }

    /// Whether a channel of a lane has a link that stays.
    package func isOccupied(lane: Int, channel: Int) -> Bool {
        links.values.contains { $0.lane == lane && $0.channel == channel && !$0.isLeaving }
    }

    /// Whether a channel of a lane has a link that is being removed, or made again elsewhere.
    package func isLeaving(lane: Int, channel: Int) -> Bool {
        links.values.contains { $0.lane == lane && $0.channel == channel && $0.isLeaving }
    }

    /// What is linked to a lane, without what is leaving it; `nil` when nothing is.
    package func occupation(of lane: Int) -> Occupation? {
        let entries = links.values.filter { $0.lane == lane && !$0.isLeaving }
        guard !entries.isEmpty else { return nil }
        return Occupation(
            sources: Set(entries.map(\.source)).sorted(), outputCount: Set(entries.map(\.output)).count,
            channels: Set(entries.map(\.channel)))
    }

    private var firstFreeLane: Int? {
        (0..<laneCount).first { sources(on: $0).isEmpty }
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The links at one of the client's ports: those from its outputs, those to its inputs, and the lanes of the latter.
/// Confined to the loop.
final class PortLinks {
    /// The place of an input: a lane and a channel of it.
    struct Place: Hashable {
        var lane: Int
        var channel: Int
    }

    /// The output channel of each link from the outputs, by the link's id.
    private var outgoing: [UInt32: UInt32] = [:]
    /// The number of links of each output channel that has any.
    private var outgoingCounts: [UInt32: Int] = [:]
    /// The links to the inputs.
    private var incoming: Set<UInt32> = []
    private var lanes: LaneTable
    private var announcements = LaneAnnouncements()
    /// The sources that hang and were disconnected until they answer, by serial.
    private var stalled: [UInt64: StalledSource] = [:]
    /// The time at which the last link to the inputs appeared.
    private var lastLinkTime = MonotonicTime(nanoseconds: 0)
    /// The same for each source, by serial.
    private var sourceTimes: [UInt64: MonotonicTime] = [:]
    let laneCount: Int

    init(laneCount: Int) {
        self.laneCount = laneCount
        lanes = LaneTable(laneCount: laneCount)
    }

    // MARK: Links that appear and disappear

    func addOutgoing(_ id: UInt32, ofChannel channel: UInt32) {
        guard outgoing.updateValue(channel, forKey: id) == nil else { return }
        outgoingCounts[channel, default: 0] += 1
    }

    /// - Returns: whether the link was one from the outputs.
    func removeOutgoing(_ id: UInt32) -> Bool {
        guard let channel = outgoing.removeValue(forKey: id), let count = outgoingCounts[channel] else { return false }
        outgoingCounts[channel] = count > 1 ? count - 1 : nil
        return true
    }

    /// - Returns: whether the link is new.
    func addIncoming(_ id: UInt32) -> Bool {
        guard incoming.insert(id).inserted else { return false }
        lastLinkTime = .now
        return true
    }

    /// - Returns: whether the link was one to the inputs.
    func removeIncoming(_ id: UInt32) -> Bool {
        guard incoming.remove(id) != nil else { return false }
        lanes.linkRemoved(id: id)
        if incoming.isEmpty { sourceTimes = [:] }
        announcements.keep { lanes.holds($0) }
        return true
    }

    /// Whether a source was moved to another lane, and is no longer connected.
    func hasLeft(_ source: UInt64) -> Bool { lanes.hasLeft(source) }
    func forgetMoves(of source: UInt64) { lanes.forgetMoves(of: source) }

    var hasOutgoing: Bool { !outgoing.isEmpty }
    var hasIncoming: Bool { !incoming.isEmpty }
    /// The links of both directions.
    var all: Set<UInt32> { incoming.union(outgoing.keys) }
    /// Number of outputs with a link.
    var linkedOutputCount: Int { outgoingCounts.count }

    // MARK: Lanes. See `LaneTable`.

    func assignLane(
        toLink id: UInt32, from source: UInt64, output: UInt32, at place: Place, isOurs: Bool, isLeaving: Bool
    ) -> LaneTable.Decision {
        sourceTimes[source] = lastLinkTime
        return lanes.linkAdded(
            id: id, source: source, output: output, lane: place.lane, channel: place.channel, isOurs: isOurs,
            isLeaving: isLeaving)
    }

    func reserveLane(for source: UInt64) -> Int? { lanes.reserve(for: source) }
    func reserveAnotherLane(for source: UInt64) -> Int? { lanes.reserveAnother(for: source) }
    func endReservation(ofLane lane: Int) { lanes.endReservation(lane: lane) }
    func cancelMove(toLane lane: Int, ofLink link: UInt32? = nil) { lanes.cancelMove(lane: lane, link: link) }
    func keep(link: UInt32) { lanes.keep(link: link) }
    func sourceRemoved(_ source: UInt64) {
        lanes.sourceRemoved(source)
        sourceTimes[source] = nil
    }

    /// The time at which the last link from a source appeared; from any source if the node is no direct one.
    func lastLinkTime(from source: UInt64?) -> MonotonicTime { source.flatMap { sourceTimes[$0] } ?? lastLinkTime }

    func isLinked(lane: Int) -> Bool { lanes.isLinked(lane: lane) }
    func linkSummary(ofLane lane: Int) -> LaneTable.LinkSummary? { lanes.linkSummary(of: lane) }
    func isOccupied(_ place: Place) -> Bool { lanes.isOccupied(lane: place.lane, channel: place.channel) }
    var leavingLinks: Set<UInt32> { lanes.leavingLinks }
    func isLeaving(_ place: Place) -> Bool { lanes.isLeaving(lane: place.lane, channel: place.channel) }

    // MARK: Sources that hang

    /// The links to the inputs, by id.
    var allIncoming: Set<UInt32> { incoming }

    /// Records that a source hangs, and reserves its lanes.
    func beginStall(_ source: StalledSource) {
        stalled[source.source] = source
        for lane in source.linkSummaries.keys { lanes.reserve(lane: lane, for: source.source) }
    }

    /// Ends the stall of a source, and the reservation of its lanes.
    ///
    /// - Returns: the source, if it was stalled.
    func endStall(of source: UInt64) -> StalledSource? {
        guard let ended = stalled.removeValue(forKey: source) else { return nil }
        for lane in ended.linkSummaries.keys { lanes.endReservation(lane: lane) }
        return ended
    }

    /// The sources that hang, by serial, in order.
    var stalledSources: [UInt64] { stalled.keys.sorted() }
    func stall(of source: UInt64) -> StalledSource? { stalled[source] }

    /// The source that stalls on a lane, if the lane has no other one.
    func stalledSource(onLane lane: Int) -> StalledSource? {
        stalled.isEmpty ? nil : stalled.values.first { $0.linkSummaries[lane] != nil }
    }

    /// Records that a notice is posted.
    ///
    /// - Returns: whether it is the first of its kind for the source and lane.
    func announce(_ entry: LaneAnnouncements.Entry) -> Bool { announcements.insert(entry) }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Assigns the links at our own ports to lanes, whichever program made them, and moves foreign links to free lanes.
///
/// It is called inside the registry's callbacks: a link that is moved there has not carried one cycle yet. A hundred
/// turns of the loop later it may have. Only if there are very many links the rest waits for a job: see
/// ``ReceiverKeeper/allowsChangeAtOnce()``. Confined to the loop.
final class LaneKeeper {
    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    private let links: LinkTable
    private let selfConnections: SelfConnectionGuard
    private let receivers: ReceiverKeeper
    private let reports: LatencyReports
    private let corrector: LatencyCorrector
    private let moves: MoveMemory
    private var linkMoves = LinkMoves()
    private let notices: NoticeLog

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ links: LinkTable,
        _ selfConnections: SelfConnectionGuard, _ receivers: ReceiverKeeper, _ reports: LatencyReports,
        _ corrector: LatencyCorrector, notices: NoticeLog
    ) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.links = links
        self.selfConnections = selfConnections
        self.receivers = receivers
        self.reports = reports
        self.corrector = corrector
        self.notices = notices
        moves = MoveMemory(on: connection, ports)
    }

    // MARK: Events of the graph

    func linkAppeared(_ id: UInt32) {
        guard let ends = model.reducer.ends(ofLink: id) else { return }
        // A meter does not count as a connection: its links make no node run.
        if let port = ports[output: ends.output], !model.reducer.isForeignMeter(channel: ends.input) {
            port.links.addOutgoing(id, ofChannel: ends.output)
            port.publishStatus()
            corrector.watchMark(ofLink: id)
        }
        guard let port = ports[input: ends.input], let place = port.channels.place(ofInput: ends.input),
            port.links.addIncoming(id)
        else { return }
        corrector.watchMark(ofLink: id)
        let isAtOnce = receivers.allowsChangeAtOnce()
        let key = LinkTable.Key(output: ends.output, input: ends.input)
        linkMoves.appeared(key)
        let isOurs = links[key] != nil
        let decision = port.links.assignLane(
            toLink: id, from: model.serial(ofChannel: ends.output) ?? 0, output: ends.output, at: place, isOurs: isOurs,
            isLeaving: isAtOnce && selfConnections.linkAppeared(id, at: port))
        // A filter has one lane, on which PipeWire mixes all links.
        if port.kind == .receiver { perform(decision, link: id, output: ends.output, at: place, of: port) }
        if isAtOnce { receivers.update(port) }
        port.publishStatus()
    }

    /// Removes a link from its ports. To be called while the model still has the link.
    func linkDisappears(_ id: UInt32) {
        selfConnections.linkDisappeared(id)
        if let new = linkMoves.disappeared(id) { connection.later { [weak self] in self?.giveUp(new) } }
        let source = model.reducer.ends(ofLink: id).flatMap { model.serial(ofChannel: $0.output) }
        for port in ports {
            if port.links.removeOutgoing(id) {
                forgetLatency(ofLink: id, at: port)
                port.publishStatus()
            }
            if port.links.removeIncoming(id) {
                forgetLatency(ofLink: id, at: port)
                if let input = model.reducer.ends(ofLink: id)?.input {
                    corrector.linkDisappears(
                        at: input, isLast: !model.reducer.hasLink(atChannel: input, otherThan: id))
                }
                reports.takeUnblocked(at: port)
                if receivers.allowsChangeAtOnce() { receivers.update(port) }
                port.publishStatus()
                if let source { moves.linkRemoved(from: source, at: port) }
            }
        }
    }

    private func forgetLatency(ofLink id: UInt32, at port: LivePort) {
        guard let ends = model.reducer.ends(ofLink: id) else { return }
        reports.forget(
            linkBetween: ends, at: port, isLast: { !model.reducer.hasLink(atChannel: $0, otherThan: id) })
    }

    func sourceDisappeared(_ source: UInt64) {
        selfConnections.sourceDisappeared(source)
        for port in ports { port.links.sourceRemoved(source) }
    }

    /// Keeps a link that could not be removed.
    func linkKept(_ link: UInt32, at port: LivePort) {
        port.links.keep(link: link)
        corrector.linkChanges(link)
        reports.takeUnblocked(at: port)
        receivers.update(port)
    }

    /// Ends the move of a source to a lane, because the new link failed or another program removed it.
    func linkLost(_ key: LinkTable.Key) {
        guard let port = ports[input: key.input], let place = port.channels.place(ofInput: key.input) else { return }
        port.links.cancelMove(toLane: place.lane)
    }

    /// Removes the new link of a source that somebody has disconnected while it was being moved.
    private func giveUp(_ key: LinkTable.Key) {
        if let link = links[key] { links.release(link) }
        linkLost(key)
    }

    // MARK: Moving

    private func perform(
        _ decision: LaneTable.Decision, link id: UInt32, output: UInt32, at place: PortLinks.Place, of port: LivePort
    ) {
        switch decision {
        case .accept: return
        case .move(let lane): move(link: id, output: output, from: place, to: lane, of: port)
        case .share(let reason):
            let explanation =
                switch reason {
                case .noFreeLane: "all \(port.links.laneCount) lanes are taken; make the receiver with more"
                case .cameBack: "it was moved before and came back"
                }
            announce(.laneShared, of: output, lane: place.lane, at: port) { source in
                "\(source) shares lane \(place.lane + 1) of \(port.title) with another source: \(explanation)."
            }
        }
    }

    private func move(link id: UInt32, output: UInt32, from place: PortLinks.Place, to lane: Int, of port: LivePort) {
        guard connection.isOpen else { return }
        let target = PortLinks.Place(lane: lane, channel: place.channel)
        let key = LinkTable.Key(output: output, input: port.channels.input(at: target))
        do throws(PipeWireError) {
            if links[key] == nil {
                // The new link first, so that the source keeps its old link if this fails.
                try links.make(key)
                linkMoves.began(from: id, to: key)
            } else {
                // The source already has this link on its lane: only the second link is removed.
                port.links.cancelMove(toLane: lane)
            }
            try links.destroy(id: id)
            announce(.linkMoved, of: output, lane: lane, at: port) { source in
                "\(source) was linked to lane \(place.lane + 1) of \(port.title), which has a source; moved to lane "
                    + "\(lane + 1)."
            }
        } catch {
            port.links.cancelMove(toLane: lane, ofLink: id)
            corrector.linkChanges(id)
            reports.takeUnblocked(at: port)
            announce(.laneShared, of: output, lane: place.lane, at: port) { source in
                "\(source) could not be moved to a lane of its own at \(port.title): \(PipeBusError(error).message)"
            }
        }
    }

    /// Posts a notice, once for a source on a lane, however many of its channels are linked there.
    ///
    /// - Parameter message: makes the message from the source's title.
    private func announce(
        _ kind: Notice.Kind, of output: UInt32, lane: Int, at port: LivePort, _ message: (String) -> String
    ) {
        let serial = model.serial(ofChannel: output)
        guard port.links.announce(LaneAnnouncements.Entry(kind: kind, source: serial ?? 0, lane: lane)) else { return }
        notices.post(
            Notice(
                kind: kind, port: port.name, source: serial.map { GraphPort.ID(serial: $0) },
                message: message(model.title(ofOutput: output))))
    }
}

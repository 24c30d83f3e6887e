// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// What happens to links at our own ports, by whomever they were made. Called straight from the registry's callbacks:
/// a link that is moved there has not carried one cycle, a hundred turns of the loop later it may have.
extension DaemonSession {
    func linkAppeared(id: UInt32) {
        guard let ends = model.reducer.ends(ofLink: id) else { return }
        if let node = ports[output: ends.output] {
            node.outgoing[id] = ends.output
            node.publishConnections()
            askForMark(ofLink: id)
        }
        guard let node = ports[input: ends.input],
            let place = node.place(ofInput: ends.input), node.incoming.insert(id).inserted
        else { return }
        askForMark(ofLink: id)
        let source = model.reducer.node(ofChannel: ends.output).flatMap { model.reducer.serial(ofNode: $0) } ?? 0
        let isOurs = links[LinkTable.Key(output: ends.output, input: ends.input)] != nil
        let decision = node.lanes.linkAdded(
            id: id, source: source, output: ends.output, lane: place.lane, channel: place.channel, isOurs: isOurs,
            isLeaving: guardLink(id, at: node))
        // A filter has one lane, and sums what is linked to it.
        if node.declaration.kind == .receiver {
            perform(decision, link: id, output: ends.output, place: place, at: node)
        }
        updateReceiver(node)
        node.publishConnections()
    }

    func linkDisappeared(id: UInt32) {
        for node in ports {
            node.returns.linkRemoved(id)
            if node.outgoing.removeValue(forKey: id) != nil {
                forgetLatency(ofLink: id, at: node)
                node.publishConnections()
            }
            if node.incoming.remove(id) != nil {
                node.lanes.linkRemoved(id: id)
                node.announcements.keep { node.lanes.holds($0) }
                forgetLatency(ofLink: id, at: node)
                followKeptReports(at: node)
                updateReceiver(node)
                node.publishConnections()
            }
        }
    }

    /// Not every version withdraws the latency of a link that goes.
    private func forgetLatency(ofLink id: UInt32, at node: LivePort) {
        guard let ends = model.reducer.ends(ofLink: id) else { return }
        let before = node.latency
        let others = node.incoming.union(node.outgoing.keys).compactMap { model.reducer.ends(ofLink: $0) }
        if let input = node.inputChannels.firstIndex(of: ends.input),
            !others.contains(where: { $0.input == ends.input })
        {
            node.latency.report(upstream: nil, onInput: input)
            node.waitingReports.falling.cancel(input)
            node.waitingReports.forget(ReportKey(isInput: true, port: input))
        }
        if let output = node.outputChannels.firstIndex(of: ends.output),
            !others.contains(where: { $0.output == ends.output })
        {
            node.latency.report(downstream: nil, onOutput: output)
            node.waitingReports.forget(ReportKey(isInput: false, port: output))
        }
        if node.latency != before { node.publishLatency() }
    }

    private func perform(
        _ decision: LaneTable.Decision, link id: UInt32, output: UInt32, place: (lane: Int, channel: Int),
        at node: LivePort
    ) {
        switch decision {
        case .accept: return
        case .move(let lane):
            move(link: id, output: output, to: lane, channel: place.channel, from: place.lane, at: node)
        case .share(let reason):
            let why =
                switch reason {
                case .noFreeLane: "all \(node.lanes.laneCount) lanes are taken; make the receiver with more"
                case .cameBack: "it was moved before and came back"
                }
            announce(
                .laneShared, of: output, lane: place.lane, at: node,
                message:
                    "\(model.title(ofOutput: output)) shares lane \(place.lane + 1) of \(node.title) with another source: \(why)."
            )
        }
    }

    private func move(link id: UInt32, output: UInt32, to lane: Int, channel: Int, from: Int, at node: LivePort) {
        let input = node.inputChannels[lane * node.declaration.laneWidth + channel]
        let name = model.title(ofOutput: output)
        do throws(PipeWireError) {
            guard isOpen else { return }
            if links[LinkTable.Key(output: output, input: input)] == nil {
                // The new link first, so that the source is not left without one if it cannot be made.
                try links.make(LinkTable.Key(output: output, input: input))
            } else {
                // The source has its lane and that link on it: only the second one goes.
                node.lanes.moveFailed(lane: lane)
            }
            try links.destroy(id: id)
            announce(
                .linkMoved, of: output, lane: lane, at: node,
                message:
                    "\(name) was linked to lane \(from + 1) of \(node.title), which has a source; moved to lane \(lane + 1)."
            )
        } catch {
            node.lanes.moveFailed(lane: lane, link: id)
            followKeptReports(at: node)
            announce(
                .laneShared, of: output, lane: from, at: node,
                message:
                    "\(name) could not be moved to a lane of its own at \(node.title): \(PipeBusError(error).message)")
        }
    }

    /// Once for a source on a lane, however many of its channels are linked there.
    private func announce(
        _ kind: Notice.Kind, of output: UInt32, lane: Int, at node: LivePort, message: @autoclosure () -> String
    ) {
        let serial = model.reducer.node(ofChannel: output).flatMap { model.reducer.serial(ofNode: $0) } ?? 0
        guard node.announcements.insert(LaneAnnouncements.Entry(kind: kind, source: serial, lane: lane)) else { return }
        post(Notice(kind: kind, port: node.declaration.name, message: message()))
    }

    /// A link of ours failed, or somebody removed it.
    func linkLost(_ key: LinkTable.Key) {
        if let link = links[key] { links.release(link) }
        if isOpen { forgetConnection(of: key) }
        if let port = ports[input: key.input], let place = port.place(ofInput: key.input) {
            port.lanes.moveFailed(lane: place.lane)
        }
        // Whoever is making a connection of it must know.
        changeWaits.resumeAll()
    }
}

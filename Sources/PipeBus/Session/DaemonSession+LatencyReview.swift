// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Where PipeWire's own sums cannot be used: in loops, and behind links that come one cycle late.
extension DaemonSession {
    /// A link has come, or is about to go.
    func linksChange(id: UInt32) {
        markStale(.latencies)
        guard !latencyWatch.channels.isEmpty, let ends = model.reducer.ends(ofLink: id) else { return }
        let links = model.reducer.audioLinks.filter { $0.id != id }
        latencyWatch.recompute(at: ends.input, among: links, towards: .upstream)
        latencyWatch.recompute(at: ends.output, among: links, towards: .downstream)
    }

    /// A link at one of our own ports: is it one that comes a cycle late?
    func askForMark(ofLink id: UInt32) {
        guard latencyWatch.links.insert(id).inserted else { return }
        connection.bind(id: id, kind: .link)
    }

    func feedbackMarked(id: UInt32, isFeedback: Bool) {
        guard latencyWatch.links.contains(id) else { return }
        let changed = isFeedback ? latencyWatch.feedback.insert(id).inserted : latencyWatch.feedback.remove(id) != nil
        if changed { markStale(.latencies) }
    }

    func channelReportedLatency(_ latency: PathLatencyRange, isOutputLatency: Bool, byChannel id: UInt32) {
        // The other direction is what the channel itself was given.
        guard latencyWatch.channels.contains(id), model.reducer.isInput(channel: id) == !isOutputLatency,
            latencyWatch.reported[id] != latency
        else { return }
        latencyWatch.take(
            latency, reportedBy: id, among: model.reducer.audioLinks, towards: isOutputLatency ? .upstream : .downstream
        )
        markStale(.latencies)
    }

    func reviewLatencies() {
        guard isOpen else { return }
        let isAnyPassedThrough = ports.contains { !$0.incoming.isEmpty && !$0.outgoing.isEmpty }
        guard
            isAnyPassedThrough || !latencyWatch.feedback.isEmpty || !latencyWatch.channels.isEmpty
                || ports.contains(where: \.latency.isAnyRelative)
        else { return }
        var own = model.reducer.latenciesOfFilters
        for node in ports where node.declaration.kind == .filter { own[node.nodeID] = node.latency.own }
        let links = model.reducer.audioLinks
        var channels: Set<UInt32> = []
        for direction in LatencyMap.Direction.allCases {
            let map = LatencyMap(
                links, towards: direction, feedback: latencyWatch.feedback, own: own, reported: latencyWatch.reported,
                reportedLate: latencyWatch.reportedLate[direction] ?? [:], cycle: cycleSize ?? .usual)
            for node in ports { channels.formUnion(review(node, with: map, direction)) }
        }
        watch(channels)
        watchCycleLength()
    }

    /// - Returns: the channels that must be watched for that.
    private func review(
        _ node: LivePort, with map: LatencyMap, _ direction: LatencyMap.Direction
    ) -> Set<UInt32> {
        let loop = map.loop(through: node.nodeID)
        let before = node.latency
        node.latency.cycle = cycleSize
        let channels = direction == .upstream ? node.inputChannels : node.outputChannels
        let relative = Set(node.latency.relativeReports(direction).map { channels[$0] })
        let unreliable = map.unreliableChannels(of: node.nodeID, loop: loop, relative: relative)
        for (index, channel) in channels.enumerated() {
            guard unreliable.contains(channel) else {
                node.latency.trustReports(of: index, direction)
                continue
            }
            switch map.latency(arrivingAt: node.nodeID, channel: channel, loop: loop) {
            case .nothing: node.latency.replaceReports(of: index, direction, by: PathLatencyRange.none)
            case .latency(let latency): node.latency.replaceReports(of: index, direction, by: latency)
            // As it was, until all is known.
            case .unknown: node.latency.replaceReports(of: index, direction, by: nil)
            }
        }
        if node.latency != before { latencyChanged(at: node) }
        guard !unreliable.isEmpty else { return [] }
        let needs = map.needs(of: node.nodeID, channels: unreliable, loop: loop)
        for link in needs.links { askForMark(ofLink: link) }
        return needs.channels
    }

    private func watch(_ channels: Set<UInt32>) {
        guard isOpen, channels != latencyWatch.channels else { return }
        for channel in latencyWatch.channels.subtracting(channels) {
            connection.unbind(id: channel)
            latencyWatch.forget(channel)
        }
        let new = channels.subtracting(latencyWatch.channels)
        for channel in new {
            latencyWatch.channels.insert(channel)
            connection.bind(id: channel, kind: .port)
        }
        guard !new.isEmpty else { return }
        afterRoundTrip { [self] in assumeNoLatency(among: new) }
    }

    /// Some ports declare nothing: that counts as no latency.
    private func assumeNoLatency(among channels: Set<UInt32>) {
        guard isOpen else { return }
        let silent = channels.filter { latencyWatch.channels.contains($0) && latencyWatch.reported[$0] == nil }
        for channel in silent { latencyWatch.reported[channel] = PathLatencyRange.none }
        if !silent.isEmpty { markStale(.latencies) }
    }

    /// Publishes a port's latency, which has changed.
    ///
    /// Not every loop can be seen: an app may take sound with one node and give it with another, and pass latencies on. It
    /// would go round thousands of times a second there, until there is no larger number; so it is published less often then.
    func latencyChanged(at node: LivePort) {
        guard !node.isLatencyDue else { return }
        guard node.latencyRate.allows(at: .now) else {
            node.isLatencyDue = true
            let id = node.id
            timers.after(.milliseconds(50)) { [self] in publishLatencyLater(of: id) }
            return
        }
        publishLatency(of: node)
    }

    private func publishLatencyLater(of id: GraphPort.ID) {
        guard isOpen, let node = ports[id] else { return }
        node.isLatencyDue = false
        publishLatency(of: node)
    }

    private func publishLatency(of node: LivePort) {
        node.publishLatency()
        updateReceiver(node)
        watchCycleLength()
    }

    // MARK: Reports that may be of one's own making

    /// What PipeWire reports comes before the link that it comes over. If that closes a loop the report holds what this
    /// port published itself, so it is at least as much; then it waits for as long as the link may take to show.
    ///
    /// - Returns: whether the report is dealt with later.
    func waitsForItsLink(_ report: FilterNode.LatencyReport, at node: LivePort) -> Bool {
        guard node.declaration.kind == .filter, let latency = report.latency,
            refresh.isStale(.latencies) || node.latency.mayHold(latency, reportedOnInput: report.isInput)
        else { return false }
        hold(report, at: node)
        return true
    }

    /// Where links meet in one input of a receiver PipeWire puts their latencies together, and reports that before the new
    /// link shows. Usually that link is moved to a lane of its own, and nothing of it was ever true of the source that was
    /// there. So a report for an input that has a source waits for as long as a link may take to show.
    ///
    /// - Returns: whether the report is dealt with later.
    func waitsForItsSource(_ report: FilterNode.LatencyReport, at node: LivePort) -> Bool {
        guard report.isInput, node.latency.differs(report.latency, onInput: report.port),
            let place = node.place(ofInputAt: report.port),
            node.lanes.isOccupied(lane: place.lane, channel: place.channel)
        else { return false }
        hold(report, at: node)
        return true
    }

    private func hold(_ report: FilterNode.LatencyReport, at port: LivePort) {
        let ticket = port.waitingReports.held.issue(ReportKey(report))
        let id = port.id
        afterRoundTrip { [self] in takeHeldReport(report, ticket, at: id) }
    }

    private func takeHeldReport(
        _ report: FilterNode.LatencyReport, _ ticket: Tickets<ReportKey>.Ticket, at id: GraphPort.ID
    ) {
        let key = ReportKey(report)
        guard isOpen, let port = ports[id], port.waitingReports.held.redeem(ticket, for: key) else { return }
        guard !port.isLinkLeaving(at: key) else { return port.waitingReports.keep(report) }
        if refresh.take(.latencies) { reviewLatencies() }
        take(report, at: port)
    }

    /// A link has gone, or stays after all. What was reported while it was leaving counts now, unless PipeWire has
    /// something newer to say.
    func followKeptReports(at port: LivePort) {
        for report in port.waitingReports.takeKept(unless: { port.isLinkLeaving(at: $0) }) { hold(report, at: port) }
    }
}

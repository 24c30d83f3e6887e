// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

extension DaemonSession {
    /// What a port adds by itself from now on.
    func setLatency(_ latency: PortLatency, of node: LivePort) async throws {
        try check(latency, of: node.declaration.name)
        // A sender that is to follow a receiver must run after it, and that is settled when the port is made.
        if let receiver = latency.receiver, !node.declaration.after.contains(receiver) {
            throw PipeBusError(
                .invalidArgument,
                "\(node.title) can follow \"\(Names.shown(receiver))\" only if it was made to run after it; "
                    + "add the port with after: or latency: naming it.")
        }
        // First what may fail, and only where it changes.
        if latency.receiver != node.wantedLatency.receiver {
            try setProperties([(PipeBusProperty.follows, latency.receiver ?? "")], of: node)
        }
        node.declared.declaration.latency = latency
        applyLatency(resolvedLatency(of: node), to: node)
        try await roundTrip()
    }

    // MARK: What PipeWire reports

    func latencyReported(_ report: FilterNode.LatencyReport, of id: GraphPort.ID) {
        guard let node = ports[id] else { return }
        // Our own, coming back.
        guard report.isInput == report.isOutputLatency else { return }
        node.waitingReports.forget(ReportKey(report))
        if node.receiver != nil, waitsWithFall(of: report, at: node) || waitsForItsSource(report, at: node) { return }
        if waitsForItsLink(report, at: node) { return }
        take(report, at: node)
    }

    func take(_ report: FilterNode.LatencyReport, at node: LivePort) {
        let before = node.latency
        if report.isInput {
            node.latency.report(upstream: report.latency, onInput: report.port)
        } else {
            node.latency.report(downstream: report.latency, onOutput: report.port)
        }
        if node.latency != before { latencyChanged(at: node) }
        // Put together by PipeWire, it may not be what it seems.
        if report.latency?.isRelative == true { markStale(.latencies) }
    }

    /// PipeWire withdraws a latency a moment before it reports that the link goes. Followed at once, the source would say
    /// again what it said before. So what gets less at a receiver waits for that moment.
    ///
    /// - Returns: whether the report is dealt with later.
    private func waitsWithFall(of report: FilterNode.LatencyReport, at node: LivePort) -> Bool {
        node.waitingReports.falling.cancel(report.port)
        guard node.latency.falls(to: report.latency, onInput: report.port) else { return false }
        let ticket = node.waitingReports.falling.issue(report.port)
        let id = node.id
        timers.after(.milliseconds(15)) { [self] in followFall(of: report, ticket, at: id) }
        return true
    }

    private func followFall(
        of report: FilterNode.LatencyReport, _ ticket: Tickets<Int>.Ticket, at id: GraphPort.ID
    ) {
        guard isOpen, let port = ports[id], port.waitingReports.falling.redeem(ticket, for: report.port) else { return }
        take(report, at: port)
    }
}

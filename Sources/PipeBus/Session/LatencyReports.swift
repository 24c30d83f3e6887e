// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Takes PipeWire's latency reports at our own ports into their ledgers.
///
/// A report may come before its link appears, and it may include the port's own latency. So some reports are pending
/// for a while. A round trip is waited for together with other reports, so it may be two. Confined to the loop.
///
/// | report | pending for |
/// | --- | --- |
/// | less latency at a receiver | 15 ms: PipeWire withdraws a latency a moment before it reports the link's removal |
/// | another latency on an input that has a source | a round trip, and the removal of a link that is leaving the input |
/// | at a filter, at least the latency that it published itself | a round trip: the link may close a loop |
/// | at a filter, while latencies are stale | a round trip: a new link may have closed a loop |
/// | any other report | not at all |
final class LatencyReports {
    typealias Report = FilterNode.LatencyReport

    private let connection: SessionConnection
    private let ports: PortTable
    private let publisher: LatencyPublisher
    private let corrector: LatencyCorrector
    private let refresh: Refresh

    /// A report that is taken after a round trip.
    private struct Unverified: Hashable {
        let report: Report
        let port: GraphPort.ID
        let ticket: PendingLatencyReports.Ticket
    }

    /// Another client can make any number of reports.
    private lazy var unverified = RoundTripBatch<Unverified>(on: connection) { [weak self] in self?.verified($0) }

    init(
        on connection: SessionConnection, _ ports: PortTable, _ publisher: LatencyPublisher,
        _ corrector: LatencyCorrector, _ refresh: Refresh
    ) {
        self.connection = connection
        self.ports = ports
        self.publisher = publisher
        self.corrector = corrector
        self.refresh = refresh
    }

    func reported(_ report: Report, of id: GraphPort.ID) {
        guard let port = ports[id] else { return }
        // The other direction is the port's own latency.
        guard report.isInput == report.isOutputLatency else { return }
        port.latencies.pendingReports.forget(ReportKey(report))
        let ledger = port.latencies.ledger
        if port.receiver != nil, ledger.decreases(to: report.latency, onInput: report.channel) {
            return delay(decrease: report, at: port)
        }
        if mayMixSources(report, at: port) || mayCloseLoop(report, at: port) { return verify(report, at: port) }
        take(report, at: port)
    }

    private func take(_ report: Report, at port: LivePort) {
        publisher.change(port) { ledger in
            if report.isInput {
                ledger.report(upstream: report.latency, onInput: report.channel)
            } else {
                ledger.report(downstream: report.latency, onOutput: report.channel)
            }
        }
        // Where paths meet, PipeWire's sum of such latencies may be wrong.
        if report.latency?.isRelative == true { refresh.mark(.latencies) }
    }

    // MARK: Pending reports

    /// Takes a decrease after a delay, unless a newer report or the link's removal comes first.
    ///
    /// Otherwise a source that is being disconnected would have another latency for its last moment.
    private func delay(decrease report: Report, at port: LivePort) {
        let ticket = port.latencies.pendingReports.addDecrease(report)
        let id = port.id
        connection.after(.milliseconds(15)) { [self] in
            guard connection.isOpen, let port = ports[id],
                port.latencies.pendingReports.redeem(ticket, ofDecrease: report)
            else { return }
            take(report, at: port)
        }
    }

    /// Whether a report may join the latencies of two sources.
    ///
    /// Where links meet in one input of a receiver, PipeWire joins their latencies, and reports that before the new
    /// link appears. Usually that link is moved to a lane of its own. Then the report was never true of the first
    /// source.
    private func mayMixSources(_ report: Report, at port: LivePort) -> Bool {
        guard port.receiver != nil, report.isInput,
            port.latencies.ledger.differs(report.latency, onInput: report.channel),
            let place = port.channels.place(ofInputAt: report.channel)
        else { return false }
        return port.links.isOccupied(place)
    }

    /// Whether a report may come over a link that closes a loop. Such a report includes the latency that this port
    /// published, so it is at least as much.
    private func mayCloseLoop(_ report: Report, at port: LivePort) -> Bool {
        guard port.kind == .filter, let latency = report.latency else { return false }
        return refresh.isStale(.latencies)
            || port.latencies.ledger.mayInclude(latency, reportedOnInput: report.isInput)
    }

    /// Takes a report after a round trip, when its link has appeared.
    private func verify(_ report: Report, at port: LivePort) {
        let ticket = port.latencies.pendingReports.addUnverified(report)
        unverified.add(Unverified(report: report, port: port.id, ticket: ticket))
    }

    private func verified(_ reports: Set<Unverified>) {
        for entry in reports where connection.isOpen {
            guard let port = ports[entry.port],
                port.latencies.pendingReports.redeem(entry.ticket, ofUnverified: entry.report)
            else { continue }
            takeVerified(entry.report, at: port)
        }
    }

    private func takeVerified(_ report: Report, at port: LivePort) {
        guard !isLinkLeaving(ReportKey(report), at: port) else {
            return port.latencies.pendingReports.addBlocked(report)
        }
        if refresh.take(.latencies) { corrector.correct() }
        take(report, at: port)
    }

    // MARK: Links

    /// Verifies the reports that were blocked by a link which is now removed, or kept. A newer report of PipeWire
    /// replaces them.
    func takeUnblocked(at port: LivePort) {
        for report in port.latencies.pendingReports.takeUnblocked({ isLinkLeaving($0, at: port) }) {
            verify(report, at: port)
        }
    }

    private func isLinkLeaving(_ key: ReportKey, at port: LivePort) -> Bool {
        guard key.isInput, let place = port.channels.place(ofInputAt: key.channel) else { return false }
        return port.links.isLeaving(place)
    }

    /// Withdraws the latency of a link that is removed, for not every version of PipeWire does.
    ///
    /// - Parameters:
    ///   - ends: the link's channels.
    ///   - isLast: whether a channel has no other link.
    func forget(
        linkBetween ends: (output: UInt32, input: UInt32), at port: LivePort,
        isLast: (UInt32) -> Bool
    ) {
        let input = port.channels.inputs.firstIndex(of: ends.input)
        let output = port.channels.outputs.firstIndex(of: ends.output)
        let isChanged = port.latencies.change { ledger in
            if let input, isLast(ends.input) {
                ledger.report(upstream: nil, onInput: input)
                port.latencies.pendingReports.forget(ReportKey(isInput: true, channel: input))
            }
            if let output, isLast(ends.output) {
                ledger.report(downstream: nil, onOutput: output)
                port.latencies.pendingReports.forget(ReportKey(isInput: false, channel: output))
            }
        }
        if isChanged { port.latencies.publish() }
    }
}

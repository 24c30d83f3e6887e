// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Computes latencies where PipeWire's own sums cannot be used: in loops, behind feedback links, and where latencies
/// follow from the cycle's length. Confined to the loop.
final class LatencyCorrector {
    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    private let publisher: LatencyPublisher
    private let refresh: Refresh
    private let bindings: ChannelLatencies
    private let cycleWatch: CycleWatch
    private var watch = LatencyWatch()

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ publisher: LatencyPublisher,
        _ refresh: Refresh, _ receivers: ReceiverKeeper, _ bindings: ChannelLatencies
    ) {
        self.bindings = bindings
        self.connection = connection
        self.model = model
        self.ports = ports
        self.publisher = publisher
        self.refresh = refresh
        cycleWatch = CycleWatch(on: connection, ports, receivers, refresh)
    }

    // MARK: Events of the graph

    /// Marks latencies as stale, because a link has appeared or is about to disappear.
    func linkChanges(_ id: UInt32) {
        refresh.mark(.latencies)
        guard !watch.channels.isEmpty, let ends = model.reducer.ends(ofLink: id) else { return }
        let links = model.reducer.audioLinks.filter { $0.id != id }
        watch.recompute(at: ends.input, among: links, towards: .upstream)
        watch.recompute(at: ends.output, among: links, towards: .downstream)
    }

    /// Binds a link, to learn whether it is a feedback link. Idempotent.
    func watchMark(ofLink id: UInt32) {
        if watch.watch(link: id) { connection.pipeWire.bind(id: id, kind: .link) }
    }

    func marked(link id: UInt32, isFeedback: Bool) {
        if watch.mark(id, isFeedback: isFeedback) { refresh.mark(.latencies) }
    }

    func reported(_ latency: PathLatencyRange, isOutputLatency: Bool, byChannel id: UInt32) {
        // The other direction is the latency that was reported to the channel itself.
        guard watch.channels.contains(id), model.reducer.isInput(channel: id) == !isOutputLatency,
            watch.reported[id] != latency
        else { return }
        watch.record(
            latency, reportedBy: id, among: model.reducer.audioLinks, towards: isOutputLatency ? .upstream : .downstream
        )
        refresh.mark(.latencies)
    }

    /// Records that a link of an own input is about to disappear.
    ///
    /// - Parameter isLast: whether the input has no other link.
    func linkDisappears(at input: UInt32, isLast: Bool) {
        watch.linkDisappears(at: input, isLast: isLast)
        refresh.mark(.latencies)
    }

    /// Forgets an object that is gone: the daemon may give its id to another one. Idempotent.
    func forget(_ id: UInt32) { watch.forget(id) }

    // MARK: Corrections

    /// Replaces the reports on all channels where they cannot be used, and watches the links and channels that this
    /// needs.
    func correct() {
        guard connection.isOpen else { return }
        guard isNeeded else { return cycleWatch.update(isNeeded: false) }
        var own = model.reducer.latenciesOfFilters
        for port in ports where port.kind == .filter { own[port.nodeID] = port.latencies.ledger.own }
        // A link that is moved to another lane was never heard.
        let leaving = ports.reduce(into: Set<UInt32>()) { $0.formUnion($1.links.leavingLinks) }
        let links = model.reducer.audioLinks.filter { !leaving.contains($0.id) }
        let cycle = ports.cycleSize
        var channels: Set<UInt32> = []
        for direction in LatencyMap.Direction.allCases {
            let map = LatencyMap(
                links, towards: direction, feedback: watch.feedback, own: own, reported: watch.reported,
                reportedLate: watch.reportedLate[direction] ?? [:], cycle: cycle ?? .usual)
            for port in ports { channels.formUnion(correct(port, with: map, direction, cycle)) }
        }
        watchOnly(channels)
        cycleWatch.update(isNeeded: watch.isRelative)
    }

    private var isNeeded: Bool {
        ports.contains { $0.links.hasIncoming && $0.links.hasOutgoing } || !watch.feedback.isEmpty
            || !watch.channels.isEmpty || !watch.inputsAfterMeeting.isEmpty
            || ports.contains(where: \.latencies.ledger.isAnyRelative)
    }

    /// Replaces the reports on a port's unreliable channels.
    ///
    /// - Returns: the channels that must be watched for that.
    private func correct(
        _ port: LivePort, with map: LatencyMap, _ direction: LatencyMap.Direction, _ cycle: CycleSize?
    ) -> Set<UInt32> {
        let loop = map.loop(through: port.nodeID)
        let channels = direction == .upstream ? port.channels.inputs : port.channels.outputs
        let relative = Set(port.latencies.ledger.relativeReports(direction).map { channels[$0] })
        var unreliable = map.unreliableChannels(of: port.nodeID, loop: loop, relative: relative)
        if direction == .upstream { unreliable.formUnion(watch.inputsAfterMeeting.intersection(channels)) }
        publisher.change(port) { ledger in
            ledger.cycle = cycle
            for (index, channel) in channels.enumerated() {
                guard unreliable.contains(channel) else {
                    ledger.trustReports(of: index, direction)
                    continue
                }
                switch map.latency(arrivingAt: port.nodeID, channel: channel, loop: loop) {
                case .nothing: ledger.replaceReports(of: index, direction, by: PathLatencyRange.none)
                case .latency(let latency): ledger.replaceReports(of: index, direction, by: latency)
                // The present latency stays until all latencies are known.
                case .unknown: ledger.replaceReports(of: index, direction, by: nil)
                }
            }
        }
        guard !unreliable.isEmpty else { return [] }
        let needs = map.needs(of: port.nodeID, channels: unreliable, loop: loop)
        for link in needs.links { watchMark(ofLink: link) }
        return needs.channels
    }

    /// Watches the latencies of these channels, and stops watching all others.
    private func watchOnly(_ channels: Set<UInt32>) {
        guard connection.isOpen, channels != watch.channels else { return }
        let new = channels.subtracting(watch.channels)
        for channel in watch.channels.subtracting(channels) {
            bindings.release(channel)
            watch.forget(channel)
        }
        for channel in new {
            watch.watch(channel: channel)
            bindings.bind(channel)
        }
        guard !new.isEmpty else { return }
        connection.afterRoundTrip { [self] in
            if connection.isOpen, watch.assumeNoLatency(among: new) { refresh.mark(.latencies) }
        }
    }

    /// Stops polling, because the session ends.
    func close() { cycleWatch.stop() }
}

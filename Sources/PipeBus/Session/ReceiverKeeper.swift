// SPDX-License-Identifier: MIT
import AudioKernels
import ConnectionGraph
import PipeWireClient

/// Publishes the links at our own receivers to their audio threads. Confined to the loop.
final class ReceiverKeeper {
    private let model: GraphModel
    private let declared: Declarations
    private let latencies: OwnLatencyKeeper
    private let sharing: LevelSharing
    private let refresh: Refresh
    private let notices: NoticeLog
    /// The changes of links that are handled at once. Those beyond it are coalesced: a client that makes and removes links as fast
    /// as it can must not take the loop's whole time.
    private var changes = RateLimit(burst: 128, perSecond: 100)

    init(
        _ model: GraphModel, _ declared: Declarations, _ latencies: OwnLatencyKeeper, _ sharing: LevelSharing,
        _ refresh: Refresh, notices: NoticeLog
    ) {
        self.model = model
        self.declared = declared
        self.latencies = latencies
        self.sharing = sharing
        self.refresh = refresh
        self.notices = notices
    }

    /// Updates a receiver's lanes to its present links, and publishes them to its audio thread.
    func update(_ port: LivePort) {
        guard let control = port.receiver else { return }
        // After the last source has left, cycles may get another length. A latency in cycles that shrinks a moment
        // after the first cycle would be held.
        if !port.declaration.keepsRunning, !control.lanes.contains(where: \.isLinked) {
            control.memory.forgetCycle()
        }
        control.cycle = control.memory.cycle
        for lane in control.lanes.indices { update(lane, of: port, control) }
        _ = control.setReturning(latencies.returningLanes(of: port))
        control.publish()
        _ = control.takeLatencyChange()
        latencies.updateFollowers(of: port.name)
        refresh.mark([.sharedLevels, .sourceReaders])
        for (source, latency) in control.takeUnaligned() { postUnaligned(source, latency, at: port) }
    }

    /// Whether a change of links may be handled at once. Otherwise all receivers are updated by a job.
    func allowsChangeAtOnce() -> Bool {
        if changes.allows(at: .now) { return true }
        refresh.mark([.receivers, .ports])
        return false
    }

    private func update(_ lane: Int, of port: LivePort, _ control: ReceiverControl) {
        let present = port.links.linkSummary(ofLane: lane)
        // A source that hangs keeps its lane as it was, latency included: nothing moves when it comes back.
        let stalled = port.links.stalledSource(onLane: lane)
        // A lane that had no source and has none needs no update.
        if present == nil, stalled == nil, !control.lanes[lane].isLinked { return }
        let linkSummary = present ?? stalled?.linkSummaries[lane]
        let latency =
            present == nil && stalled != nil
            ? control.lanes[lane].latency
            : port.latency(ofLane: lane, channels: linkSummary?.channels ?? [], cycle: control.cycle)
        control.updateLane(
            lane, with: linkSummary, latency: latency,
            facts: { model.reducer.source(serial: $0) },
            level: {
                port.declaration.isSeparate ? Source.Level() : declared.levels(at: port.name)[$0]
            })
        control.setStalled(stalled != nil && stalled?.source == control.lanes[lane].source, lane: lane)
    }

    private func postUnaligned(_ source: GraphPort.ID, _ latency: Int, at port: LivePort) {
        notices.post(
            Notice(
                kind: .sourceNotAligned, port: port.name,
                message:
                    "\(model.title(of: source) ?? "A source") is \(latency) frames late, more than \(port.title) can align; "
                    + "it comes as it is, later than the others. If they are to wait for it, its latency must be lower, or the app's receiver "
                    + "made with a larger capacity."))
    }

    /// Lets the auxiliary inputs of a filter wait for its input and for each other, but none for sound that comes back from the filter:
    /// a connection elsewhere may have closed or opened a loop.
    ///
    /// - Parameter inputAge: the age of the sound at the filter's input.
    func align(_ inputs: [LivePort], inputAge: Int) {
        let returning = inputs.filter { $0.receiver?.setReturning(latencies.returningLanes(of: $0)) == true }
        let oldest = inputs.compactMap { $0.receiver?.neededLatency }.max() ?? 0
        for port in inputs {
            guard let control = port.receiver else { continue }
            let hasChanged = control.setLeastLatency(max(inputAge, oldest))
            guard hasChanged || returning.contains(where: { $0 === port }) else { continue }
            control.publish()
            _ = control.takeLatencyChange()
            latencies.updateFollowers(of: port.name)
            refresh.mark(.sourceReaders)
        }
    }

    /// Requests that a receiver give up the latency that it holds and does not need.
    func realign(_ port: LivePort) throws {
        let control = try port.requireReceiver()
        control.requestRealignment()
        control.publish()
        refresh.mark(.sourceReaders)
    }
}

// SPDX-License-Identifier: MIT
import PipeWireClient

/// The latencies of the paths through one of the client's ports: its neighbours' reports, and its published values.
/// Confined to the loop.
final class PathLatencies {
    private let node: FilterNode
    private let isReceiver: Bool
    private let inputCount: Int
    private let outputCount: Int
    private(set) var ledger: LatencyLedger
    private var published: PathLatencyRange?
    private var publishedUpstream: PathLatencyRange?
    /// The limit for publishing. The burst suffices for all channels' reports at once, with many connections.
    private var rate = RateLimit(burst: 2000, perSecond: 20)
    private var isScheduled = false
    /// Reports that are not taken yet.
    let pendingReports = PendingLatencyReports()

    init(of node: FilterNode, _ declaration: PortDeclaration) {
        self.node = node
        isReceiver = declaration.kind == .receiver
        inputCount = declaration.inputs
        outputCount = declaration.outputs
        ledger = LatencyLedger(own: declaration.latency.ownFrames)
    }

    /// Changes the ledger.
    ///
    /// - Returns: whether the ledger is different now.
    func change(_ body: (inout LatencyLedger) -> Void) -> Bool {
        let before = ledger
        body(&ledger)
        return ledger != before
    }

    // MARK: Publishing

    /// The time at which a change may be published.
    enum Schedule { case now, later, alreadyScheduled }

    /// Schedules a call of ``publish()``. After `.later`, the caller makes that call.
    func schedule(at now: ContinuousClock.Instant) -> Schedule {
        if isScheduled { return .alreadyScheduled }
        isScheduled = !rate.allows(at: now)
        return isScheduled ? .later : .now
    }

    /// Publishes the latency that the port itself adds, for tools, and for PipeBus apps in loops. PipeWire passes the
    /// values of ``publish()`` to the neighbours.
    func publishOwn() {
        guard !isReceiver else { return }
        try? node.setProperty(PipeBusProperty.latency, to: "\(ledger.own)")
        try? node.setProcessLatency(frames: ledger.own)
    }

    /// Publishes the latency of the paths on each channel, for the neighbours. Idempotent.
    func publish() {
        isScheduled = false
        // Errors are ignored: only a node that is being removed fails to publish.
        let downstream = ledger.published
        for output in 0..<outputCount where downstream != published {
            try? node.setLatency(isInput: false, channel: output, isOutputLatency: true, latency: downstream)
        }
        published = downstream
        let upstream = ledger.publishedUpstream
        for input in 0..<inputCount where upstream != publishedUpstream {
            try? node.setLatency(isInput: true, channel: input, isOutputLatency: false, latency: upstream)
        }
        publishedUpstream = upstream
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

extension BusClient {
    /// Waits until sound flows over a connection: both ports take part in the cycles of a driver that runs.
    ///
    /// `connect` waits until sound can pass. It does not pass yet while nothing drives the graph, or while one of the two does not answer.
    /// Sound that flows may be silence, as that of a paused player.
    ///
    /// The call reads ``activity(every:)``. With daemons before 1.4 it may take a second longer than the sound.
    ///
    /// A port that a name does not find yet is waited for, and so is the connection.
    ///
    /// - Parameter timeout: time limit for the ports to appear, the connection to be made, and the sound to flow.
    /// - Throws: ``PipeBusError`` `timedOut` with the reason; `unknownPort` for an ambiguous name; `closed`; `CancellationError` when the task
    ///   is cancelled while it waits.
    public func waitUntilFlowing(
        from source: some PortDesignator & Sendable, to destination: some PortDesignator & Sendable,
        timeout: Duration = .seconds(10)
    ) async throws {
        let (source, destination) = (source.portDesignation, destination.portDesignation)
        let deadline = ContinuousClock.now.advanced(by: timeout)
        var reason = "Nothing is known of the graph yet."
        for await activity in activity(every: .milliseconds(50)) {
            let finder = PortFinder(graph)
            let missing = try reasonNotToFlow(source, destination, finder, activity)
            guard let missing else { return }
            reason = missing
            if ContinuousClock.now >= deadline {
                throw PipeBusError(.timedOut, "\(reason) Waited \(max(timeout, .zero).inWords) for the sound to flow.")
            }
        }
        try Task.checkCancellation()
        try checkOpen()
        throw PipeBusError(.timedOut, reason)
    }

    /// - Returns: `nil` if sound flows.
    private func reasonNotToFlow(
        _ source: PortDesignation, _ destination: PortDesignation, _ finder: PortFinder, _ activity: GraphActivity
    ) throws -> String? {
        guard let from = try finder.find(source, as: .source) else {
            return finder.message(forMissing: source, as: .source)
        }
        guard let to = try finder.find(destination, as: .destination) else {
            return finder.message(forMissing: destination, as: .destination)
        }
        guard finder.graph.connection(from: from.id, to: to.id) != nil else {
            return MissingConnection.message(from: from, to: to)
        }
        for port in [from, to] {
            guard let node = activity.nodes.first(where: { $0.port == port.id }) else {
                return "\(port.shownTitle) does not run."
            }
            switch node.state {
            case .stalled: return "\(port.shownTitle) does not answer; its app may be stopped."
            case .idle: return "\(port.shownTitle) does not run; nothing may drive the graph."
            case .running:
                // A driver that stands still is measured in no cycle.
                if activity.isMeasured, node.load == nil { return "\(port.shownTitle) has had no cycle yet." }
            }
        }
        return nil
    }
}

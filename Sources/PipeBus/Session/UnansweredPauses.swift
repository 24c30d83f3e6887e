// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Knows when the daemon makes no link for any program, because it pauses a source that hangs and has lost its last link, and lets new
/// connections wait meanwhile. Confined to the loop.
///
/// To request a link would not only be of no use. Daemons before 1.2 let the source of such a link signal the destination
/// before that waits for it. If both run, the destination then runs before its other sources, and does not hear them.
final class UnansweredPauses {
    private struct Call {
        let source: GraphPort.ID
        let destination: GraphPort.ID
    }

    private let connection: SessionConnection
    private let model: GraphModel
    private let states: NodeStates
    /// The calls that wait.
    private var calls: [Int: Call] = [:]
    private var nextCall = 0

    init(on connection: SessionConnection, _ model: GraphModel, _ states: NodeStates) {
        self.connection = connection
        self.model = model
        self.states = states
    }

    /// A source that the daemon waits for: it was disconnected because it hangs, nothing else lets it run, and it still shows as
    /// running.
    var source: GraphPort? {
        let snapshot = model.snapshot
        let stalled = Set(snapshot.ports.flatMap(\.stalledSources))
        return stalled.sorted().lazy.compactMap { snapshot.port($0) }.first { [self] port in
            states.isRunning(port.nodeID) && !model.reducer.hasReasonToRun(node: port.nodeID)
        }
    }

    /// Waits until the daemon makes links, before two ports are connected.
    func wait(connecting source: GraphPort, to destination: GraphPort, by deadline: ContinuousClock.Instant)
        async throws
    {
        let call = nextCall
        nextCall += 1
        calls[call] = Call(source: source.id, destination: destination.id)
        defer { calls[call] = nil }
        // A call that disconnects the two may wait for this one.
        connection.wakeWaits()
        var last = self.source
        do {
            try await connection.firstResult(by: deadline, waitingFor: "a source that does not answer") { () -> Void? in
                // As if there had been a link, and it had been removed.
                if calls[call] == nil { throw PipeBusError(PipeWireError.linkRemoved) }
                guard let present = self.source else { return () }
                last = present
                return nil
            }
        } catch let error as PipeBusError where error.code == .timedOut {
            throw PipeBusError(
                .timedOut,
                "\(source.shownTitle) and \(destination.shownTitle) exist, but PipeWire makes no link at present: it waits for "
                    + "\(last?.shownTitle ?? "a source"), which has stopped answering. Go on with it or end it, then connect the two "
                    + "again.")
        }
    }

    /// Ends the wait of the calls that connect two ports.
    ///
    /// - Returns: whether there were any.
    func end(from source: GraphPort.ID, to destination: GraphPort.ID) -> Bool {
        let ended = calls.filter { $0.value.source == source && $0.value.destination == destination }.keys
        for call in ended { calls[call] = nil }
        if !ended.isEmpty { connection.wakeWaits() }
        return !ended.isEmpty
    }
}

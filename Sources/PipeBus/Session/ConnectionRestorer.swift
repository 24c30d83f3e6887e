// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Makes the connections again that are declared and not in the graph, each when both of its ports exist. Confined to the loop.
final class ConnectionRestorer {
    /// The time limit of one attempt. A link to a stopped app may take for ever.
    private static let timeout: Duration = .seconds(2)
    /// A failure that may pass is reported after this number of attempts, and tried again all the same.
    private static let silentFailures = 3

    /// The time that another program has to make its connection again itself, once both ports exist.
    private static let grace: Duration = .seconds(1)

    private let connection: SessionConnection
    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private let links: LinkTable
    private let tracker: ConnectionTracker
    private let connector: Connector
    private let notices: NoticeLog
    private var failures: [ConnectionDeclaration: Attempts] = [:]
    /// Whether a task makes connections again.
    private var isRunning = false

    private struct Attempts {
        var count = 0
        var backOff = BackOff()
        var notBefore = ContinuousClock.now
    }

    init(
        on connection: SessionConnection, _ model: GraphModel, _ declared: Declarations, _ ports: PortTable,
        _ links: LinkTable, _ tracker: ConnectionTracker, _ connector: Connector, notices: NoticeLog
    ) {
        self.connection = connection
        self.model = model
        self.declared = declared
        self.ports = ports
        self.links = links
        self.tracker = tracker
        self.connector = connector
        self.notices = notices
    }

    /// - Returns: whether no other task makes connections again; then the caller does.
    func begin() -> Bool {
        defer { isRunning = true }
        return !isRunning
    }

    func end() { isRunning = false }

    var isDone: Bool { declared.foreignConnections.isEmpty && tracker.pending.isEmpty }

    /// The time of the next attempt at a connection whose ports exist; `nil` if there is none.
    var nextAttempt: ContinuousClock.Instant? {
        (tracker.pending.map { ($0.declaration, $0.number) } + declared.foreignConnections.map { ($0.ends, 0) })
            .filter { tracker.ports(of: $0.0, number: $0.1) != nil }
            .map { failures[$0.0]?.notBefore ?? .now }.min()
    }

    /// Attempts every connection whose ports exist, in the order in which they were made.
    ///
    /// - Throws: the reason why the session has ended.
    func attemptAll() async throws {
        for pending in tracker.pending where tracker.isPending(pending.declaration) {
            guard let ends = tracker.ports(of: pending.declaration, number: pending.number) else { continue }
            try await attempt(pending.declaration, from: ends.source, to: ends.destination) {
                try await remake(pending.declaration, from: ends.source, to: ends.destination)
            }
        }
        for foreign in declared.foreignConnections where declared.foreignConnections.contains(foreign) {
            guard let ends = tracker.ports(of: foreign.ends, number: 0) else { continue }
            if foreign.hasMaker, failures[foreign.ends] == nil {
                failures[foreign.ends] = Attempts(notBefore: .now.advanced(by: Self.grace))
            }
            try await attempt(foreign.ends, from: ends.source, to: ends.destination) {
                try await remake(foreign, from: ends.source, to: ends.destination)
            }
        }
    }

    private func attempt(
        _ ends: ConnectionDeclaration, from source: GraphPort, to destination: GraphPort,
        _ make: () async throws -> Void
    ) async throws {
        guard failures[ends]?.notBefore ?? .now <= .now else { return }
        do {
            try await make()
            failures[ends] = nil
        } catch {
            try connection.checkOpen()
            failed(ends, between: source, destination, error)
        }
    }

    private func failed(
        _ ends: ConnectionDeclaration, between source: GraphPort, _ destination: GraphPort, _ error: any Error
    ) {
        // A connection that the app ends in the meantime is no error, nor is one whose port it closes.
        guard tracker.isPending(ends) || declared.foreignConnections.contains(where: { $0.ends == ends }) else {
            return
        }
        var attempts = failures[ends] ?? Attempts()
        attempts.count += 1
        attempts.notBefore = .now.advanced(by: attempts.backOff.next())
        failures[ends] = attempts
        let isFinal = (error as? PipeBusError).map { Self.finalCodes.contains($0.code) } ?? false
        if isFinal {
            failures[ends] = nil
            tracker.forget(pending: ends)
            declared.removeForeign(ends)
        }
        guard isFinal || attempts.count == Self.silentFailures else { return }
        notices.post(
            Notice(
                kind: .connectionNotRestored, port: nil,
                message: "\(source.shownTitle) could not be connected to \(destination.shownTitle) again"
                    + (isFinal ? ": \((error as? PipeBusError)?.message ?? "\(error)")" : " yet; it is tried again.")))
    }

    /// Errors that come back at every attempt.
    private static let finalCodes: Set<PipeBusError.Code> = [
        .noFreeLane, .channelMismatch, .selfConnection, .noPermission, .invalidArgument,
    ]

    // MARK: Making

    private func remake(
        _ declaration: ConnectionDeclaration, from source: GraphPort, to destination: GraphPort
    ) async throws {
        let pendingCount = tracker.pendingCount(of: declaration)
        do {
            _ = try await connector.connect(
                .id(source.id), to: .id(destination.id), lingers: false, by: .now.advanced(by: Self.timeout),
                timeout: Self.timeout)
        } catch let error as PipeBusError where error.code == .alreadyConnected {
            // Another program has made the connection already, or the app itself.
            tracker.add(from: source, to: destination)
        }
        // Another app's id may have been unknown before, or may be now. Then the connection is declared in another form.
        if tracker.pendingCount(of: declaration) == pendingCount { tracker.forget(pending: declaration) }
    }

    /// Makes another program's connection with the channels that it had. At a receiver it gets the first free lane.
    private func remake(
        _ foreign: ForeignConnection, from source: GraphPort, to destination: GraphPort
    ) async throws {
        if model.snapshot.connection(from: source.id, to: destination.id) == nil {
            try await connection.settle(by: .now.advanced(by: Self.timeout))
            let source = try model.finder.refreshed(source)
            let destination = try model.finder.refreshed(destination)
            let plan = try plan(foreign, from: source, to: destination)
            defer { plan.endReservation() }
            let maker = LinkMaker(on: connection, model, links, source: source, destination: destination, plan: plan)
            _ = try await maker.make(lingers: false, by: .now.advanced(by: Self.timeout))
        }
        // Once: if another program removes it, it stays away.
        declared.removeForeign(foreign.ends)
    }

    private func plan(
        _ foreign: ForeignConnection, from source: GraphPort, to destination: GraphPort
    ) throws -> LinkPlan {
        let width = max(destination.laneWidth, 1)
        // A source that had several lanes gets one: its first.
        let lane = foreign.channels.map(\.input).min().map { $0 / width } ?? 0
        let pairs = foreign.channels.filter { $0.input / width == lane }
            .map { ChannelMatching.Pair(output: $0.output, input: $0.input % width) }
            .sorted { ($0.output, $0.input) < ($1.output, $1.input) }
        guard pairs.allSatisfy({ source.outputs.indices.contains($0.output) }),
            destination.inputs.indices.contains(lane * width + width - 1)
        else {
            throw PipeBusError(.channelMismatch, "One of the two has other channels than before.")
        }
        guard let port = ports[destination.id], port.kind == .receiver else {
            return LinkPlan(outputs: source.outputs, pairs: pairs, lane: lane)
        }
        guard let free = port.links.reserveLane(for: source.id.serial) else {
            throw PipeBusError(.noFreeLane, "All lanes of \(destination.shownTitle) have a source.")
        }
        return LinkPlan(outputs: source.outputs, pairs: pairs, lane: free, reservedAt: port)
    }
}

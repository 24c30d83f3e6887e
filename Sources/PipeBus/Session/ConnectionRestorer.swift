// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

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
    private let tracker: ConnectionTracker
    private let connector: Connector
    private let notices: NoticeLog
    private var failures: [Pending: Attempts] = [:]
    /// Whether a task makes connections again.
    private var isRunning = false

    /// A connection that is to be made again.
    private enum Pending: Hashable {
        /// One that the app made.
        case own(ConnectionDeclaration, number: Int)
        /// One that another program made.
        case foreign(ForeignConnection.Key)
    }

    private struct Attempts {
        var count = 0
        var backOff = BackOff()
        var notBefore = ContinuousClock.now
    }

    init(
        on connection: SessionConnection, _ model: GraphModel, _ declared: Declarations, _ ports: PortTable,
        _ tracker: ConnectionTracker, _ connector: Connector, notices: NoticeLog
    ) {
        self.connection = connection
        self.model = model
        self.declared = declared
        self.ports = ports
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
        let own = tracker.pending.filter { isDue(tracker.ports(of: $0.declaration, number: $0.number)) }
            .map { Pending.own($0.declaration, number: $0.number) }
        let foreign = declared.foreignConnections.filter { isDue(tracker.ports(of: $0)) }.map {
            Pending.foreign($0.key)
        }
        return (own + foreign).map { failures[$0]?.notBefore ?? .now }.min()
    }

    /// Whether a connection is to be made: not while its source hangs, because the daemon would make no other link meanwhile.
    private func isDue(_ ends: (source: GraphPort, destination: GraphPort)?) -> Bool {
        ends.map { ports[$0.destination.id]?.links.stall(of: $0.source.id.serial) == nil } ?? false
    }

    /// Makes the next attempt at each connection at once: what kept the daemon from making links is over.
    func attemptAllAtOnce() {
        for (pending, attempts) in failures where attempts.count > 0 { failures[pending]?.notBefore = .now }
        connection.wakeWaits()
    }

    /// Attempts every connection whose ports exist, in the order in which they were made. Those of sources that hung when the last
    /// session ended come last: such a source may hang still, and nothing is made until an attempt at it has failed.
    ///
    /// - Throws: the reason why the session has ended.
    func attemptAll() async throws {
        try await attemptAll { declaration in !declared.stalls.all.contains { $0.concerns(declaration) } }
        if !declared.stalls.isEmpty { try await attemptAll { _ in true } }
    }

    private func attemptAll(where isIncluded: (ConnectionDeclaration) -> Bool) async throws {
        for (declaration, number) in tracker.pending where isIncluded(declaration) && tracker.isPending(declaration) {
            guard let ends = tracker.ports(of: declaration, number: number), isDue(ends) else { continue }
            try await attempt(.own(declaration, number: number), from: ends.source, to: ends.destination) {
                try await remake(declaration, from: ends.source, to: ends.destination)
            }
        }
        for foreign in declared.foreignConnections where isIncluded(foreign.ends) && declared.contains(foreign.key) {
            guard let ends = tracker.ports(of: foreign), isDue(ends) else { continue }
            let pending = Pending.foreign(foreign.key)
            if foreign.hasMaker, failures[pending] == nil {
                failures[pending] = Attempts(notBefore: .now.advanced(by: Self.grace))
            }
            try await attempt(pending, from: ends.source, to: ends.destination) {
                try await remake(foreign, from: ends.source, to: ends.destination)
            }
        }
    }

    private func attempt(
        _ pending: Pending, from source: GraphPort, to destination: GraphPort, _ make: () async throws -> Void
    ) async throws {
        guard failures[pending]?.notBefore ?? .now <= .now else { return }
        do {
            try await make()
            failures[pending] = nil
        } catch {
            try connection.checkOpen()
            // Nobody is fought: who disconnects the two while they are being connected again wants them apart.
            if await wasEnded(by: error, from: source, to: destination) { return forget(pending) }
            failed(pending, between: source, destination, error)
        }
    }

    /// Whether somebody has removed the links of an attempt, while the daemon and both ports go on.
    private func wasEnded(by error: any Error, from source: GraphPort, to destination: GraphPort) async -> Bool {
        guard (error as? PipeBusError) == PipeBusError(PipeWireError.linkRemoved) else { return false }
        // The links of a port that is removed go before the port does.
        try? await connection.settle(by: .now.advanced(by: .seconds(1)))
        let ends = ConnectionEnds(source: source.id, destination: destination.id)
        return connection.isOpen && ends.ports.allSatisfy { model.snapshot.port($0) != nil }
            && !ports.isChannelLost(ends) && isDue((source, destination))
            && model.snapshot.connection(from: source.id, to: destination.id) == nil
    }

    private func isStill(_ pending: Pending) -> Bool {
        switch pending {
        case .own(let ends, _): tracker.isPending(ends)
        case .foreign(let key): declared.contains(key)
        }
    }

    private func forget(_ pending: Pending) {
        failures[pending] = nil
        switch pending {
        case .own(let ends, _): tracker.forget(pending: ends)
        case .foreign(let key): declared.remove(key)
        }
    }

    private func failed(
        _ pending: Pending, between source: GraphPort, _ destination: GraphPort, _ error: any Error
    ) {
        // A connection that the app ends in the meantime is no error, nor is one whose port it closes.
        guard isStill(pending) else { return }
        var attempts = failures[pending] ?? Attempts()
        attempts.count += 1
        attempts.notBefore = .now.advanced(by: attempts.backOff.next())
        failures[pending] = attempts
        let isFinal = (error as? PipeBusError).map { Self.finalCodes.contains($0.code) } ?? false
        if isFinal { forget(pending) }
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
            // By its links a port that was made again counts as connected, and the app hears why its graph stands still.
            _ = try await connector.connect(
                source, to: destination, declaration.pairing, lingers: false, isRestoration: true,
                by: .now.advanced(by: Self.timeout),
                timeout: Self.timeout)
        } catch let error as PipeBusError where error.code == .alreadyConnected {
            // Another program has made the connection already, or the app itself. What it made may have been taken back since.
            if isPartial(declaration.pairing, from: source, to: destination) { throw error }
            tracker.pairings.begin(declaration.pairing, from: source, to: destination)
            tracker.add(from: source, to: destination)
        }
        // Another app's id may have been unknown before, or may be now. Then the connection is declared in another form.
        if tracker.pendingCount(of: declaration) == pendingCount { tracker.forget(pending: declaration) }
    }

    private func isPartial(_ pairing: ChannelPairing, from source: GraphPort, to destination: GraphPort) -> Bool {
        let count = model.snapshot.connection(from: source.id, to: destination.id)?.links.count ?? 0
        return count > 0 && count < LinkPlanner.pairs(from: source, to: destination, pairing)?.count ?? 0
    }

    /// Makes another program's connection with the channels that it had.
    private func remake(
        _ foreign: ForeignConnection, from source: GraphPort, to destination: GraphPort
    ) async throws {
        let deadline = ContinuousClock.now.advanced(by: Self.timeout)
        try await connection.settle(by: deadline)
        try await connector.waitForOthers(source.id, destination.id, by: deadline)
        let planner = ForeignLinkPlanner(model, ports)
        let keptLane = planner.keptLane(of: foreign, from: source, to: destination)
        if keptLane != nil || model.snapshot.connection(from: source.id, to: destination.id) == nil {
            let source = try model.finder.refreshed(source)
            let destination = try model.finder.refreshed(destination)
            let plan = try planner.plan(foreign, keeping: keptLane, from: source, to: destination)
            let lanes = foreign.lanes(ofWidth: destination.laneWidth).subtracting(keptLane.map { [$0.former] } ?? [])
            do {
                _ = try await connector.make(source, destination, plan, lanes: lanes, lingers: false, by: deadline)
            } catch let error as PipeBusError where error.code == .alreadyConnected {
                // Somebody else has made it meanwhile, and may have taken some of it back.
                if !foreign.key.isAddition, planner.keptLane(of: foreign, from: source, to: destination) != nil {
                    throw error
                }
            }
            if plan.reservedAt != nil, plan.reservedLanes.count < lanes.count {
                notices.post(
                    Notice(
                        kind: .connectionNotRestored, port: nil,
                        message: "\(source.shownTitle) has fewer lanes of \(destination.shownTitle) than before: "
                            + "other sources have the rest."))
            }
        }
        // Once: if another program removes it, it stays away.
        declared.remove(foreign.key)
    }
}

// SPDX-License-Identifier: MIT
public import ConnectionGraph
import PipeWireClient

/// Keeps one routing over the lives of the daemon: passes the graph to the ``RoutingPlan``, and performs its actions. Confined to the
/// loop.
///
/// The client's task runs it, see `BusClient+Routings`.
final class RoutingKeeper {
    let number: Int
    let publisher: RoutingPublisher
    /// Something has happened that the plan must see. One is enough for all that comes meanwhile.
    let events: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation
    private let lingers: Bool
    private var plan: RoutingPlan
    /// The session whose graph the plan has seen. Not kept: another one may get its address.
    private weak var session: DaemonSession?
    private var hasSession = false
    private var timer: Task<Void, Never>?
    private(set) var isReleased = false
    /// The task that runs it.
    private(set) var task: Task<Void, Never>?
    private var actions: [Int: Task<Void, Never>] = [:]
    private var actionNumber = 0

    init(_ preset: RoutingPreset, number: Int, lingers: Bool) {
        self.number = number
        self.lingers = lingers
        plan = RoutingPlan(preset)
        publisher = RoutingPublisher(plan.status)
        (events, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    func start(_ task: Task<Void, Never>) {
        self.task = task
        wakeUp.yield()
    }

    func makeWakeUp() -> @Sendable () -> Void { { [wakeUp] in wakeUp.yield() } }

    func release() {
        isReleased = true
        wakeUp.yield()
    }

    // MARK: Steps

    /// Brings everything up to date.
    ///
    /// - Parameters:
    ///   - session: the present one; `nil` while there is no connection.
    ///   - start: starts a task for an action.
    func update(
        in session: DaemonSession?, _ start: (RoutingPlan.Action, DaemonSession) -> Task<Void, Never>
    ) {
        if hasSession, session == nil || self.session !== session { plan.endSession() }
        (self.session, hasSession) = (session, session != nil)
        if let session {
            for action in plan.update(to: session.model.snapshot, at: .now) {
                actionNumber += 1
                actions[actionNumber] = start(action, session)
            }
        }
        publisher.publish(plan.status)
        timer?.cancel()
        timer = plan.nextUpdate.map { time in
            Task { [wakeUp] in
                if (try? await Task.sleep(until: time, clock: .continuous)) != nil { wakeUp.yield() }
            }
        }
    }

    /// The number of the action that is being started.
    var nextAction: Int { actionNumber }

    func finished(_ action: RoutingPlan.Action, number: Int, _ outcome: RoutingPlan.Outcome, in session: DaemonSession)
    {
        actions[number] = nil
        // What was under way in another session is forgotten.
        guard hasSession, self.session === session else { return }
        plan.finished(action, outcome, at: .now)
        wakeUp.yield()
    }

    /// Ends the actions under way, and the status.
    func end() async {
        timer?.cancel()
        for action in actions.values { action.cancel() }
        while let action = actions.values.first { await action.value }
        // With what they have come to.
        publisher.publish(plan.status)
        publisher.finish()
    }

    // MARK: Actions

    /// The time limit of one attempt. A link to a stopped app may take for ever.
    private static let timeout: Duration = .seconds(2)

    /// Errors that come back at every attempt, as long as the ports are the same.
    private static let finalCodes: Set<PipeBusError.Code> = [
        .channelMismatch, .selfConnection, .noPermission, .invalidArgument,
    ]

    func outcome(of action: RoutingPlan.Action, in session: DaemonSession) async -> RoutingPlan.Outcome {
        do {
            switch action {
            case .connect(let pair, let channels):
                _ = try await session.connector.connect(
                    pair.source, to: pair.destination, channels, lingers: lingers, isDeclared: false,
                    isRestoration: true,
                    by: .now.advanced(by: Self.timeout), timeout: Self.timeout)
            case .setLevel(let pair, let level):
                try await setLevel(level, of: pair.source, at: pair.destination, in: session)
            case .setBypass(let filter, let isBypassed):
                try await session.bypasses.setBypassed(isBypassed, of: .id(filter))
            }
            return .done
        } catch let error as PipeBusError {
            if error == PipeBusError(.linkRemoved) || error.code == .notConnected { return .removed }
            if error.code == .alreadyConnected { return .alreadyConnected }
            return .failed(error.message, isFinal: Self.finalCodes.contains(error.code))
        } catch {
            return .failed("The app does not answer; it may be stopped.", isFinal: false)
        }
    }

    private func setLevel(
        _ level: RoutingLevel, of source: GraphPort.ID, at receiver: GraphPort.ID, in session: DaemonSession
    ) async throws {
        let present = try await session.remoteLevels.level(of: .id(source), at: .id(receiver))
        // Each is a request to another app.
        for change in level.changes(from: present) {
            _ = try await session.remoteLevels.setLevel(change, of: .id(source), at: .id(receiver))
        }
    }
}

extension RoutingLevel {
    /// The level that a source has.
    ///
    /// - Thread: any.
    /// - Realtime: unsafe.
    public init(_ level: Source.Level) {
        self.init(volume: level.volume, pan: level.pan, isMuted: level.isMuted, isSoloed: level.isSoloed)
    }

    /// The changes that lead to it from another level.
    func changes(from present: Source.Level) -> [LevelChange] {
        var changes: [LevelChange] = []
        if let volume, volume != present.volume { changes.append(.volume(volume)) }
        if let pan, pan != present.pan { changes.append(.pan(pan)) }
        if let isMuted, isMuted != present.isMuted { changes.append(.muted(isMuted)) }
        if let isSoloed, isSoloed != present.isSoloed { changes.append(.soloed(isSoloed)) }
        return changes
    }
}

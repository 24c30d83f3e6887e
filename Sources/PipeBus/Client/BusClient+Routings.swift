// SPDX-License-Identifier: MIT
public import ConnectionGraph

extension BusClient {
    /// Makes the connections of a routing, and keeps them: each is made when both of its ports are there, and again when one of their apps
    /// or the daemon comes back, with its level and the bypasses of filters.
    ///
    /// Nobody is fought. A connection that somebody removes while both ports stay is not made again before one of them comes back, and
    /// after a second time not at all; see ``ConnectionGraph/RoutingStatus/State``. A level or a bypass is set once when the connection or
    /// the filter is there, and may be changed afterwards.
    ///
    /// The call returns at once, also during an interruption.
    ///
    /// ```swift
    /// let routing = try await bus.keep(try RoutingPreset(json: text))
    /// for await status in routing.statusUpdates { show(status) }
    /// ```
    ///
    /// - Parameters:
    ///   - preset: the connections that should be there.
    ///   - lingers: whether the connections stay when this client ends, as a patchbay's do.
    /// - Throws: ``PipeBusError`` `closed`, or another reason of the client's end.
    public func keep(_ preset: RoutingPreset, lingers: Bool = true) throws -> KeptRouting {
        try checkOpen()
        routingCount += 1
        let keeper = RoutingKeeper(preset, number: routingCount, lingers: lingers)
        routings[routingCount] = keeper
        let number = keeper.number
        // Its first status is that of the present graph.
        update(keeper)
        keeper.start(Task { await self.run(routing: number) })
        return KeptRouting(preset, number: number, publisher: keeper.publisher, of: self)
    }

    func releaseRouting(_ number: Int) async {
        guard let keeper = routings[number] else { return }
        keeper.release()
        await keeper.task?.value
    }

    private func run(routing number: Int) async {
        guard let keeper = routings[number] else { return }
        let wakeUp = keeper.makeWakeUp()
        // The state too: a session may begin after the last change of its graph.
        let graphs = Task {
            for await _ in self.graphUpdates { wakeUp() }
            wakeUp()
        }
        let states = Task { for await _ in self.stateUpdates { wakeUp() } }
        for await _ in keeper.events {
            guard !keeper.isReleased, termination.error == nil, jobs != nil else { break }
            update(keeper)
        }
        graphs.cancel()
        states.cancel()
        await keeper.end()
        routings[number] = nil
    }

    private func update(_ keeper: RoutingKeeper) {
        let live = isInterrupted ? nil : session.flatMap { $0.connection.isOpen ? $0 : nil }
        let routing = keeper.number
        keeper.update(in: live) { action, session in
            let number = keeper.nextAction
            return Task { await self.perform(action, number: number, for: routing, in: session) }
        }
    }

    private func perform(
        _ action: RoutingPlan.Action, number: Int, for routing: Int, in session: DaemonSession
    ) async {
        guard let keeper = routings[routing] else { return }
        // The closure runs on the actor because it captures the actor: see `cancellable`.
        let outcome = await withTaskCancellationHandler {
            await self.outcome(of: action, by: keeper, in: session)
        } onCancel: {
            Task { await self.wakeRoutingWaits() }
        }
        keeper.finished(action, number: number, outcome, in: session)
    }

    private func outcome(
        of action: RoutingPlan.Action, by keeper: RoutingKeeper, in session: DaemonSession
    ) async -> RoutingPlan.Outcome {
        await keeper.outcome(of: action, in: session)
    }

    private func wakeRoutingWaits() { session?.connection.wakeWaits() }
}

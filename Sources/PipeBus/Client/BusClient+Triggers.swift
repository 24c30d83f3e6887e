// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// Triggers: buttons of an app that patchbays and other apps show and press, such as one that starts a recording.
extension BusClient {
    /// Adds a trigger for others to see and press.
    ///
    /// ```swift
    /// let record = try await bus.addTrigger(.record) { press in await recorder.toggle() }
    /// try await record.setState(.selected)
    /// ```
    ///
    /// The trigger comes back by itself after a restart of the daemon.
    ///
    /// - Parameters:
    ///   - kind: the meaning. An app should have only triggers that mean something now; they may come and go.
    ///   - id: names the trigger over all runs of the app, for whoever keeps a reference to it. Unless given it is the kind's name; a `button` needs one.
    ///     1…64 letters, digits, "-", "_" and ".".
    ///   - face: the look in every state; by default the kind's title.
    ///   - state: the state at first.
    ///   - perform: called for each press, one after the other, outside the client's thread. The app sets the state itself. Beyond 16 presses that
    ///     wait, further ones are refused.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `duplicateName`, `closed`.
    @discardableResult
    public func addTrigger(
        _ kind: TriggerKind, id: String? = nil, face: TriggerFace? = nil, state: TriggerState = .normal,
        perform: @escaping @Sendable (TriggerPress) async -> Void
    ) async throws -> LocalTrigger {
        try checkOpen()
        guard kind != .button || id != nil else {
            throw PipeBusError(
                .invalidArgument,
                "A button needs an identifier that stays the same over all runs of the app; give it one.")
        }
        let local = LocalTrigger(id: id ?? kind.rawValue, kind: kind, of: self)
        let (presses, continuation) = AsyncStream.makeStream(
            of: TriggerPress.self, bufferingPolicy: .bufferingOldest(DeclaredTrigger.queueLength))
        try declared.triggers.add(
            local, face: face ?? TriggerFace(title: kind.title), state: state, presses: continuation)
        Task { for await press in presses { await perform(press) } }
        if let session = try? liveSession() {
            await session.sharing.start()
            if let trigger = declared.triggers[local.id] { session.triggerSharing.publish(trigger) }
            // So that whoever looks at once finds it.
            try? await session.connection.roundTrip()
        }
        return local
    }

    /// The triggers of an app, in the order in which they should be shown.
    ///
    /// - Throws: ``PipeBusError`` `unknownApp`; `timedOut` when the app does not answer; `connectionLost`, `closed`.
    public func triggers(of peer: Peer.ID) async throws -> [Trigger] {
        try await liveSession().remoteTriggers.triggers(of: peer)
    }

    /// The triggers of an app, and then each other list of them. For a busy reader they are coalesced: the newest wins.
    ///
    /// The sequence ends when the app leaves the graph, and with the connection to the daemon. It is empty for an app that is not in the graph.
    public nonisolated func triggerUpdates(of peer: Peer.ID) -> Updates<[Trigger]> {
        Updates { [self] in await self.watchTriggers(of: peer) }
    }

    private func watchTriggers(of peer: Peer.ID) async -> AsyncStream<[Trigger]> {
        guard let session = try? liveSession(),
            let (watch, number) = try? await session.remoteTriggers.watch(peer)
        else { return AsyncStream { $0.finish() } }
        watch.onEnd { [weak self] in Task { await self?.endTriggerWatch(number) } }
        return watch.lists
    }

    private func endTriggerWatch(_ number: Int) { session?.remoteTriggers.endWatch(number) }

    /// Presses a trigger of an app, and returns when the app has got the press. Its effect shows in the trigger's state.
    ///
    /// - Throws: ``PipeBusError`` `unknownApp`, `unknownTrigger`; `refused` if the app refuses, as for a trigger that is disabled; `timedOut`
    ///   when it does not answer; `invalidArgument`, `connectionLost`, `closed`.
    public func press(_ trigger: Trigger.ID, of peer: Peer.ID) async throws {
        try await liveSession().remoteTriggers.press(trigger, of: peer)
    }

    // MARK: Of local triggers

    func trigger(_ local: LocalTrigger) throws -> Trigger { try declared.triggers.require(local).trigger }

    func setState(_ state: TriggerState, of local: LocalTrigger) throws {
        try checkOpen()
        let trigger = try declared.triggers.require(local)
        trigger.setState(state)
        session?.triggerSharing.publish(trigger)
    }

    func setFace(_ face: TriggerFace, in state: TriggerState?, of local: LocalTrigger) throws {
        try checkOpen()
        let trigger = try declared.triggers.require(local)
        try trigger.setFace(face, in: state)
        session?.triggerSharing.publish(trigger)
    }

    func remove(_ local: LocalTrigger) {
        guard (try? declared.triggers.require(local)) != nil else { return }
        declared.triggers.remove(local)
        session?.triggerSharing.stopPublishing(local.id)
    }
}

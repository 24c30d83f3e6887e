// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Levels at any app's receivers.
extension DaemonSession {
    func levels(at receiver: PortDesignation) async throws -> [GraphPort.ID: SourceLevel] {
        try checkOpen()
        let port = try finder.require(receiver, as: .destination)
        guard !port.isSeparate else { return [:] }
        if let control = ports[port.id]?.receiver {
            let lanes = control.lanes.filter(\.isLinked)
            return Dictionary(lanes.map { (GraphPort.ID(serial: $0.source), $0.level) }) { first, _ in first }
        }
        guard port.isPipeBus, port.kind == .receiver, let id = sharedStateID(of: port) else { return [:] }
        return try await withState(id, of: port) { state in Self.levels(in: state.values, receiver: port.name) }
    }

    func level(
        of source: PortDesignation, at receiver: PortDesignation
    ) async throws -> SourceLevel {
        let (from, to) = try connected(source, receiver)
        guard let level = try await levels(at: .id(to.id))[from.id] else { throw noLevel(of: from, at: to) }
        return level
    }

    func setLevel(
        _ change: LevelChange, of source: PortDesignation, at receiver: PortDesignation
    ) async throws -> SourceLevel {
        let (from, to) = try connected(source, receiver)
        if let own = ports[to.id] {
            try changeLevel(of: from.id, at: own) { change.apply(to: &$0) }
            return try localLevel(of: from.id, at: own)
        }
        guard to.isPipeBus, to.kind == .receiver, !to.isSeparate, let id = sharedStateID(of: to) else {
            throw noLevel(of: from, at: to)
        }
        let key = LevelKey(receiver: to.name, source: from.id, part: change.part)
        let (wanted, answer) = try await withState(id, of: to) { state in
            guard var level = Self.levels(in: state.values, receiver: to.name)[from.id] else {
                throw self.noLevel(of: from, at: to)
            }
            change.apply(to: &level)
            let wanted = change.part.text(of: level)
            return (wanted, try await state.set(key.text, to: wanted, type: change.part.type))
        }
        // Read again: what the daemon reported while an app stood still may not have been all, see Docs/Workarounds.md.
        return try await withState(id, of: to) { state in
            guard let level = Self.levels(in: state.values, receiver: to.name)[from.id] else {
                throw self.noLevel(of: from, at: to)
            }
            switch answer {
            case .taken: return level
            case .refused(let reason): throw Self.refused(by: to, because: reason)
            case .none:
                guard change.part.text(of: level) == wanted else {
                    throw Self.refused(by: to, because: state.refusal(of: key.text) ?? "it gave no reason")
                }
                return level
            }
        }
    }

    // MARK: The other side

    /// Other processes' text: what is no level is passed over.
    private static func levels(in values: [String: String], receiver: String) -> [GraphPort.ID: SourceLevel] {
        var levels: [GraphPort.ID: SourceLevel] = [:]
        for (text, value) in values {
            guard let key = LevelKey(text), key.receiver == receiver else { continue }
            _ = key.part.set(&levels[key.source, default: SourceLevel()], to: value)
        }
        return levels
    }

    private func sharedStateID(of port: GraphPort) -> UInt32? {
        port.peer.flatMap { model.reducer.metadata(of: $0, prefix: SharedState.namePrefix).first }
    }

    private func withState<Result: Sendable>(
        _ id: UInt32, of port: GraphPort, _ work: (RemoteState) async throws -> Result
    ) async throws -> Result {
        do {
            // Between two of these the client may have been closed.
            try checkOpen()
            return try await requests.perform(over: try RemoteState(at: context.remote, on: loop)) { state in
                try await state.open(id, timeout: .seconds(2))
                return try await work(state)
            }
        } catch let error as PipeWireError {
            guard case .timedOut = error else { throw PipeBusError(error) }
            throw PipeBusError(
                .timedOut, "The app of \(port.shownTitle) does not answer; it may be stopped. Try again when it runs.")
        }
    }

    private func connected(
        _ source: PortDesignation, _ receiver: PortDesignation
    ) throws -> (source: GraphPort, receiver: GraphPort) {
        try checkOpen()
        let from = try finder.require(source, as: .source)
        let to = try finder.require(receiver, as: .destination)
        guard model.snapshot.connection(from: from.id, to: to.id) != nil else {
            throw PipeBusError(.notConnected, "\(from.shownTitle) is not connected to \(to.shownTitle).")
        }
        return (from, to)
    }

    private static func refused(by receiver: GraphPort, because reason: String) -> PipeBusError {
        PipeBusError(.invalidArgument, "\(receiver.shownTitle) refused that: \(Names.shown(reason)).")
    }

    private func noLevel(of source: GraphPort, at receiver: GraphPort) -> PipeBusError {
        guard receiver.isPipeBus, receiver.kind == .receiver else {
            return PipeBusError(
                .notSupported,
                "\(receiver.shownTitle) is no receiver made with PipeBus, and keeps no levels of its sources."
            )
        }
        guard !receiver.isSeparate else { return Self.noLevels(at: receiver.shownTitle) }
        return PipeBusError(
            .notSupported,
            "\(receiver.shownTitle) tells no level of \(source.shownTitle); it may share its lane with another source.")
    }
}

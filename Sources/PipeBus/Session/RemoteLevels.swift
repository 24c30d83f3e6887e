// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Reads and sets the levels of sources at any app's receivers, through the app's shared state. Confined to the loop.
final class RemoteLevels {
    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    private let requests: PeerRequests
    private let own: LevelKeeper

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ requests: PeerRequests,
        own: LevelKeeper
    ) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.requests = requests
        self.own = own
    }

    func levels(at receiver: PortDesignation) async throws -> [GraphPort.ID: Source.Level] {
        try connection.checkOpen()
        let port = try model.finder.require(receiver, as: .destination)
        guard !port.isSeparate else { return [:] }
        if let port = ports[port.id], port.kind == .receiver { return try own.levels(at: port) }
        guard port.isPipeBus, port.kind == .receiver, let id = sharedStateID(of: port) else { return [:] }
        return try await withState(id, of: port) { state in state.values.levels(at: port.name) }
    }

    func level(
        of source: PortDesignation, at receiver: PortDesignation
    ) async throws -> Source.Level {
        let (from, to) = try connected(source, receiver)
        guard let level = try await levels(at: .id(to.id))[from.id] else { throw noLevel(of: from, at: to) }
        return level
    }

    func setLevel(
        _ change: LevelChange, of source: PortDesignation, at receiver: PortDesignation
    ) async throws -> Source.Level {
        let (from, to) = try connected(source, receiver)
        if let port = ports[to.id] {
            try own.changeLevel(of: from.id, at: port) { change.apply(to: &$0) }
            return try own.level(of: from.id, at: port)
        }
        guard to.isPipeBus, to.kind == .receiver, !to.isSeparate, let id = sharedStateID(of: to) else {
            throw noLevel(of: from, at: to)
        }
        let key = LevelKey(receiver: to.name, source: from.id, part: change.part)
        let (requested, answer) = try await withState(id, of: to) { state in
            guard var level = state.values.levels(at: to.name)[from.id] else {
                throw noLevel(of: from, at: to)
            }
            change.apply(to: &level)
            let requested = change.part.text(of: level)
            return (requested, try await state.set(key.text, to: requested, type: change.part.type))
        }
        // Read again: the daemon's reports from before a suspended app resumed may be incomplete, see
        // Docs/Workarounds.md.
        return try await withState(id, of: to) { state in
            guard let level = state.values.levels(at: to.name)[from.id] else {
                throw noLevel(of: from, at: to)
            }
            switch answer {
            case .taken: return level
            case .refused(let reason): throw Self.refused(by: to, because: reason)
            case .none:
                guard change.part.text(of: level) == requested else {
                    throw Self.refused(by: to, because: state.values.refusal(of: key.text) ?? "it gave no reason")
                }
                return level
            }
        }
    }

    // MARK: The other app's state

    private func sharedStateID(of port: GraphPort) -> UInt32? {
        port.peer.flatMap { model.reducer.metadata(of: $0, prefix: SharedState.namePrefix).first }
    }

    private func withState<Result: Sendable>(
        _ id: UInt32, of port: GraphPort, _ work: (RemoteState) async throws -> Result
    ) async throws -> Result {
        do {
            // The client may have been closed since an earlier call.
            try connection.checkOpen()
            return try await requests.perform(over: try requests.makeRemoteState()) { state in
                try await state.open(id, timeout: .seconds(2))
                return try await work(state)
            }
        } catch let error as PipeWireError {
            guard case .timedOut = error else { throw PipeBusError(error) }
            if let silence = await connection.errorIfDaemonIsSilent() { throw silence }
            throw PipeBusError(
                .timedOut, "The app of \(port.shownTitle) does not answer; it may be stopped. Try again when it runs.")
        }
    }

    private func connected(
        _ source: PortDesignation, _ receiver: PortDesignation
    ) throws -> (source: GraphPort, receiver: GraphPort) {
        try connection.checkOpen()
        let from = try model.finder.require(source, as: .source)
        let to = try model.finder.require(receiver, as: .destination)
        guard to.isPipeBus, to.kind == .receiver else { throw noLevel(of: from, at: to) }
        // A source that hangs has no link, and keeps its level.
        guard model.snapshot.connection(from: from.id, to: to.id) != nil || to.stalledSources.contains(from.id) else {
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
                "\(receiver.shownTitle) keeps no levels of its sources: only a receiver made with PipeBus that mixes them does."
            )
        }
        guard !receiver.isSeparate else { return LivePort.noLevels(at: receiver.shownTitle) }
        return PipeBusError(
            .notSupported,
            "\(receiver.shownTitle) publishes no level of \(source.shownTitle), which may share its lane with another "
                + "source.")
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Makes and ends connections. Confined to the loop.
final class Connector {
    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    private let links: LinkTable
    private let tracker: ConnectionTracker
    private let stalls: StallKeeper
    private let stallRequests: StallRequests
    private let pauses: UnansweredPauses
    private let fadeOut: SourceFadeOut
    /// The connections that are being made, and the lanes that they take.
    private var pending: [Making] = []
    /// Those of calls of `connect`, from the time at which their ports are known.
    private var underWay: [(source: GraphPort.ID, destination: GraphPort.ID)] = []

    private struct Making: Equatable {
        let source: GraphPort.ID
        let destination: GraphPort.ID
        let lanes: Set<Int>
    }

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ links: LinkTable,
        _ tracker: ConnectionTracker, _ stalls: StallKeeper,
        _ stallRequests: StallRequests, _ pauses: UnansweredPauses
    ) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.links = links
        self.tracker = tracker
        self.stalls = stalls
        self.stallRequests = stallRequests
        self.pauses = pauses
        fadeOut = SourceFadeOut(on: connection, ports)
    }

    /// - Parameters:
    ///   - isDeclared: whether the next session makes the connection again.
    ///   - isRepeated: whether the call was interrupted by the end of an earlier session. Its connection may have been restored
    ///     meanwhile, and is then the result.
    ///   - isRestoration: whether an earlier connection is made again. If some of its links are there, the others are made. It does not
    ///     wait for sources that hang; see ``UnansweredPauses``.
    func connect(
        _ source: some PortDesignator, to destination: some PortDesignator, _ pairing: ChannelPairing = .matching,
        lingers: Bool, isDeclared: Bool = true, isRepeated: Bool = false, isRestoration: Bool = false,
        by deadline: ContinuousClock.Instant, timeout: Duration
    ) async throws -> Connection {
        while true {
            let (from, to) = try await find(source, destination, by: deadline, timeout: timeout)
            do {
                return try await connect(
                    from, to, pairing, lingers: lingers, isDeclared: isDeclared, isRepeated: isRepeated,
                    isRestoration: isRestoration, by: deadline)
            } catch let error as PipeBusError where error.code == .unknownPort || error.code == .linkFailed {
                // Links go before their port does.
                try await connection.settle(by: deadline)
                // If one has gone, as that of an app that was killed, another port may come by its name.
                if model.snapshot.port(from.id) != nil, model.snapshot.port(to.id) != nil { throw error }
            }
        }
    }

    private func connect(
        _ from: GraphPort, _ to: GraphPort, _ pairing: ChannelPairing, lingers: Bool, isDeclared: Bool,
        isRepeated: Bool, isRestoration: Bool, by deadline: ContinuousClock.Instant
    ) async throws -> Connection {
        underWay.append((from.id, to.id))
        defer {
            if let index = underWay.firstIndex(where: { $0 == (from.id, to.id) }) { underWay.remove(at: index) }
            connection.wakeWaits()
        }
        try await connection.settle(by: deadline)
        let (source, destination, planner) = try await plannable(
            from, to, pairing, waitsForAnswers: !isRestoration, by: deadline)
        let newConnection: Connection
        do {
            newConnection = try await make(
                source, destination, pairing, planner, lingers: lingers, isCompletion: isRestoration, by: deadline)
        } catch let error as PipeBusError where isRepeated && error.code == .alreadyConnected {
            newConnection = try await connection.firstResult(by: deadline, waitingFor: "the restored connection") {
                presentConnection(source, destination)
            }
        }
        if !lingers, isDeclared { tracker.add(from: source, to: destination, isNew: !isRestoration && !isRepeated) }
        return newConnection
    }

    /// Whether this app has made a connection, and it ends with the app.
    func isOwn(_ source: GraphPort.ID, _ destination: GraphPort.ID) -> Bool { tracker.isDeclared(source, destination) }

    /// Checks whether connections can be made now, without making any.
    func check(_ all: [(source: GraphPort, destination: GraphPort, pairing: ChannelPairing)]) throws {
        let planner = LinkPlanner(graph: model.snapshot, ports: ports)
        for (index, one) in all.enumerated() {
            let others = all[..<index].map { ($0.source.id, $0.destination.id) }
            try planner.checkSelfConnection(one.source, one.destination, with: others)
            try plan(one.source, one.destination, one.pairing, planner, isCompletion: false).endReservation()
        }
    }

    /// Waits until two ports can be connected at once. When it returns, nothing may be awaited before the links are planned.
    private func plannable(
        _ from: GraphPort, _ to: GraphPort, _ pairing: ChannelPairing, waitsForAnswers: Bool,
        by deadline: ContinuousClock.Instant
    ) async throws -> (source: GraphPort, destination: GraphPort, LinkPlanner) {
        while true {
            try await waitForOthers(from.id, to.id, by: deadline)
            let source = try model.finder.refreshed(from)
            let destination = try model.finder.refreshed(to)
            let planner = LinkPlanner(graph: model.snapshot, ports: ports)
            try planner.checkSelfConnection(source, destination, with: pending.map { ($0.source, $0.destination) })
            if !waitsForAnswers || pauses.source == nil { return (source, destination, planner) }
            // What cannot be connected at all fails at once.
            try plan(source, destination, pairing, planner, isCompletion: false).endReservation()
            try await pauses.wait(connecting: source, to: destination, by: deadline)
        }
    }

    private func plan(
        _ source: GraphPort, _ destination: GraphPort, _ pairing: ChannelPairing, _ planner: LinkPlanner,
        isCompletion: Bool
    ) throws -> LinkPlan {
        let others = pending.filter { $0.destination == destination.id }
        let lanesInUse = others.reduce(into: Set<Int>()) { $0.formUnion($1.lanes) }
        return try planner.plan(
            from: source, to: destination, pairing, lanesInUse: lanesInUse, isCompletion: isCompletion)
    }

    private func make(
        _ source: GraphPort, _ destination: GraphPort, _ pairing: ChannelPairing, _ planner: LinkPlanner,
        lingers: Bool, isCompletion: Bool, by deadline: ContinuousClock.Instant
    ) async throws -> Connection {
        let plan = try plan(source, destination, pairing, planner, isCompletion: isCompletion)
        // The links of the connection are told by it from those that others add.
        if !lingers { tracker.pairings.begin(pairing, from: source, to: destination) }
        return try await make(source, destination, plan, lanes: [plan.lane], lingers: lingers, by: deadline)
    }

    /// Makes the links of a plan, of a connection that no other call makes; see ``waitForOthers(_:_:by:)``.
    func make(
        _ source: GraphPort, _ destination: GraphPort, _ plan: LinkPlan, lanes: Set<Int>, lingers: Bool,
        by deadline: ContinuousClock.Instant
    ) async throws -> Connection {
        defer { plan.endReservation() }
        let making = Making(source: source.id, destination: destination.id, lanes: lanes)
        pending.append(making)
        defer {
            if let index = pending.firstIndex(of: making) { pending.remove(at: index) }
            connection.wakeWaits()
        }
        let maker = LinkMaker(
            on: connection, model, links, source: source, destination: destination, plan: plan,
            isPassive: ports[destination.id]?.declaration.isMeter == true)
        return try await maker.make(lingers: lingers, by: deadline)
    }

    /// Waits while another call makes a connection between the same ports: one of the app, or one that makes an earlier one again.
    /// Each would take a lane of its own. When it returns, nothing may be awaited before ``make(_:_:_:lanes:lingers:by:)``.
    func waitForOthers(
        _ source: GraphPort.ID, _ destination: GraphPort.ID, by deadline: ContinuousClock.Instant
    ) async throws {
        while isBeingMade(source, destination) {
            try await connection.firstResult(by: deadline, waitingFor: "another call that connects the two") {
                isBeingMade(source, destination) ? nil : ()
            }
        }
    }

    private func isBeingMade(_ source: GraphPort.ID, _ destination: GraphPort.ID) -> Bool {
        pending.contains { $0.source == source && $0.destination == destination }
    }

    func disconnect(_ source: PortDesignation, from destination: PortDesignation) async throws {
        try connection.checkOpen()
        let finder = model.finder
        if try finder.find(source, as: .source) == nil || finder.find(destination, as: .destination) == nil,
            tracker.forgetMissing(source, destination)
        {
            return
        }
        let source = try finder.require(source, as: .source)
        let destination = try finder.require(destination, as: .destination)
        let wasStalled = ports[destination.id].map { stalls.giveUp(source.id, at: $0) } ?? false
        let wasWaiting = try await waitForMaking(source, destination)
        guard presentConnection(source, destination) != nil else {
            let wasPending = tracker.forgetPending(source, destination)
            tracker.forgetUnlessConnected(source, destination)
            if wasStalled || wasPending || wasWaiting { return }
            if try await stallRequests.end(source, at: destination) { return }
            throw PipeBusError(.notConnected, "\(source.shownTitle) is not connected to \(destination.shownTitle).")
        }
        await fadeOut.run(source.id, at: destination.id)
        defer { fadeOut.cancel(source.id, at: destination.id) }
        // During the fade another program may have removed the connection, and the daemon given its ids to other
        // objects.
        try await removeLinks(from: source, to: destination)
        tracker.forgetUnlessConnected(source, destination)
    }

    /// Waits until a connection that is being made has a link, or is given up: it would come into being after its end.
    ///
    /// - Returns: whether it has ended a call that waited.
    private func waitForMaking(_ source: GraphPort, _ destination: GraphPort) async throws -> Bool {
        var hasEnded = false
        do {
            try await connection.firstResult(by: .now.advanced(by: .seconds(5)), waitingFor: "the connection") {
                if pauses.end(from: source.id, to: destination.id) { hasEnded = true }
                let isUnderWay =
                    underWay.contains { $0 == (source.id, destination.id) } || isBeingMade(source.id, destination.id)
                return isUnderWay && presentConnection(source, destination) == nil ? nil : ()
            }
        } catch let error as PipeBusError where error.code == .timedOut {
            // A link may wait for a source that hangs. It is not in the graph, so there is nothing to remove.
        }
        return hasEnded
    }

    /// Removes all links, also those that the destination's app has just made in place of others, on another lane.
    private func removeLinks(from source: GraphPort, to destination: GraphPort) async throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(5))
        // By serial: the daemon gives the id of a removed link to the next one.
        var removed: Set<UInt64> = []
        while true {
            let links = try await connection.firstResult(by: deadline, waitingFor: "the links to go") {
                () -> [Connection.Link]? in
                let present = presentConnection(source, destination)?.links ?? []
                let left = present.filter { !removed.contains($0.serial) }
                return left.isEmpty && !present.isEmpty ? nil : left
            }
            if links.isEmpty { return }
            guard ContinuousClock.now < deadline else {
                throw PipeBusError(
                    .timedOut, "Another program connects the two again whenever they are disconnected; end it first.")
            }
            removed.formUnion(links.map(\.serial))
            try await remove(links)
        }
    }

    private func remove(_ present: [Connection.Link]) async throws {
        let pipeWire = connection.pipeWire
        do throws(PipeWireError) {
            pipeWire.refusal = nil
            for link in present { try links.destroy(id: link.id) }
            // A refusal names no request. It comes before the answer to this round trip.
            try await pipeWire.sync()
            if let refusal = pipeWire.refusal { throw PipeWireError.linkRefused(reason: refusal) }
        } catch {
            throw PipeBusError(error)
        }
    }

    private func presentConnection(_ source: GraphPort, _ destination: GraphPort) -> Connection? {
        model.snapshot.connection(from: source.id, to: destination.id)
    }

    // MARK: Finding

    /// Waits until both ports exist.
    ///
    /// A port of this app may be closed meanwhile, or made again under another id, so both are looked up each time.
    private func find(
        _ source: some PortDesignator, _ destination: some PortDesignator, by deadline: ContinuousClock.Instant,
        timeout: Duration
    ) async throws -> (source: GraphPort, destination: GraphPort) {
        // Another client, also of this process, may know its port before this one does.
        for case .id(let id) in [source.portDesignation, destination.portDesignation]
        where model.snapshot.port(id) == nil {
            try await connection.settle(by: deadline)
        }
        do {
            return try await connection.firstResult(by: deadline, waitingFor: "a port") {
                let from = try present(source, as: .source)
                let to = try present(destination, as: .destination)
                guard let from, let to else { return nil }
                return (from, to)
            }
        } catch let error as PipeBusError where error.code == .timedOut {
            // What is missing may be there.
            if let silence = await connection.errorIfDaemonIsSilent() { throw silence }
            let isSourceMissing = try present(source, as: .source) == nil
            let missing = isSourceMissing ? source.portDesignation : destination.portDesignation
            throw PipeBusError.missing(
                model.finder.message(forMissing: missing, as: isSourceMissing ? .source : .destination), after: timeout)
        }
    }

    /// The designated port; `nil` if it does not exist yet, or is a port of the app that is being made again.
    private func present(_ designator: some PortDesignator, as role: GraphSnapshot.Role) throws -> GraphPort? {
        let designation = designator.portDesignation
        if designator is LocalPort, case .id(let id) = designation, model.snapshot.port(id) == nil { return nil }
        return try model.finder.find(designation, as: role)
    }
}

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
    private let fadeOut: SourceFadeOut
    /// The connections that calls of `connect` are making.
    private var pending: [(source: GraphPort.ID, destination: GraphPort.ID)] = []
    /// The same from the time at which their ports are known.
    private var underWay: [(source: GraphPort.ID, destination: GraphPort.ID)] = []

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ links: LinkTable,
        _ tracker: ConnectionTracker, _ stalls: StallKeeper,
        _ stallRequests: StallRequests
    ) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.links = links
        self.tracker = tracker
        self.stalls = stalls
        self.stallRequests = stallRequests
        fadeOut = SourceFadeOut(on: connection, ports)
    }

    /// - Parameter isRepeated: whether the call was interrupted by the end of an earlier session. Its connection may have been
    ///   restored meanwhile, and is then the result.
    func connect(
        _ source: PortDesignation, to destination: PortDesignation, lingers: Bool, isRepeated: Bool = false,
        by deadline: ContinuousClock.Instant, timeout: Duration
    ) async throws -> Connection {
        let from = try await find(source, as: .source, by: deadline, timeout: timeout)
        let to = try await find(destination, as: .destination, by: deadline, timeout: timeout)
        underWay.append((from.id, to.id))
        defer {
            if let index = underWay.firstIndex(where: { $0 == (from.id, to.id) }) { underWay.remove(at: index) }
            connection.wakeWaits()
        }
        try await connection.settle(by: deadline)
        let source = try model.finder.refreshed(from)
        let destination = try model.finder.refreshed(to)
        let planner = LinkPlanner(graph: model.snapshot, ports: ports)
        try planner.checkSelfConnection(source, destination, with: pending)
        let newConnection: Connection
        do {
            newConnection = try await make(source, destination, planner, lingers: lingers, by: deadline)
        } catch let error as PipeBusError where isRepeated && error.code == .alreadyConnected {
            newConnection = try await connection.firstResult(by: deadline, waitingFor: "the restored connection") {
                presentConnection(source, destination)
            }
        }
        if !lingers { tracker.add(from: source, to: destination) }
        return newConnection
    }

    private func make(
        _ source: GraphPort, _ destination: GraphPort, _ planner: LinkPlanner, lingers: Bool,
        by deadline: ContinuousClock.Instant
    ) async throws -> Connection {
        let plan = try planner.plan(from: source, to: destination)
        defer { plan.endReservation() }
        pending.append((source.id, destination.id))
        defer {
            if let index = pending.firstIndex(where: { $0 == (source.id, destination.id) }) {
                pending.remove(at: index)
            }
        }
        let maker = LinkMaker(on: connection, model, links, source: source, destination: destination, plan: plan)
        return try await maker.make(lingers: lingers, by: deadline)
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
        let wasStalled = stalls.end(source.id, at: destination.id)
        try await waitForMaking(source, destination)
        guard presentConnection(source, destination) != nil else {
            let wasPending = tracker.forgetPending(source, destination)
            tracker.forgetUnlessConnected(source, destination)
            if wasStalled || wasPending { return }
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
    private func waitForMaking(_ source: GraphPort, _ destination: GraphPort) async throws {
        do {
            try await connection.firstResult(by: .now.advanced(by: .seconds(5)), waitingFor: "the connection") {
                let isUnderWay = underWay.contains { $0 == (source.id, destination.id) }
                return isUnderWay && presentConnection(source, destination) == nil ? nil : ()
            }
        } catch let error as PipeBusError where error.code == .timedOut {
            // A link may wait for a source that hangs. It is not in the graph, so there is nothing to remove.
        }
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

    private func find(
        _ designation: PortDesignation, as role: GraphSnapshot.Role, by deadline: ContinuousClock.Instant,
        timeout: Duration
    ) async throws -> GraphPort {
        // Another client, also of this process, may know its port before this one does.
        if case .id(let id) = designation, model.snapshot.port(id) == nil { try await connection.settle(by: deadline) }
        do {
            return try await connection.firstResult(by: deadline, waitingFor: "a port") {
                try model.finder.find(designation, as: role)
            }
        } catch let error as PipeBusError where error.code == .timedOut {
            let message = model.finder.message(forMissing: designation, as: role)
            throw PipeBusError(.timedOut, "\(message) Waited \(timeout.inWords) for it.")
        }
    }
}

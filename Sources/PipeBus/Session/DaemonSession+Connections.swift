// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Making and ending connections.
extension DaemonSession {
    func connect(
        _ source: PortDesignation, to destination: PortDesignation, lingers: Bool, timeout: Duration
    ) async throws -> Connection {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let from = try await find(source, as: .source, by: deadline, timeout: timeout)
        let to = try await find(destination, as: .destination, by: deadline, timeout: timeout)
        // Channels of one port come one by one: after two round trips those that were on their way are here.
        try await settle(by: deadline)
        let source = try finder.refreshed(from)
        let destination = try finder.refreshed(to)
        try checkSelfConnection(source, destination)
        let plan = try planLinks(from: source, to: destination)
        defer { endReservation(plan) }
        connecting.append((source.id, destination.id))
        defer {
            if let place = connecting.firstIndex(where: { $0 == (source.id, destination.id) }) {
                connecting.remove(at: place)
            }
        }
        return try await make(plan, from: source, to: destination, lingers: lingers, by: deadline)
    }

    func disconnect(_ source: PortDesignation, from destination: PortDesignation) async throws {
        try checkOpen()
        let snapshot = model.snapshot
        let source = try finder.require(source, as: .source)
        let destination = try finder.require(destination, as: .destination)
        guard snapshot.connection(from: source.id, to: destination.id) != nil else {
            throw PipeBusError(.notConnected, "\(source.shownTitle) is not connected to \(destination.shownTitle).")
        }
        await fadeOut(source.id, at: destination.id)
        defer { endFadeOut(source.id, at: destination.id) }
        // While it faded somebody else may have removed it, and the daemon given its ids to something else.
        guard let connection = model.snapshot.connection(from: source.id, to: destination.id) else { return }
        do throws(PipeWireError) {
            self.connection.refusal = nil
            for link in connection.links { try links.destroy(id: link.id) }
            declared.connections.remove(
                ConnectionDeclaration(source: end(source), destination: end(destination)))
            // A refusal belongs to no request. It comes before the answer to this.
            try await self.connection.sync()
            if let refusal = self.connection.refusal { throw PipeWireError.linkRefused(reason: refusal) }
        } catch {
            throw PipeBusError(error)
        }
        let deadline = ContinuousClock.now.advanced(by: .seconds(5))
        _ = try await firstResult(by: deadline, waitingFor: "the links to go") {
            model.snapshot.connection(from: source.id, to: destination.id) == nil ? true : nil
        }
    }

    // MARK: Finding

    private func find(
        _ designation: PortDesignation, as role: GraphSnapshot.Role, by deadline: ContinuousClock.Instant,
        timeout: Duration
    ) async throws -> GraphPort {
        do {
            return try await firstResult(by: deadline, waitingFor: "a port") {
                try finder.find(designation, as: role)
            }
        } catch let error as PipeBusError where error.code == .timedOut {
            let message = finder.message(forMissing: designation, as: role)
            throw PipeBusError(.timedOut, "\(message) Waited \(timeout.inWords) for it.")
        }
    }

    private func settle(by deadline: ContinuousClock.Instant) async throws {
        do throws(PipeWireError) {
            for _ in 0..<2 {
                try await connection.sync(by: deadline)
            }
        } catch {
            throw PipeBusError(error)
        }
    }

    // MARK: Making

    /// Makes the links and waits until they show. On failure none of ours is left.
    private func make(
        _ plan: LinkPlan, from source: GraphPort, to destination: GraphPort, lingers: Bool,
        by deadline: ContinuousClock.Instant
    ) async throws -> Connection {
        var made: [Link] = []
        var lane = plan.lane
        var moves = 0
        while true {
            do {
                let present = model.snapshot.connection(from: source.id, to: destination.id)?.links ?? []
                for pair in plan.pairs {
                    let input = lane * destination.laneWidth + pair.input
                    // After a move some may be there, made by the receiver itself.
                    if moves > 0,
                        present.contains(where: { $0.output == index(pair, plan, source) && $0.input == input })
                    {
                        continue
                    }
                    let key = LinkTable.Key(output: plan.outputs[pair.output].id, input: destination.inputs[input].id)
                    let link = try startLink(key, lingers: lingers)
                    made.append(link)
                    try await finish(link, by: deadline)
                }
                let keys = made.map { LinkTable.Key(output: $0.output, input: $0.input) }
                let connection = try await firstResult(by: deadline, waitingFor: "the connection to show in the graph")
                {
                    if keys.contains(where: { links[$0]?.isLost ?? true }) {
                        throw PipeBusError(PipeWireError.linkRemoved)
                    }
                    let connection = model.snapshot.connection(from: source.id, to: destination.id)
                    return connection.flatMap { $0.links.count >= plan.pairs.count ? $0 : nil }
                }
                if !lingers { declare(source, destination, keys) }
                // The daemon keeps lingering ones; our end of them may go.
                for link in made where lingers { links.release(link) }
                return connection
            } catch {
                for link in made { links.undo(link) }
                made = []
                // So that nothing of it is left in the graph when the caller learns of the failure.
                try? await settle(by: ContinuousClock.now.advanced(by: .seconds(1)))
                // Two apps took the same lane at the same time, and the receiver has given us another one.
                guard plan.mayBeMoved, moves < 4, (error as? PipeBusError)?.code == .linkFailed,
                    let first = model.snapshot.connection(from: source.id, to: destination.id)?.links.first
                else { throw error }
                lane = first.input / destination.laneWidth
                moves += 1
            }
        }
    }

    /// The index that the graph gives an output of a plan, which may leave out a device's monitors.
    private func index(_ pair: ChannelMatching.Pair, _ plan: LinkPlan, _ source: GraphPort) -> Int? {
        source.outputs.firstIndex(of: plan.outputs[pair.output])
    }

    private func startLink(_ key: LinkTable.Key, lingers: Bool) throws -> Link {
        do throws(PipeWireError) {
            return try links.make(key, lingers: lingers)
        } catch {
            throw PipeBusError(error)
        }
    }

    /// One link after the other, each active before the next: newer PipeWire versions mix up buffers otherwise.
    private func finish(_ link: Link, by deadline: ContinuousClock.Instant) async throws {
        do throws(PipeWireError) {
            try await link.waitUntilActive(timeout: max(ContinuousClock.now.duration(to: deadline), .zero))
        } catch {
            throw PipeBusError(error)
        }
    }
}

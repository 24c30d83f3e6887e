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
        let source = try stillThere(from)
        let destination = try stillThere(to)
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

    // MARK: What the app made

    /// The links are there: the next session makes them again.
    private func declare(_ source: GraphPort, _ destination: GraphPort, _ keys: [LinkTable.Key]) {
        let connection = ConnectionDeclaration(source: end(source), destination: end(destination))
        declared.connections.insert(connection)
        for key in keys { connections[key] = connection }
    }

    /// Somebody removed it, or one of its ports has gone.
    func forgetConnection(of key: LinkTable.Key) {
        if let connection = connections.removeValue(forKey: key) { declared.connections.remove(connection) }
    }

    private func end(_ port: GraphPort) -> ConnectionDeclaration.End {
        if let own = ports[port.id] { return .own(own.declaration.name) }
        return .other(
            applicationID: model.snapshot.peer(of: port)?.applicationID, nodeName: port.nodeName)
    }

    func disconnect(_ source: PortDesignation, from destination: PortDesignation) async throws {
        try checkOpen()
        let snapshot = model.snapshot
        let source =
            try lookUp(source, as: .source, in: snapshot)
            ?? unknown(source, as: .source)
        let destination =
            try lookUp(destination, as: .destination, in: snapshot)
            ?? unknown(destination, as: .destination)
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
            // A refusal is told to nobody in particular, before the answer to this.
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
                try lookUp(designation, as: role, in: model.snapshot)
            }
        } catch let error as PipeBusError where error.code == .timedOut {
            let message = try message(forMissing: designation, as: role)
            throw PipeBusError(.timedOut, "\(message) Waited \(timeout.inWords) for it.")
        }
    }

    private func lookUp(
        _ designation: PortDesignation, as role: GraphSnapshot.Role, in snapshot: GraphSnapshot
    ) throws -> GraphPort? {
        switch designation {
        case .id(let id):
            guard let port = snapshot.port(id) else {
                throw PipeBusError(.unknownPort, "That port is not in the graph any more.")
            }
            return port
        case .name(let name):
            return try only(snapshot.port(named: name, as: role), named: name, in: snapshot)
        }
    }

    /// The port that a name stands for, `nil` if there is none.
    func only(
        _ found: GraphSnapshot.Lookup, named name: String, in snapshot: GraphSnapshot
    ) throws -> GraphPort? {
        switch found {
        case .found(let port): return port
        case .missing: return nil
        case .ambiguous(let ports):
            let names = Names.listed(ports, in: snapshot)
            throw PipeBusError(.unknownPort, "\"\(Names.shown(name))\" could be any of \(names); say which.")
        }
    }

    /// A port that is there now.
    func known(_ designation: PortDesignation, as role: GraphSnapshot.Role) throws -> GraphPort {
        try checkOpen()
        return try lookUp(designation, as: role, in: model.snapshot) ?? unknown(designation, as: role)
    }

    private func unknown(_ designation: PortDesignation, as role: GraphSnapshot.Role) throws -> GraphPort {
        throw PipeBusError(.unknownPort, try message(forMissing: designation, as: role))
    }

    private func message(forMissing designation: PortDesignation, as role: GraphSnapshot.Role) throws -> String {
        guard case .name(let name) = designation else { return "That port is not in the graph any more." }
        let snapshot = model.snapshot
        let fitting = snapshot.ports.filter { role == .source ? !$0.outputs.isEmpty : !$0.inputs.isEmpty }
        if let other = snapshot.port(exactlyNamed: name) {
            let lack = role == .source ? "gives no sound, so nothing can be connected from it" : "takes no sound"
            return "\(Names.shown(other.nodeName)) \(lack)."
        }
        let known = Names.listed(fitting, in: snapshot)
        let what = role == .source ? "gives" : "takes"
        return "There is no port or app called \"\(Names.shown(name))\" that \(what) sound"
            + (known.isEmpty ? ", and no other either." : "; there is \(known).")
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

    func stillThere(_ port: GraphPort) throws -> GraphPort {
        guard let port = model.snapshot.port(port.id) else {
            throw PipeBusError(.unknownPort, "\(port.shownTitle) went away in between.")
        }
        return port
    }

    // MARK: Planning

    private struct LinkPlan {
        var outputs: [GraphPort.Channel]
        var pairs: [ChannelMatching.Pair]
        var lane: Int
        /// Ours to give back the lane, when the destination is a receiver of this client.
        var reservedAt: LivePort?
        /// A receiver of another app, which may move what we link to a lane of its choice.
        var mayBeMoved = false
    }

    private func checkSelfConnection(_ source: GraphPort, _ destination: GraphPort) throws {
        // With what other calls are making just now: two that are harmless each may close a way back together.
        let snapshot = model.snapshot.connecting(connecting)
        guard let ends = snapshot.selfConnection(from: source, to: destination) else { return }
        let app = snapshot.peer(of: ends.source).map { Names.shown($0.name) } ?? "One app"
        let isStraight = ends.source.id == source.id && ends.destination.id == destination.id
        let what =
            isStraight
            ? "\(source.shownTitle) and \(destination.shownTitle) are ports of one app"
            : "\(app) would hear itself: this leads from \(ends.source.shownTitle) to \(ends.destination.shownTitle)"
        throw PipeBusError(.selfConnection, "\(what); the app must allow connections to itself if that is meant.")
    }

    private func planLinks(from source: GraphPort, to destination: GraphPort) throws -> LinkPlan {
        // What a device is being fed is its monitor's to give, but only if it gives nothing else.
        let real = source.outputs.filter { !$0.isMonitor }
        let outputs = real.isEmpty ? source.outputs : real
        guard let pairs = ChannelMatching.pairs(outputs: outputs.count, inputs: destination.laneWidth) else {
            throw PipeBusError(
                .channelMismatch,
                "\(source.shownTitle) gives \(channels(outputs.count)) and \(destination.shownTitle) takes "
                    + "\(channels(destination.laneWidth)); only equal numbers go together, and mono to stereo.")
        }
        if model.snapshot.connection(from: source.id, to: destination.id) != nil {
            throw PipeBusError(
                .alreadyConnected, "\(source.shownTitle) is connected to \(destination.shownTitle) already.")
        }
        if let node = ports[destination.id], node.declaration.kind == .receiver {
            guard let lane = node.lanes.reserve(for: source.id.serial) else { throw noFreeLane(destination) }
            if outputs.count == 1, pairs.count > 1 { node.receiver?.monoLanes.insert(lane) }
            return LinkPlan(outputs: outputs, pairs: pairs, lane: lane, reservedAt: node)
        }
        guard let lane = freeLane(of: destination) else { throw noFreeLane(destination) }
        return LinkPlan(
            outputs: outputs, pairs: pairs, lane: lane,
            mayBeMoved: destination.isPipeBus && destination.kind == .receiver)
    }

    /// For another app's receiver: the first lane without a link. If somebody else takes it at the same time, its owner
    /// sorts that out.
    private func freeLane(of destination: GraphPort) -> Int? {
        guard destination.laneCount > 1 || destination.kind == .receiver && destination.isPipeBus else { return 0 }
        let linked = model.snapshot.connections.filter { $0.destination == destination.id }
        let taken = Set(linked.flatMap(\.links).map { $0.input / destination.laneWidth })
        return (0..<destination.laneCount).first { !taken.contains($0) }
    }

    private func noFreeLane(_ destination: GraphPort) -> PipeBusError {
        PipeBusError(
            .noFreeLane,
            "All \(destination.laneCount) lanes of \(destination.shownTitle) have a source; disconnect one, "
                + "or make the receiver with more lanes.")
    }

    private func channels(_ count: Int) -> String { count == 1 ? "1 channel" : "\(count) channels" }

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

    private func endReservation(_ plan: LinkPlan) {
        plan.reservedAt?.lanes.endReservation(lane: plan.lane)
        plan.reservedAt?.receiver?.monoLanes.remove(plan.lane)
    }
}

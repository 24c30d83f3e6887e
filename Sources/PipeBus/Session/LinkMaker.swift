// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Makes the links of one connection. Confined to the loop.
struct LinkMaker {
    /// The number of times that the connection follows a move to another lane.
    ///
    /// Another app's receiver moves one of two sources that are connected to one lane at the same time.
    private static let maximumMoves = 4

    private let connection: SessionConnection
    private let model: GraphModel
    private let links: LinkTable
    private let source: GraphPort
    private let destination: GraphPort
    private let plan: LinkPlan
    private let isPassive: Bool

    /// - Parameter isPassive: whether the links make no node run.
    init(
        on connection: SessionConnection, _ model: GraphModel, _ links: LinkTable, source: GraphPort,
        destination: GraphPort, plan: LinkPlan, isPassive: Bool
    ) {
        self.connection = connection
        self.model = model
        self.links = links
        self.source = source
        self.destination = destination
        self.plan = plan
        self.isPassive = isPassive
    }

    /// Makes the links and waits until they appear in the graph. On failure all links that it made are removed, and those
    /// that the destination's app made in their place.
    ///
    /// A link that another client makes at the same time is part of the connection: the apps of both ends may make it again at once, and
    /// so may a patchbay.
    ///
    /// - Throws: ``PipeBusError`` `alreadyConnected` if all links are those of others.
    func make(lingers: Bool, by deadline: ContinuousClock.Instant) async throws -> Connection {
        var lane = plan.lane
        var moves = 0
        var lost: [LinkTable.Key] = []
        while true {
            var newLinks: [Link] = []
            do {
                for key in missingKeys(onLane: lane) {
                    try await make(key, addingTo: &newLinks, lingers: lingers, by: deadline)
                    // Whoever removes the first links of a connection does not see those that are still to come.
                    if newLinks.contains(where: \.isLost) { throw PipeBusError(PipeWireError.linkRemoved) }
                }
                let keys = newLinks.map { LinkTable.Key(output: $0.output, input: $0.input) }
                let connection = try await waitUntilShown(keys, by: deadline)
                if moves == 0, newLinks.isEmpty || plan.yields && isSecond(connection, Set(newLinks.compactMap(\.id))) {
                    throw PipeBusError(
                        .alreadyConnected,
                        "\(source.shownTitle) was connected to \(destination.shownTitle) by another app at the same time."
                    )
                }
                // The daemon keeps a lingering link after its proxy is released.
                for link in newLinks where lingers { links.release(link) }
                return connection
            } catch {
                // Cancelled before the daemon has given a link its id: without it a link that lingers cannot be removed.
                if newLinks.contains(where: { $0.lingers && $0.id == nil && !$0.isLost }) {
                    try? await connection.settle(by: ContinuousClock.now.advanced(by: .seconds(1)))
                }
                lost += newLinks.filter(\.isLost).map { LinkTable.Key(output: $0.output, input: $0.input) }
                for link in newLinks { links.undo(link) }
                // So that no link is left in the graph when the call throws.
                try? await connection.settle(by: ContinuousClock.now.advanced(by: .seconds(1)))
                // Two apps took the same lane at the same time, and the receiver has moved our source to another one.
                guard plan.mayBeMoved, moves < Self.maximumMoves, (error as? PipeBusError)?.code == .linkFailed,
                    let first = present?.links.first
                else {
                    await removeReplacements(of: lost)
                    throw error
                }
                lane = first.input / destination.laneWidth
                moves += 1
            }
        }
    }

    /// Removes the links that the destination's app made on other lanes in place of ours.
    ///
    /// - Parameter lost: those of ours that are gone.
    private func removeReplacements(of lost: [LinkTable.Key]) async {
        guard plan.mayBeMoved, let owner = model.reducer.owner(ofNodeWithSerial: destination.id.serial) else { return }
        let places = Set(lost.map { Place(output: $0.output, channel: channel(ofInput: $0.input)) })
        let replacements = (present?.links ?? []).filter { link in
            guard let ends = model.reducer.ends(ofLink: link.id) else { return false }
            let place = Place(output: ends.output, channel: channel(ofInput: ends.input))
            return places.contains(place) && model.reducer.client(ofLink: link.id) == owner
        }
        guard !replacements.isEmpty else { return }
        for link in replacements { try? links.destroy(id: link.id) }
        try? await connection.settle(by: ContinuousClock.now.advanced(by: .seconds(1)))
    }

    /// An output, and the channel of a lane that it is linked to.
    private struct Place: Hashable {
        let output: UInt32
        let channel: Int?
    }

    private func channel(ofInput id: UInt32) -> Int? {
        destination.inputs.firstIndex { $0.id == id }.map { $0 % max(destination.laneWidth, 1) }
    }

    private var present: Connection? { model.snapshot.connection(from: source.id, to: destination.id) }

    /// Whether another client has begun to connect the two before, on another lane.
    ///
    /// - Parameter own: the ids of the links that were made.
    private func isSecond(_ connection: Connection, _ own: Set<UInt32>) -> Bool {
        let width = max(destination.laneWidth, 1)
        let mine = connection.links.filter { own.contains($0.id) }
        guard let first = mine.map(\.serial).min() else { return false }
        let lanes = Set(mine.map { $0.input / width })
        return connection.links.contains { !lanes.contains($0.input / width) && $0.serial < first }
    }

    /// The links that the connection still needs. Others may have made some of them, as the receiver that has moved it to this
    /// lane.
    private func missingKeys(onLane lane: Int) -> [LinkTable.Key] {
        let present = present?.links ?? []
        return plan.pairs.compactMap { pair in
            let input = lane * destination.laneWidth + pair.input
            // The output's index in the graph: the plan may leave out a device's monitors.
            let output = source.outputs.firstIndex(of: plan.outputs[pair.output])
            guard !present.contains(where: { $0.output == output && $0.input == input }) else { return nil }
            return LinkTable.Key(output: plan.outputs[pair.output].id, input: destination.inputs[input].id)
        }
    }

    private func waitUntilShown(
        _ keys: [LinkTable.Key], by deadline: ContinuousClock.Instant
    ) async throws -> Connection {
        try await connection.firstResult(by: deadline, waitingFor: "the connection to show in the graph") {
            if keys.contains(where: { links[$0]?.isLost ?? true }) { throw PipeBusError(PipeWireError.linkRemoved) }
            return present.flatMap { $0.links.count >= plan.pairs.count ? $0 : nil }
        }
    }

    /// Makes a link, unless another client has made it at the same time.
    private func make(
        _ key: LinkTable.Key, addingTo newLinks: inout [Link], lingers: Bool, by deadline: ContinuousClock.Instant
    ) async throws {
        var link: Link?
        do {
            let new = try start(key, lingers: lingers)
            link = new
            newLinks.append(new)
            try await finish(new, by: deadline)
        } catch let error as PipeBusError where error.code == .alreadyConnected {
            guard let link else { return }
            newLinks.removeLast()
            links.release(link)
        }
    }

    private func start(_ key: LinkTable.Key, lingers: Bool) throws -> Link {
        do throws(PipeWireError) {
            return try links.make(key, lingers: lingers, isPassive: isPassive)
        } catch {
            throw PipeBusError(error)
        }
    }

    /// Waits until a link is active. The next link is made only then: newer PipeWire versions mix up buffers otherwise.
    private func finish(_ link: Link, by deadline: ContinuousClock.Instant) async throws {
        do {
            try await connection.firstResult(by: deadline, waitingFor: "a link to become active") { () -> Void? in
                if let failure = link.failure { throw PipeBusError(failure) }
                return link.isActive ? () : nil
            }
        } catch let error as PipeBusError where error.code == .timedOut && link.failure == nil {
            throw PipeBusError(
                .timedOut,
                "\(source.shownTitle) and \(destination.shownTitle) exist, but the link between them did not become active: "
                    + "one of the two apps, or one that they wait for, does not answer. Go on with it or end it, then "
                    + "connect the two again.")
        }
    }
}

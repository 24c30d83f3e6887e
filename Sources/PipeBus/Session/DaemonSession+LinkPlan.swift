// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Which links a connection needs.
extension DaemonSession {
    struct LinkPlan {
        var outputs: [GraphPort.Channel]
        var pairs: [ChannelMatching.Pair]
        var lane: Int
        /// Ours to give back the lane, when the destination is a receiver of this client.
        var reservedAt: LivePort?
        /// A receiver of another app, which may move what we link to a lane of its choice.
        var mayBeMoved = false
    }

    func checkSelfConnection(_ source: GraphPort, _ destination: GraphPort) throws {
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

    func planLinks(from source: GraphPort, to destination: GraphPort) throws -> LinkPlan {
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

    func endReservation(_ plan: LinkPlan) {
        plan.reservedAt?.lanes.endReservation(lane: plan.lane)
        plan.reservedAt?.receiver?.monoLanes.remove(plan.lane)
    }
}

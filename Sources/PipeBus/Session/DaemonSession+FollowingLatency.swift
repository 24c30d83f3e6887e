// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Senders that are as late as what a receiver of the same client hands over.
extension DaemonSession {
    /// Checks a latency from the app.
    func check(_ latency: PortLatency, of name: String) throws {
        try PortChecks.check(latency: latency.ownFrames)
        guard let receiver = latency.receiver else { return }
        try Names.check(name: receiver, of: "a receiver whose latency is followed")
        let isOther =
            receiver == name || ports.contains { $0.declaration.name == receiver && $0.declaration.kind != .receiver }
        guard !isOther else {
            throw PipeBusError(
                .invalidArgument,
                "A sender can follow the latency of a receiver only, and \"\(Names.shown(receiver))\" is none.")
        }
    }

    /// What a port's latency comes to now, in frames.
    func resolvedLatency(of node: LivePort) -> Int {
        let wanted = node.wantedLatency
        guard let name = wanted.receiver, let receiver = ports[name] else {
            return wanted.ownFrames
        }
        // Clamped to what a port may publish. Both are bounded, so the sum cannot overflow.
        return min(wanted.ownFrames + latency(ofMixAt: receiver, without: node.id), 1_048_576)
    }

    /// The age of what a receiver hands over, in frames, without what comes back from a sender that follows it.
    private func latency(ofMixAt node: LivePort, without follower: GraphPort.ID) -> Int {
        guard let control = node.receiver else { return 0 }
        let lanes = control.lanes.filter(\.isHeard)
        let snapshot = model.snapshot
        let others = lanes.filter { !comes(GraphPort.ID(serial: $0.source), from: follower, in: snapshot) }
        if others.count == lanes.count { return control.memory.totalLatency }
        // What comes back is older than the rest, and an aligned receiver waits for it: that wait is its own age again.
        return others.map(\.latency.upperBound).max() ?? 0
    }

    /// Whether a port's sound may come from another port, also through senders that follow receivers, of this app and of
    /// others.
    private func comes(_ port: GraphPort.ID, from origin: GraphPort.ID, in snapshot: GraphSnapshot) -> Bool {
        var found: Set<GraphPort.ID> = []
        var waiting = [port]
        while let next = waiting.popLast() {
            guard found.insert(next).inserted else { continue }
            if next == origin { return true }
            waiting += snapshot.sources(of: next).map(\.id)
            guard let follower = snapshot.port(next), let name = follower.followedReceiver else { continue }
            waiting += snapshot.ports.filter { $0.peer == follower.peer && $0.kind == .receiver && $0.name == name }
                .map(\.id)
        }
        return false
    }

    /// A connection elsewhere may have closed a circle through this client, or opened one.
    func updateAllFollowers() {
        for name in Set(ports.compactMap(\.wantedLatency.receiver)) { updateFollowers(of: name) }
    }

    /// Brings all senders that follow a receiver up to what it hands over now.
    func updateFollowers(of receiver: String) {
        for node in ports where node.wantedLatency.receiver == receiver {
            let frames = resolvedLatency(of: node)
            if node.latency.own != frames { applyLatency(frames, to: node) }
        }
    }

    /// Publishes what a port adds by itself from now on.
    func applyLatency(_ frames: Int, to node: LivePort) {
        node.latency.own = frames
        node.ownLatency.frames = frames
        node.followLatency()
        node.publishOwnLatency()
        node.publishLatency()
        markStale(.latencies)
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// What brings back our own sound although that is not allowed. Which connections those are is a rule of the graph's,
/// ``ConnectionGraph/GraphSnapshot/forbiddenReturns()``; here they are removed and silenced.
extension DaemonSession {
    /// A link has appeared at an input: what it must not bring is silent before it comes.
    ///
    /// - Returns: whether the link is going to be removed.
    func guardLink(_ link: UInt32, at node: LivePort) -> Bool {
        let snapshot = model.snapshot
        let returns = model.forbiddenReturns
        guard returns.contains(where: { $0.links.contains { $0.id == link } }) else { return false }
        _ = guardPort(against: returns, at: node, snapshot)
        return node.returns.isRemoving(link: link)
    }

    /// Finds what brings back our own sound although that is not allowed, removes it once, and silences it if it stays.
    ///
    /// - Returns: whether other lanes are silent than before.
    func guardPort(against returns: [Connection], at node: LivePort, _ snapshot: GraphSnapshot) -> Bool {
        guard node.declaration.inputs > 0 else { return false }
        var blocked = LaneSet()
        var silenced: Set<UInt64> = []
        var possible: Set<UInt64> = []
        for connection in snapshot.connections where connection.destination == node.id {
            if returns.contains(connection) {
                for link in connection.links { blocked.insert(link.input / node.declaration.laneWidth) }
                if !remove(connection, at: node, snapshot) { silenced.insert(connection.source.serial) }
            } else if snapshot.isForbiddenReturn(connection.source, to: node.id) == .unknown {
                possible.insert(connection.source.serial)
            }
        }
        announce(.selfConnectionSilenced, of: node.returns.silenced(silenced), at: node, snapshot) { source in
            "\(source) brings \(node.title) the sound of its own app, and was disconnected before and came back, or cannot "
                + "be disconnected; it stays and is silent. Allow connections to itself in the app if that is meant."
        }
        announce(.selfConnectionPossible, of: node.returns.possible(possible), at: node, snapshot) { source in
            "\(node.title) may hear its own app through \(source), which was not made with PipeBus; disconnect it if it "
                + "howls."
        }
        let isAnother = node.returns.block(lanes: blocked)
        if isAnother, let control = node.receiver {
            for lane in control.lanes.indices { control.setBlocked(node.returns.isBlocked(lane: lane), lane: lane) }
        }
        return isAnother
    }

    /// Removes the links that were not removed before.
    ///
    /// - Returns: whether all of them go.
    private func remove(_ connection: Connection, at node: LivePort, _ snapshot: GraphSnapshot) -> Bool {
        let source = connection.source.serial
        let isReported = node.returns.isRemoving(from: source)
        var isRemoved = false
        var stays = false
        for link in connection.links {
            let route = SelfConnectionGuard.Route(
                source: source, output: link.output, input: link.input % node.declaration.laneWidth)
            switch node.returns.decide(link: link.id, route) {
            case .wait: break
            case .silence: stays = true
            case .remove:
                isRemoved = true
                removeReturn(link.id, at: node)
            }
        }
        if isRemoved && !isReported {
            announce(.selfConnectionRemoved, of: [source], at: node, snapshot) { source in
                "\(source) brought \(node.title) the sound of its own app, and was disconnected from it."
            }
        }
        return !stays
    }

    private func removeReturn(_ link: UInt32, at node: LivePort) {
        // What cannot be asked for stays, as does what the daemon refuses.
        try? links.destroy(id: link)
        // The daemon reports the link's end before it answers.
        afterRoundTrip { [self] in checkRemoved(link, at: node) }
    }

    private func checkRemoved(_ link: UInt32, at node: LivePort) {
        guard node.returns.linkRemoved(link) else { return }
        node.lanes.stay(link: link)
        followKeptReports(at: node)
        updateReceiver(node)
        refreshPorts()
    }

    /// - Parameter words: of the source's title.
    private func announce(
        _ kind: Notice.Kind, of sources: Set<UInt64>, at node: LivePort, _ snapshot: GraphSnapshot,
        _ words: (String) -> String
    ) {
        for source in sources {
            let title = snapshot.port(GraphPort.ID(serial: source))?.title ?? "A source"
            post(Notice(kind: kind, port: node.declaration.name, message: words(title)))
        }
    }
}

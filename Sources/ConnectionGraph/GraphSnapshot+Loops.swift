// SPDX-License-Identifier: MIT

extension GraphSnapshot {
    /// Whether a connection from one port to another would close a loop: its sound would come back to the first port
    /// and go round again.
    ///
    /// | all paths from the destination to the source | answer |
    /// | --- | --- |
    /// | there is none, or all ends at ports that do not pass their input on | ``Certainty/no`` |
    /// | one leads through PipeBus filters alone, the two ports included | ``Certainty/yes`` |
    /// | each leads through a node that was not made with PipeBus, such as a device with monitors, or through an app whose sender follows its receiver | ``Certainty/unknown`` |
    ///
    /// `BusClient.connect` makes such a connection all the same: sound goes round in a loop, a cycle late each time. An app that wants no
    /// loops asks here first. `connect` refuses only what leads from an app back to itself, unless that app allows it; and the rules of a
    /// ``RoutingPreset`` connect no ports with an answer other than ``Certainty/no``.
    ///
    /// The answer is the same for a connection that is there already. A filter that is connected to itself is a loop.
    ///
    /// - Complexity: O(*n* + *m*) in the number of ports and of connections.
    public func wouldCloseLoop(from source: GraphPort.ID, to destination: GraphPort.ID) -> Certainty {
        guard let from = port(source), let to = port(destination) else { return .no }
        if returns(from: to, to: from, through: \.isTransparent, follows: false) { return .yes }
        return returns(from: to, to: from, through: \.mayPassOn, follows: true) ? .unknown : .no
    }

    /// Whether sound that enters one port may leave another.
    ///
    /// - Parameter follows: whether senders give what receivers of their app get, where the app declares this.
    private func returns(
        from start: GraphPort, to end: GraphPort, through passes: (GraphPort) -> Bool, follows: Bool
    ) -> Bool {
        let followers = follows ? followers : [:]
        var seen: Set<GraphPort.ID> = [start.id]
        var waiting = [start]
        while let next = waiting.popLast() {
            var outlets = passes(next) ? [next] : []
            if next.isPipeBus, next.kind == .receiver, let peer = next.peer {
                outlets += followers[GraphLists.FollowedReceiver(peer: peer, name: next.name)] ?? []
            }
            if outlets.contains(where: { $0.id == end.id }) { return true }
            waiting += outlets.flatMap { destinations(of: $0.id) }.filter { seen.insert($0.id).inserted }
        }
        return false
    }
}

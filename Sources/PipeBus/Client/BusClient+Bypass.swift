// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

extension BusClient {
    /// Whether a filter is bypassed, of this app or of another one.
    ///
    /// - Parameter filter: a port, or the name of an app or a filter as ``ConnectionGraph/GraphSnapshot/port(named:as:)``
    ///   has them; an app's stands for its first filter.
    /// - Throws: ``PipeBusError`` `unknownPort`, `notSupported` for what is no PipeBus filter, `connectionLost`, `closed`;
    ///   `timedOut` when the daemon does not answer.
    public func isBypassed(_ filter: some PortDesignator & Sendable) async throws -> Bool {
        let port = try await knownFilter(filter.portDesignation)
        return ports[port.id]?.isBypassed ?? port.isBypassed
    }

    /// Bypasses a filter, of this app or of another one, or ends that, and waits until the filter's app has done it; the
    /// sound follows by itself. See ``FilterPort/setBypassed(_:)``.
    ///
    /// The other app has two seconds for its answer; the connection that it is asked over, which takes milliseconds with a
    /// daemon that is well, has two more. An app that stands still does what it was asked when it goes on.
    ///
    /// - Throws: ``PipeBusError`` as ``isBypassed(_:)`` does, `timedOut` after that time, `noPermission`, and `closed` when
    ///   the client is closed meanwhile.
    public func setBypassed(_ isBypassed: Bool, of filter: some PortDesignator & Sendable) async throws {
        let port = try await knownFilter(filter.portDesignation)
        if ports[port.id] != nil { return try await setBypassed(isBypassed, ofOwn: port.id) }
        do {
            let deadline = try await ask(port, isBypassed)
            _ = try await firstResult(by: deadline, waitingFor: "the filter's app") {
                try stillThere(port).isBypassed == isBypassed ? true : nil
            }
        } catch let error as PipeBusError where error.code == .timedOut {
            throw PipeBusError(
                .timedOut, "The app of \(port.shownTitle) does not answer; it may be stopped. Try again when it runs.")
        }
    }

    /// Over a connection of its own: the daemon serves the one that asks nothing more until the filter's process has
    /// answered, and that may stand still.
    ///
    /// - Returns: how long the answer may take to show in the graph.
    private func ask(_ port: GraphPort, _ isBypassed: Bool) async throws -> ContinuousClock.Instant {
        do {
            let asking = try PipeWireConnection(loop: loop, properties: [], remote: remote, recorder: recorder)
            return try await ask(over: asking) { asking in
                try await asking.open(timeout: .seconds(2))
                let deadline = ContinuousClock.now.advanced(by: .seconds(2))
                asking.bind(id: port.nodeID, kind: .node)
                try asking.request(
                    ofNode: port.nodeID, key: PipeBusProperty.isBypassed, value: isBypassed ? "true" : "false")
                try await asking.sync(by: deadline)
                if let refusal = asking.refusal {
                    throw PipeWireError.noPermission(what: "\(port.shownTitle), to change it (\(refusal))")
                }
                return deadline
            }
        } catch let error as PipeWireError {
            throw PipeBusError(error)
        }
    }

    func setBypassed(_ isBypassed: Bool, ofOwn id: GraphPort.ID) async throws {
        try bypass(isBypassed, id)
        // Also if it is so already: who has set it may be waiting still.
        try await waitUntilTold()
    }

    private func bypass(_ isBypassed: Bool, _ id: GraphPort.ID) throws {
        let node = try livePort(id)
        guard node.declaration.kind == .filter else {
            throw PipeBusError(.notSupported, "\(node.title) is no filter, so it cannot be bypassed.")
        }
        guard node.isBypassed != isBypassed else { return }
        // First what may fail: either both the graph and the audio thread know, or neither.
        try tellFlag(PipeBusProperty.isBypassed, isBypassed, of: id)
        node.setBypassed(isBypassed)
        watchWayBack(of: node)
    }

    /// The way back ends on the audio thread, which tells nobody. So this looks now and then, to free what the bypass
    /// needed, which may be hundreds of megabytes, and to let the filter's cycles be plain again.
    func watchWayBack(of node: LivePort, after delay: Duration = .milliseconds(50)) {
        guard node.wayBackTimer == nil, node.isOnWayBack else { return }
        let id = node.id
        node.wayBackTimer = LoopTimer(on: loop, after: delay) { [unowned self] in
            // The timer that is calling must not be let go of in its own call.
            assumeIsolated { $0.lookAtWayBackLater(of: id, delay) }
        }
    }

    private func lookAtWayBackLater(of id: GraphPort.ID, _ delay: Duration) {
        Task<Void, Never> { await self.lookAtWayBack(of: id, delay) }
    }

    private func lookAtWayBack(of id: GraphPort.ID, _ delay: Duration) async {
        guard connection != nil, ending == nil, let node = ports[id] else { return }
        node.wayBackTimer = nil
        if node.isBypassed { return }
        node.publishConnections()
        // A graph that stands still, or a long latency: not at once again.
        watchWayBack(of: node, after: min(delay * 2, .seconds(10)))
    }

    /// For tests: delay lines that a filter has, and whether its cycles are plain.
    package func bypassRemains(of id: GraphPort.ID) -> (lineCount: Int, isPlain: Bool) {
        guard let node = ports[id] else { return (0, true) }
        return (node.bypass?.lineCount ?? 0, !node.status.value.has(.isBypassing))
    }

    /// Another process asks something of a port. What is not meant for us is passed over.
    func requested(_ key: String, _ value: String, of id: GraphPort.ID) {
        guard key == PipeBusProperty.isBypassed, let node = ports[id] else { return }
        guard value == "true" || value == "false", node.declaration.kind == .filter else {
            let what = node.declaration.kind == .filter ? "true or false is needed" : "it is no filter"
            return post(
                Notice(
                    kind: .requestRefused, port: id,
                    message: "Another app asked to bypass \(node.title), which cannot be done: \(what)."))
        }
        // A failure is one of telling it, and then it is not done: whoever asked sees it in the graph.
        try? bypass(value == "true", id)
    }
}

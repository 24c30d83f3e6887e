// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Bypassing filters, of this app and of others.
extension DaemonSession {
    func isBypassed(_ filter: PortDesignation) async throws -> Bool {
        let port = try await knownFilter(filter)
        return ports[port.id]?.isBypassed ?? port.isBypassed
    }

    func setBypassed(_ isBypassed: Bool, of filter: PortDesignation) async throws {
        let port = try await knownFilter(filter)
        if let own = ports[port.id] { return try await setBypassed(isBypassed, ofOwn: own) }
        do {
            let deadline = try await ask(port, isBypassed)
            _ = try await firstResult(by: deadline, waitingFor: "the filter's app") {
                try finder.refreshed(port).isBypassed == isBypassed ? true : nil
            }
        } catch let error as PipeBusError where error.code == .timedOut {
            throw PipeBusError(
                .timedOut, "The app of \(port.shownTitle) does not answer; it may be stopped. Try again when it runs.")
        }
    }

    /// A filter that is there now and can be bypassed.
    ///
    /// A port that has just come is seen a moment before its properties: nothing is refused without a second look.
    private func knownFilter(_ designation: PortDesignation) async throws -> GraphPort {
        try checkOpen()
        if let port = try? finder.filter(designation) { return port }
        try await roundTrip()
        return try finder.filter(designation)
    }

    /// Over a connection of its own: the daemon serves the one that asks nothing more until the filter's process has
    /// answered, and that may stand still.
    ///
    /// - Returns: how long the answer may take to show in the graph.
    private func ask(_ port: GraphPort, _ isBypassed: Bool) async throws -> ContinuousClock.Instant {
        do {
            let asking = try PipeWireConnection(
                loop: loop, properties: [], remote: context.remote, recorder: context.recorder)
            return try await requests.perform(over: asking) { asking in
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

    func setBypassed(_ isBypassed: Bool, ofOwn port: LivePort) async throws {
        try bypass(isBypassed, port)
        // Also if it is so already: who has set it may be waiting still.
        try await roundTrip()
    }

    private func bypass(_ isBypassed: Bool, _ node: LivePort) throws {
        try checkOpen()
        guard node.declaration.kind == .filter else {
            throw PipeBusError(.notSupported, "\(node.title) is no filter, so it cannot be bypassed.")
        }
        guard node.isBypassed != isBypassed else { return }
        // First what may fail: either both the graph and the audio thread know, or neither.
        try publishFlag(.isBypassed, isBypassed, of: node)
        node.setBypassed(isBypassed)
        pollBypassRelease(of: node)
    }

    /// The release of a bypass ends on the audio thread, which can notify nobody. So it is polled, to free what the bypass
    /// needed, which may be hundreds of megabytes, and to let the filter's cycles be plain again.
    func pollBypassRelease(of node: LivePort, after delay: Duration = .milliseconds(50)) {
        guard node.bypassReleaseTimer == nil, node.isReleasingBypass else { return }
        let id = node.id
        node.bypassReleaseTimer = LoopTimer(on: loop, after: delay) { [unowned self] in
            // The timer that is calling must not be let go of in its own call.
            bypassReleasePolledLater(of: id, delay)
        }
    }

    private func bypassReleasePolledLater(of id: GraphPort.ID, _ delay: Duration) {
        jobs.add { [self] in bypassReleasePolled(of: id, delay) }
    }

    private func bypassReleasePolled(of id: GraphPort.ID, _ delay: Duration) {
        guard isOpen, let node = ports[id] else { return }
        node.bypassReleaseTimer = nil
        if node.isBypassed { return }
        node.publishConnections()
        // A graph that stands still, or a long latency: not at once again.
        pollBypassRelease(of: node, after: min(delay * 2, .seconds(10)))
    }

    /// Another process asks something of a port. What is not meant for us is passed over.
    func requested(_ key: String, _ value: String, of id: GraphPort.ID) {
        guard key == PipeBusProperty.isBypassed, let node = ports[id] else { return }
        guard value == "true" || value == "false", node.declaration.kind == .filter else {
            let what = node.declaration.kind == .filter ? "true or false is needed" : "it is no filter"
            return post(
                Notice(
                    kind: .requestRefused, port: node.declaration.name,
                    message: "Another app asked to bypass \(node.title), which cannot be done: \(what)."))
        }
        // If it cannot be published it is not done. Whoever asked sees that in the graph.
        try? bypass(value == "true", node)
    }
}

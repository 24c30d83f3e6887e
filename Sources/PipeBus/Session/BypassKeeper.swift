// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Starts and ends the bypass of filters, of this app and of others. Confined to the loop.
final class BypassKeeper {
    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    private let requests: PeerRequests
    private let notices: NoticeLog
    /// The requests of other processes that are handled. Each may be published to every app.
    private var allowed = RateLimit(burst: 256, perSecond: 100)
    /// The timers that poll filters whose bypass is being released.
    private var releaseTimers: [GraphPort.ID: PollTimer] = [:]

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ requests: PeerRequests,
        notices: NoticeLog
    ) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.requests = requests
        self.notices = notices
    }

    // MARK: Calls of the app

    func isBypassed(_ filter: PortDesignation) async throws -> Bool {
        let filter = try await find(filter)
        return ports[filter.id]?.isBypassed ?? filter.isBypassed
    }

    func setBypassed(_ isBypassed: Bool, of filter: PortDesignation) async throws {
        let filter = try await find(filter)
        if let own = ports[filter.id] { return try await setBypassed(isBypassed, ofOwn: own) }
        do {
            let deadline = try await requests.request(
                PipeBusProperty.isBypassed, isBypassed ? "true" : "false", of: filter)
            _ = try await connection.firstResult(by: deadline, waitingFor: "the filter's app") {
                try model.finder.refreshed(filter).isBypassed == isBypassed ? true : nil
            }
        } catch let error as PipeBusError where error.code == .timedOut {
            throw PeerRequests.noAnswer(of: filter)
        }
    }

    func setBypassed(_ isBypassed: Bool, ofOwn port: LivePort) async throws {
        try set(isBypassed, port)
        // Without a change too: an earlier call with the same value may be in its round trip still.
        try await connection.roundTrip()
    }

    /// Finds a filter in the present graph that can be bypassed.
    ///
    /// A new port appears a moment before its properties. So there is a second attempt before an error.
    private func find(_ designation: PortDesignation) async throws -> GraphPort {
        try connection.checkOpen()
        if let port = try? model.finder.filter(designation) { return port }
        try await connection.roundTrip()
        return try model.finder.filter(designation)
    }

    // MARK: Our own filters

    private func set(_ isBypassed: Bool, _ port: LivePort) throws {
        try connection.checkOpen()
        try port.declared.checkIsFilter()
        guard port.isBypassed != isBypassed else { return }
        // The step that can fail comes first, so that the graph and the audio thread never disagree.
        try port.publish(.isBypassed, isBypassed)
        port.setBypassed(isBypassed)
        pollRelease(of: port)
    }

    /// Polls the release of a bypass, which ends on the audio thread: the audio thread cannot notify the control side.
    ///
    /// At its end the memory of the bypass is freed, which may be hundreds of megabytes, and the filter's cycles are
    /// plain again.
    private func pollRelease(of port: LivePort) {
        guard releaseTimers[port.id] == nil, port.isReleasingBypass else { return }
        let timer = connection.makePollTimer()
        releaseTimers[port.id] = timer
        let id = port.id
        var delay: Duration = .milliseconds(50)
        timer.start(after: delay) { [unowned self] in
            guard isReleasing(id) else {
                releaseTimers[id] = nil
                return nil
            }
            // Back-off, for a graph that stands still or a long latency.
            delay = min(delay * 2, .seconds(10))
            return delay
        }
    }

    private func isReleasing(_ id: GraphPort.ID) -> Bool {
        guard connection.isOpen, let port = ports[id], !port.isBypassed else { return false }
        port.publishStatus()
        return port.isReleasingBypass
    }

    /// Forgets one of our own ports that has left the graph. Idempotent.
    func forget(_ port: GraphPort.ID) { releaseTimers[port] = nil }

    /// Handles another process's request to a port. Requests for other properties are dropped.
    func requested(_ key: String, _ value: String, of id: GraphPort.ID) {
        guard key == PipeBusProperty.isBypassed, let port = ports[id] else { return }
        guard allowed.allows(at: .now) else {
            return notices.post(
                Notice(
                    kind: .requestRefused, port: port.name,
                    message:
                        "Other apps ask to bypass \(port.title) faster than that can be done: requests are dropped."))
        }
        guard value == "true" || value == "false", port.kind == .filter else {
            let reason = port.kind == .filter ? "true or false is needed" : "it is no filter"
            return notices.post(
                Notice(
                    kind: .requestRefused, port: port.name,
                    message: "Another app asked to bypass \(port.title), which cannot be done: \(reason)."))
        }
        // A bypass that cannot be published is not set. The requesting app sees that in the graph.
        try? set(value == "true", port)
    }
}

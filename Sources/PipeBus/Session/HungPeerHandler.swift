// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Acts on a node that holds up our ports: disconnects a direct source of ours until it answers, and reports any other one.
/// Confined to the loop.
final class HungPeerHandler {
    private let model: GraphModel
    private let ports: PortTable
    private let stalls: StallKeeper
    private let recovery: StallRecovery
    private let notices: NoticeLog
    private var backoff = RelinkBackoff()
    /// The nodes further upstream that were reported to the app, with the port that each held up, as long as one is held up now and
    /// then.
    private var reported: [GraphPort.ID: (title: String, port: LivePort)] = [:]
    private var lastReport: SuspendingClock.Instant?
    /// The time without a report after which a node holds up a port no longer, and is reported again if it does.
    private static let memory: Duration = .seconds(5)
    /// The shortest time without a source that hangs again and again.
    private static let repeatedDelay: Duration = .seconds(1)

    init(
        _ model: GraphModel, _ ports: PortTable, _ stalls: StallKeeper, _ recovery: StallRecovery, notices: NoticeLog
    ) {
        self.model = model
        self.ports = ports
        self.stalls = stalls
        self.recovery = recovery
        self.notices = notices
    }

    /// Whether the app has heard of a node that holds up a port, and not of the end.
    var isEndExpected: Bool { !reported.isEmpty }

    /// No port is held up at present. Idempotent.
    func portsRun(at now: SuspendingClock.Instant) {
        guard let last = lastReport, now - last >= Self.memory else { return }
        for (source, (title, port)) in reported.sorted(by: { $0.key < $1.key }) {
            notices.post(
                Notice(
                    kind: .upstreamRestored, port: port.name, source: source,
                    message: "\(title) does not hold up \(port.title) any more."))
        }
        reported = [:]
        lastReport = nil
    }

    /// Disconnects a node that hangs from those of our ports that it is a direct source of.
    ///
    /// - Parameters:
    ///   - node: the source's global id.
    ///   - time: the time of the report, on CLOCK_MONOTONIC in nanoseconds.
    ///   - isRepeated: whether the source hangs for a moment again and again.
    /// - Returns: whether it is being disconnected from any; otherwise it is further upstream.
    func handle(_ source: GraphPort.ID, node: UInt32, at time: Int64, isRepeated: Bool = false) -> Bool {
        let snapshot = model.snapshot
        // Also a port that was not found to be held up yet.
        let direct = ports.filter { snapshot.connection(from: source, to: $0.id) != nil }
        // The links of an earlier report may not be gone yet.
        if direct.contains(where: { stalls.isDisconnecting(source, from: $0) }) { return true }
        return disconnect(
            source, node: node, from: direct, at: time, for: isRepeated ? Self.repeatedDelay : .zero,
            because: isRepeated ? "stops answering again and again" : "has stopped answering", until: "it answers")
    }

    /// Disconnects a direct source of ours that waits for a node further upstream, until it runs again.
    ///
    /// - Parameters:
    ///   - culprit: the node that it waits for.
    ///   - node: the victim's global id.
    ///   - heldPorts: the ports that it holds up.
    ///   - waiting: the nodes that wait for others.
    /// - Returns: whether it is being disconnected from any.
    func handle(
        victim: GraphPort.ID, of culprit: GraphPort.ID, node: UInt32, holdingUp heldPorts: [LivePort],
        waiting: Set<GraphPort.ID>, at time: Int64
    ) -> Bool {
        let snapshot = model.snapshot
        let direct = heldPorts.filter { snapshot.connection(from: victim, to: $0.id) != nil }
        if direct.contains(where: { stalls.isDisconnecting(victim, from: $0) }) { return true }
        guard !direct.isEmpty, waits(victim, for: culprit, waiting, in: snapshot) else { return false }
        return disconnect(
            victim, node: node, from: direct, at: time, for: .zero,
            because: "waits for \(title(of: culprit)), which has stopped answering,", until: "it runs")
    }

    /// - Parameter minimum: the shortest time for which it stays disconnected.
    /// - Returns: whether it was connected to any of the ports.
    private func disconnect(
        _ source: GraphPort.ID, node: UInt32, from ports: [LivePort], at time: Int64, for minimum: Duration,
        because reason: String, until end: String
    ) -> Bool {
        let known = ports.filter { $0.links.stall(of: source.serial) != nil }
        let stalled = ports.filter { stalls.begin(source, at: $0) }
        guard !stalled.isEmpty else { return false }
        let delay = max(known.isEmpty ? backoff.next(for: source.serial, at: .now) : .zero, minimum)
        recovery.add(source, node: node, at: stalled.map(\.id), since: time, delay: delay)
        // Where another program has connected it again meanwhile, the app knows.
        guard let first = stalled.first(where: { port in !known.contains { $0 === port } }) else { return true }
        notices.post(
            Notice(
                kind: .sourceStalled, port: first.name, source: source,
                message:
                    "\(title(of: source)) \(reason) and was disconnected from \(first.title), so that other sources are "
                    + "heard; it is connected again \(delay > .zero ? "\(delay.inWords) after" : "when") \(end)."))
        return true
    }

    /// Posts a notice about a node that is no direct source of ours: the app that it is connected to must act.
    ///
    /// - Parameter waiting: the nodes that wait for others.
    func reportUpstream(_ source: GraphPort.ID, _ heldPorts: [LivePort], waiting: Set<GraphPort.ID>) {
        let snapshot = model.snapshot
        guard let port = heldPorts.first(where: { waits($0.id, for: source, waiting, in: snapshot) }) else { return }
        lastReport = .now
        guard reported.updateValue((title(of: source), port), forKey: source) == nil else { return }
        let sentence =
            isOfThisProcess(source, port, in: snapshot)
            ? "\(title(of: source)), which is of this app itself, does not finish and holds up \(port.title); look at what its "
                + "audio thread waits for."
            : "\(title(of: source)) has stopped answering and holds up \(port.title); end or restart that app if it goes on."
        notices.post(Notice(kind: .upstreamStalled, port: port.name, source: source, message: sentence))
    }

    /// Whether a node was made by the process of a port: by another client, as an app has that also uses PipeWire by itself. Its
    /// user would look for another app.
    private func isOfThisProcess(_ source: GraphPort.ID, _ port: LivePort, in snapshot: GraphSnapshot) -> Bool {
        let peers = [snapshot.port(source), snapshot.port(port.id)].map { $0.flatMap { snapshot.peer(of: $0) } }
        guard let process = peers[0]?.processID else { return false }
        return process == peers[1]?.processID
    }

    /// Whether a port waits for a node: for one of its sources, of their sources and so on, or for another port of the app of one
    /// that waits itself. An app's sender may run after its receiver, and no connection shows that. One that does not wait hangs
    /// with the app's other ports, and these hold up nobody.
    private func waits(
        _ port: GraphPort.ID, for culprit: GraphPort.ID, _ waiting: Set<GraphPort.ID>, in snapshot: GraphSnapshot
    ) -> Bool {
        let app = snapshot.port(culprit)?.peer
        let upstream = snapshot.sourcesRecursive(of: port) + [snapshot.port(port)].compactMap(\.self)
        return upstream.contains { $0.id == culprit || app != nil && $0.peer == app && waiting.contains($0.id) }
    }

    private func title(of source: GraphPort.ID) -> String { model.title(of: source) ?? "A source" }
}

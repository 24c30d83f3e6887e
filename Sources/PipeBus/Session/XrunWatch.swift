// SPDX-License-Identifier: MIT
import CRealtime
import ConnectionGraph
import PipeWireClient

/// Finds whose fault the xruns of our ports were: from the time of our own callbacks, and from the profiler's reports while
/// somebody has it bound. Confined to the loop.
final class XrunWatch {
    /// An xrun whose culprit is not known yet.
    private struct Unexplained {
        let port: LivePort
        let number: UInt64
        let gap: XrunGap
        let foundAt: SuspendingClock.Instant
    }

    /// The time for which the profiler stays bound after an xrun, so that the next xruns have a culprit.
    private static let bindingTime: Duration = .seconds(10)
    /// The time after which no report about an xrun is expected: 0.3.65 collects reports for up to a second.
    private static let patience: Duration = .seconds(3)
    private static let capacity = 256

    private let connection: SessionConnection
    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private let profiler: ProfilerWatch
    /// The number of each port's xruns that were looked at.
    private var counts: [GraphPort.ID: UInt64] = [:]
    private var unexplained: [Unexplained] = []
    private var incidents = XrunIncidents()
    private var boundUntil: SuspendingClock.Instant?

    init(
        on connection: SessionConnection, _ model: GraphModel, _ declared: Declarations, _ ports: PortTable,
        _ profiler: ProfilerWatch
    ) {
        self.connection = connection
        self.model = model
        self.declared = declared
        self.ports = ports
        self.profiler = profiler
        profiler.onReports = { [weak self] reports in self?.take(reports) }
    }

    /// Whether ``update()`` is to be called again soon.
    var isWaiting: Bool { !unexplained.isEmpty || boundUntil != nil }

    /// Counts the xruns of ports from now on. Those of earlier sessions are past. Idempotent.
    func begin() {
        for port in ports where counts[port.id] == nil { counts[port.id] = port.memory.cells.xrunCount }
    }

    /// Looks for new xruns, and for the culprits of earlier ones. Called in a job, twice a second.
    func update() {
        let now = SuspendingClock.now
        counts = counts.filter { ports[$0.key] != nil }
        var isNew = false
        for port in ports {
            let cells = port.memory.cells
            let count = cells.xrunCount
            guard let last = counts.updateValue(count, forKey: port.id), count > last else { continue }
            isNew = true
            for xrun in cells.lastXruns where xrun.number >= last && unexplained.count < Self.capacity {
                unexplained.append(
                    Unexplained(port: port, number: xrun.number, gap: XrunGap(xrun.entry), foundAt: now))
            }
        }
        explain(at: now)
        if isNew, declared.xrunDiagnosis == .automatic, profiler.isPrompt { boundUntil = now + Self.bindingTime }
        if let end = boundUntil, now >= end { boundUntil = nil }
        updateProfiler()
    }

    /// Binds or releases the profiler, as the app has declared.
    func updateProfiler() {
        let isWanted =
            switch declared.xrunDiagnosis {
            case .never: false
            case .automatic: boundUntil != nil
            case .always: ports.contains(where: \.isActive)
            }
        profiler.set(.xruns, isReading: isWanted)
    }

    /// The session ends.
    func close() {
        unexplained = []
        boundUntil = nil
    }

    // MARK: Culprits

    private func explain(at now: SuspendingClock.Instant) {
        unexplained.removeAll { xrun in
            guard ports.contains(xrun.port) else { return true }
            guard let culprit = culprit(of: xrun) else { return now - xrun.foundAt > Self.patience }
            xrun.port.declared.handle.culprits.set(culprit, of: xrun.number)
            return true
        }
    }

    private func culprit(of xrun: Unexplained) -> Xrun.Culprit? {
        if xrun.gap.isOwn { return .init(title: Names.shown(xrun.port.title), isThisApp: true) }
        if let port = ports.first(where: { xrun.gap.overlaps(overrunOf: $0.memory.cells.load) }) {
            return .init(title: Names.shown(port.title), isThisApp: true)
        }
        if let port = ports.first(where: { hasOwnGap($0, in: xrun.gap) }) {
            return .init(title: Names.shown(port.title), isThisApp: true)
        }
        return incidents.culprit(of: xrun.gap)
    }

    /// Whether one of a port's last xruns was its own fault, and explains a gap. A port's load has its last late call alone.
    private func hasOwnGap(_ port: LivePort, in gap: XrunGap) -> Bool {
        port.memory.cells.lastXruns.contains { gap.isExplained(by: XrunGap($0.entry)) }
    }

    private func take(_ reports: [ProfilerReport]) {
        let own = Set(ports.map(\.nodeID))
        for report in reports {
            guard let node = report.lateNode(delaying: own) else { continue }
            incidents.add(culprit(node, isOwn: own.contains(node.id)), in: report)
        }
    }

    private func culprit(_ node: ProfilerReport.Node, isOwn: Bool) -> Xrun.Culprit {
        let title = model.reducer.serial(ofNode: node.id).flatMap { model.title(of: GraphPort.ID(serial: $0)) }
        return Xrun.Culprit(title: title ?? Names.shown(node.name), isThisApp: isOwn)
    }
}

// SPDX-License-Identifier: MIT
import PipeWireClient

/// Binds the daemon's profiler while somebody reads it. Confined to the loop.
final class ProfilerWatch {
    /// The components that read reports.
    enum Reader: Hashable { case hungPeers, xruns, activity }

    private let connection: SessionConnection
    /// The profiler's global id; `nil` if the daemon has none.
    private var id: UInt32?
    private var bound: BoundProfiler?
    private var isUnavailable = false
    private var readers: Set<Reader> = []
    /// A graph with thousands of cycles a second would hold up all that the app waits for. Reports are left out instead: their
    /// counts of xruns are sums, and a node that hangs is in the next one too.
    private var budget = WorkBudget()
    /// Each is called in a job whenever reports come, whoever asked for them: with all reports, oldest first, and the first one
    /// also with the newest report of each driver.
    var onNewest: (([ProfilerReport], _ all: [ProfilerReport]) -> Void)?
    var onReports: (([ProfilerReport]) -> Void)?
    var onActivity: (([ProfilerReport]) -> Void)?

    init(on connection: SessionConnection) { self.connection = connection }

    func appeared(_ id: UInt32) {
        self.id = id
        // Another one than before, or one that may be used now.
        isUnavailable = false
        connection.later { [weak self] in if let self, !readers.isEmpty { bind() } }
    }

    func disappeared(_ id: UInt32) {
        guard self.id == id else { return }
        self.id = nil
        // In a job, because this is called inside a callback.
        connection.later { [weak self] in self?.release() }
    }

    /// Whether the daemon has a profiler that this client may use, as far as is known.
    var isAvailable: Bool { id != nil && !isUnavailable }

    /// Whether the daemon reports each cycle by itself. An older one collects reports for up to a second, if the profiler was
    /// in use shortly before; so a source that hangs would be found later.
    var isPrompt: Bool {
        connection.pipeWire.daemonVersion.map { $0 >= .reportsEachCycle } ?? false
    }

    func isReading(_ reader: Reader) -> Bool { readers.contains(reader) }

    /// Begins or ends the reading of one component. The profiler is bound while there is any. In a job. Idempotent.
    func set(_ reader: Reader, isReading: Bool) {
        guard isReading != readers.contains(reader) else { return }
        if isReading { readers.insert(reader) } else { readers.remove(reader) }
        if readers.isEmpty { release() } else { bind() }
    }

    private func bind() {
        guard bound == nil, !isUnavailable, connection.isOpen, let id else { return }
        do throws(PipeWireError) {
            let profiler = try BoundProfiler(on: connection.pipeWire, id: id)
            profiler.onReports = { [unowned self] bytes in take(bytes) }
            profiler.onFailure = { [unowned self] _ in
                isUnavailable = true
                connection.later { [weak self] in self?.release() }
            }
            bound = profiler
        } catch {
            // Without the permission there is none in this session.
            isUnavailable = true
        }
    }

    private func take(_ bytes: [UInt8]) {
        guard budget.allowsWork(at: .now) else { return }
        let reports = measured { ProfilerReport.parse(bytes) }
        guard !reports.isEmpty else { return }
        connection.later { [weak self] in if let self, bound != nil { measured { give(reports) } } }
    }

    private func measured<Result>(_ work: () -> Result) -> Result {
        let before = Duration.threadTime
        defer { budget.spend(.threadTime - before) }
        return work()
    }

    private func give(_ reports: [ProfilerReport]) {
        onReports?(reports)
        if readers.contains(.activity) { onActivity?(reports) }
        var newest: [UInt32: ProfilerReport] = [:]
        for report in reports { newest[report.driver.id] = report }
        onNewest?(Array(newest.values), reports)
    }

    /// Releases the profiler, because the session ends. Idempotent.
    func close() {
        readers = []
        release()
    }

    private func release() {
        bound?.close()
        bound = nil
    }
}

// SPDX-License-Identifier: MIT
import PipeWireClient

/// Binds the daemon's profiler while it is needed. Confined to the loop.
final class ProfilerWatch {
    private let connection: SessionConnection
    /// The profiler's global id; `nil` if the daemon has none.
    private var id: UInt32?
    private var bound: BoundProfiler?
    private var isUnavailable = false
    /// Called in a job with the newest report of each driver.
    var onReports: (([ProfilerReport]) -> Void)?

    init(on connection: SessionConnection) { self.connection = connection }

    func appeared(_ id: UInt32) { self.id = id }

    func disappeared(_ id: UInt32) {
        guard self.id == id else { return }
        self.id = nil
        // In a job, because this is called inside a callback.
        connection.later { [weak self] in self?.release() }
    }

    var isBound: Bool { bound != nil }

    /// Binds the profiler, if there is one. Idempotent.
    func bind() {
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
            // Without the module, or the permission, there is none in this session.
            isUnavailable = true
        }
    }

    private func take(_ bytes: [UInt8]) {
        var newest: [UInt32: ProfilerReport] = [:]
        for report in ProfilerReport.parse(bytes) { newest[report.driver.id] = report }
        let reports = Array(newest.values)
        guard !reports.isEmpty else { return }
        connection.later { [weak self] in if let self, isBound { onReports?(reports) } }
    }

    /// Releases the profiler. Idempotent.
    func release() {
        bound?.close()
        bound = nil
    }
}

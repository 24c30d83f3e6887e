// SPDX-License-Identifier: MIT
import PipeBusTesting
import PipeWireClient

/// A client in this process that binds the daemon's profiler, and records its reports.
actor ProfilerClient {
    nonisolated let loop: PipeWireLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private var connection: PipeWireConnection!
    private(set) var profilerID: UInt32?
    private var bound: BoundProfiler?
    private(set) var reports: [ProfilerReport] = []
    private(set) var failures: [PipeWireError] = []

    private init(_ loop: PipeWireLoop) { self.loop = loop }

    static func connect(to remote: String, recorder: CallRecorder? = nil) async throws -> ProfilerClient {
        let client = ProfilerClient(try PipeWireLoop())
        try await client.open(remote, recorder)
        return client
    }

    private func open(_ remote: String, _ recorder: CallRecorder?) async throws {
        connection = try PipeWireConnection(loop: loop, properties: [], remote: remote, recorder: recorder)
        connection.onRegistryEvent = { [unowned self] event in
            if case .added(let id, .profiler, _) = event { assumeIsolated { $0.profilerID = id } }
        }
        try await connection.open(timeout: .seconds(5))
    }

    func bind(id: UInt32? = nil) throws {
        guard let id = id ?? profilerID else { throw TestKitError("The daemon has no profiler.") }
        let profiler = try BoundProfiler(on: connection, id: id)
        profiler.onReports = { [unowned self] bytes in
            assumeIsolated { $0.reports += ProfilerReport.parse(bytes) }
        }
        profiler.onFailure = { [unowned self] error in assumeIsolated { $0.failures.append(error) } }
        bound = profiler
    }

    func release() {
        bound?.close()
        bound = nil
        reports = []
    }

    func sync() async throws { try await connection.sync() }

    /// Closes the connection first, which a profiler must survive.
    func close() async {
        connection.close()
        release()
        await OffLoop.stop(loop)
    }
}

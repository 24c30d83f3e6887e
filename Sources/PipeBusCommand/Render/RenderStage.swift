// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTesting
import Synchronization
import ToolSupport

/// The surroundings of a render: a graph whose cycles are run one by one, a client in it, and the filters.
final class RenderStage: Sendable {
    static let appID = "org.pipebus.render"
    static let appName = "PipeBus render"

    let stepper: GraphStepper
    let bus: BusClient

    private struct Hosts {
        var all: [RenderHost] = []
        /// Whether they were asked to end. One that is started at that moment ends too.
        var isEnding = false
    }

    private let state = Mutex(Hosts())

    /// - Throws: ``ToolFailure``.
    static func open(sampleRate: Int, quantum: Int) async throws -> RenderStage {
        do {
            let stepper = try await GraphStepper.start(sampleRate: sampleRate, quantum: quantum)
            // Its sender and its receiver are the two ends of one chain.
            let bus = try await BusClient.connect(
                as: appID, name: appName, remote: stepper.remote, allowsConnectionsToSelf: true)
            return RenderStage(stepper, bus)
        } catch let error as TestKitError {
            throw ToolFailure("\(error.description) PIPEWIRE_DEBUG=4 may show the reason.")
        }
    }

    private init(_ stepper: GraphStepper, _ bus: BusClient) { (self.stepper, self.bus) = (stepper, bus) }

    var hosts: [RenderHost] { state.withLock { $0.all } }

    /// Starts a filter's program.
    ///
    /// - Throws: ``ToolFailure``.
    func start(_ filter: RenderFilter) throws -> RenderHost {
        try state.withLock { state in
            let folder = "\(stepper.directory)/filter-\(state.all.count)"
            guard unsafe mkdir(folder, 0o700) == 0 else {
                throw ToolFailure("\(folder) could not be made: \(SoundFileError.advice(otherwise: "try again")).")
            }
            let host = try RenderHost(filter, at: stepper.remote, in: folder)
            state.all.append(host)
            if state.isEnding { host.end() }
            return host
        }
    }

    /// Ends all filters, and waits for their end.
    func endFilters() async {
        let hosts = state.withLock { state in
            state.isEnding = true
            return state.all
        }
        for host in hosts { host.end() }
        for host in hosts { await host.waitForEnd() }
    }

    /// Ends everything. No cycle may run.
    func close() async {
        await endFilters()
        await bus.close()
        try? await stepper.close()
    }
}

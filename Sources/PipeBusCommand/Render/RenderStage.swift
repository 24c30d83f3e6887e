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
        var isPlaying = false
    }

    private let state = Mutex(Hosts())

    /// - Throws: ``ToolFailure``.
    static func open(sampleRate: Int, quantum: Int) async throws -> RenderStage {
        do {
            let stepper = try await GraphStepper.start(
                sampleRate: sampleRate, quantum: quantum, freewheels: true)
            // Its sender and its receiver are the two ends of one chain.
            let bus = try await BusClient.connect(
                as: appID, name: appName, remote: stepper.remote, allowsConnectionsToSelf: true)
            return RenderStage(stepper, bus)
        } catch let error as TestKitError {
            throw ToolFailure(
                "A private graph could not be started (\(bare(error.description))); PIPEWIRE_DEBUG=4 may show the reason."
            )
        }
    }

    private static func bare(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }

    private init(_ stepper: GraphStepper, _ bus: BusClient) { (self.stepper, self.bus) = (stepper, bus) }

    /// From now on all filters are there.
    func notePlaying() { state.withLock { $0.isPlaying = true } }

    /// - Throws: ``ToolFailure`` if a filter could not be started, or its program has ended.
    func checkFilters() throws {
        let (hosts, isPlaying) = state.withLock { ($0.all, $0.isPlaying) }
        for host in hosts { try host.check(isPlaying: isPlaying) }
    }

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

    /// Waits until all that was changed in the graph is known to every process in it.
    ///
    /// - Throws: ``RenderBreak`` if one does not answer.
    func settle(within limit: Duration) async throws {
        do { try await stepper.settle(timeout: limit) } catch is TestKitError {
            throw RenderBreak(sentence: "\(anyFilter) does not answer; it may hang, and --timeout gives it longer.")
        }
    }

    /// The filter of which something is said, or all of them.
    var anyFilter: String {
        let names = state.withLock { $0.all.map(\.filter.name) }
        return names.count == 1 ? names[0] : "One of \(names.joined(separator: ", "))"
    }

    /// The name of a filter whose program has ended by itself, if there is one.
    var endedFilter: String? { state.withLock { $0.all.first(where: \.hasEnded)?.filter.name } }

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

// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import PipeBusTesting
import Synchronization

/// An exact stepper in a process of its own, so that it can be of another PipeWire than the one loaded here, and the
/// peers on it.
final class SteppedGraph: Sendable {
    private let host: ChildProcess
    let remote: String
    let directory: String
    /// The process with the daemon and its driver.
    var hostPID: Int32 { host.pid }
    private let peers = Mutex<[Peer]>([])

    static func start(installation: PipeWireInstallation) async throws -> SteppedGraph {
        let host = try Programs.start("kit-host", ["stepper"], installation: installation)
        let ready = try await host.nextLine { $0.hasPrefix("ready ") || $0.hasPrefix("error ") }
        guard ready.hasPrefix("ready "), let slash = ready.lastIndex(of: "/") else { throw TestKitError(ready) }
        return SteppedGraph(host, String(ready.dropFirst(6)), String(ready[..<slash].dropFirst(6)))
    }

    private init(_ host: ChildProcess, _ remote: String, _ directory: String) {
        self.host = host
        self.remote = remote
        self.directory = directory
    }

    /// Starts a peer on this graph; it ends with it.
    func peer(
        _ name: String, app: String? = nil, isOneApp: Bool = false, client: PipeWireInstallation = .chosen
    ) async throws -> Peer {
        let environment = ChildEnvironment.isolated(
            runtimeDirectory: directory, remote: remote, installation: client)
        let peer = try await Peer.start(
            app: app ?? "org.pipebus.\(name)", name: name, isOneApp: isOneApp, environment: environment)
        peers.withLock { $0.append(peer) }
        return peer
    }

    /// Runs a tool of PipeWire's to its end.
    func run(_ program: String, _ arguments: [String]) async throws {
        let tool = try start(program, arguments)
        guard try await tool.waitForEnd() == .exited(0) else { throw tool.failure("failed") }
    }

    /// Starts one, for what it says.
    func start(_ program: String, _ arguments: [String] = []) throws -> ChildProcess {
        let environment = ChildEnvironment.isolated(
            runtimeDirectory: directory, remote: remote, installation: .system)
        return try ChildProcess(program, arguments, environment: environment)
    }

    /// Runs cycles, the first number of each pair being their length and the second how many.
    func step(_ steps: [(frames: Int, cycles: Int)]) async throws {
        let words = steps.map { "\($0.frames)*\($0.cycles)" }.joined(separator: " ")
        try await ask("step \(words)", within: .seconds(120))
    }

    func settle() async throws { try await ask("settle", within: .seconds(10)) }

    /// Another clock from the next cycle on, as when another device takes over.
    func setClock(_ id: Int, sampleRate: Int) async throws {
        try await ask("clock \(id) \(sampleRate)", within: .seconds(10))
    }

    /// Moves the clock between two cycles.
    func moveClock(to position: Int, afterMilliseconds time: Int) async throws {
        try await ask("move \(position) \(time)", within: .seconds(10))
    }

    private func ask(_ command: String, within timeout: Duration) async throws {
        host.send(command)
        let answer = try await host.nextLine(within: timeout)
        guard !answer.hasPrefix("done ") else { return }
        // A peer that crashed is the likeliest reason.
        let ended = peers.withLock { $0.filter { $0.process.ending != nil } }
        throw TestKitError(([answer] + ended.map { "\($0.process.failure("has ended"))" }).joined(separator: "\n"))
    }

    /// Ends the peers in the order in which they came, and then the daemon.
    func close() async throws {
        for peer in peers.withLock({ $0 }) { try await peer.close() }
        host.closeInput()
        try await host.waitForEnd()
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTesting
import Synchronization
import ToolSupport

/// The demo's surroundings: a daemon, a client that connects and listens, and the processes.
final class DemoStage: Sendable {
    let bus: BusClient
    private let remote: String?
    /// The daemon, if it is the demo's own.
    private let daemon: HeadlessPipeWire?

    private struct Processes {
        var all: [DemoProcess] = []
        /// Whether they were asked to end. One that is started at that moment ends too.
        var isEnding = false
    }

    private let processes = Mutex(Processes())

    var isPrivate: Bool { daemon != nil }

    /// - Parameters:
    ///   - remote: the daemon; without it the running one, or else a private one.
    ///   - sampleRate: of a private daemon, in hertz.
    static func open(remote: String?, sampleRate: Int) async throws -> DemoStage {
        do {
            return DemoStage(bus: try await connect(remote), remote: remote, daemon: nil)
        } catch let error as PipeBusError where error.code == .noDaemon && remote == nil {
            do {
                try DemoProgress.show("No PipeWire daemon runs here. Starting a private one …")
                // Nobody plays along, so a cycle may take long. Then a busy machine has no xruns.
                let daemon = try await HeadlessPipeWire.start(
                    .init(quantum: 2048, sampleRate: sampleRate), limit: .seconds(120))
                return DemoStage(bus: try await connect(daemon.remote), remote: daemon.remote, daemon: daemon)
            } catch let error as TestKitError {
                throw ToolFailure(error.description)
            }
        }
    }

    private init(bus: BusClient, remote: String?, daemon: HeadlessPipeWire?) {
        self.bus = bus
        self.remote = remote
        self.daemon = daemon
    }

    private static func connect(_ remote: String?) async throws -> BusClient {
        try await BusClient.connect(as: "org.pipebus.demo", name: "PipeBus demo", remote: remote)
    }

    /// Starts one of the examples, under a name that no app in the graph has, and waits until it is in the graph.
    func start(_ tool: String, as name: String, _ arguments: [String]) async throws -> DemoProcess {
        let taken = Set(await bus.graph.peers.map(\.name))
        let name = taken.contains(name) ? "\(name) \(getpid())" : name
        let program = "\(try Self.folder)/\(tool)"
        guard unsafe access(program, X_OK) == 0 else {
            throw ToolFailure("\(tool) is not beside pipebus; build all of the package with \"swift build\".")
        }
        let options = ["--name", name] + (remote.map { ["--remote", $0] } ?? [])
        // If the demo is killed its processes end like those of a demo that a person ends.
        let child = try ChildProcess(
            "setpriv", ["--pdeathsig", "INT", "--", program] + options + arguments, environment: daemon?.environment())
        let process = DemoProcess(child: child, tool: tool, name: name)
        processes.withLock { processes in
            processes.all.append(process)
            if processes.isEnding { process.end() }
        }
        try await eventually("\(tool) to show in the graph") {
            try process.checkItRuns()
            // Apps without ports are not in the graph.
            return await bus.graph.peers.contains { $0.name == name }
        }
        return process
    }

    /// Presses a trigger of a process.
    func press(_ trigger: Trigger.ID, of process: DemoProcess) async throws {
        try await bus.press(trigger, of: try await peer(process).id)
    }

    /// Waits until a trigger of a process has a state.
    func waitForTrigger(_ trigger: Trigger.ID, of process: DemoProcess, toBe state: TriggerState) async throws {
        let peer = try await peer(process).id
        try await eventually("\(process.tool) to be \(state)") {
            try process.checkItRuns()
            return try await bus.triggers(of: peer).contains { $0.id == trigger && $0.state == state }
        }
    }

    private func peer(_ process: DemoProcess) async throws -> Peer {
        guard let peer = await bus.graph.peers.first(where: { $0.name == process.name }) else {
            try process.checkItRuns()
            throw ToolFailure("\(process.tool) has left the graph; try again.")
        }
        return peer
    }

    /// Kills the demo's own daemon and starts another one.
    ///
    /// - Parameter pause: how long there is none.
    func restartDaemon(after pause: Duration) async throws {
        do {
            try await daemon?.kill()
            try await Task.sleep(for: pause)
            try daemon?.startAgain()
            try await daemon?.waitUntilItListens()
        } catch let error as TestKitError { throw ToolFailure(error.description) }
    }

    func endProcesses() {
        processes.withLock { processes in
            processes.isEnding = true
            for process in processes.all { process.end() }
        }
    }

    /// What made a call fail: the end of a process that has a reason of its own, or else the call's error. The process may take a
    /// moment from the end of its port to its own.
    func cause(of error: any Error) async -> any Error {
        guard error is PipeBusError else { return error }
        let deadline = ContinuousClock.now.advanced(by: .milliseconds(500))
        repeat {
            for process in processes.withLock({ $0.all }) {
                do { try process.checkItHasNotFailed() } catch { return error }
            }
            try? await Task.sleep(for: .milliseconds(10))
        } while ContinuousClock.now < deadline
        return error
    }

    /// Ends the demo's processes, client and daemon.
    func close() async throws {
        for process in processes.withLock({ $0.all }) { try await process.child.waitForEnd() }
        try await daemon?.close()
    }

    /// The folder of this program, which also holds the examples.
    private static var folder: String {
        get throws {
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let length = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe readlink("/proc/self/exe", buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
            }
            let path = String(decoding: buffer.prefix(max(length, 0)), as: UTF8.self)
            guard let slash = path.lastIndex(of: "/") else {
                throw ToolFailure("The demo cannot find its own program; mount /proc.")
            }
            return String(path[..<slash])
        }
    }
}

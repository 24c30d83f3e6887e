// SPDX-License-Identifier: MIT
import Glibc
import Synchronization

/// A PipeWire daemon for one test or demonstration, with a socket, a configuration and a clock of its own. It has no
/// sound cards and no session manager, and starts in milliseconds.
///
/// It ends with ``close()``, with the object, with this process in any case, and at its time limit.
///
/// ```swift
/// let daemon = try await HeadlessPipeWire.start(quantum: 256)
/// let bus = try await BusClient.connect(as: "org.example.test", name: "Test", remote: daemon.remote)
/// ```
///
/// - Thread: any.
package final class HeadlessPipeWire: Sendable {
    /// The address for clients: the absolute path of the socket.
    package let remote: String
    /// The daemon's runtime directory, which holds only its own files.
    package let directory: String
    package let configuration: Configuration
    /// The guard of the directory, and of the first daemon in it.
    private let processGuard: ChildProcess
    private let limit: Duration
    private let running: Mutex<Running>

    /// The daemon that runs, or ran last: ``startAgain(of:)`` starts another one.
    private struct Running {
        var process: ChildProcess
        var pid: Int32
        var installation: PipeWireInstallation
        var count = 1
    }

    /// The PipeWire of the daemon that runs, or ran last.
    package var installation: PipeWireInstallation { running.withLock { $0.installation } }

    /// The daemon's process.
    package var pid: Int32 { running.withLock { $0.pid } }

    /// Starts a daemon and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - installation: the daemon's PipeWire; clients may use another.
    ///   - limit: the daemon is killed after that time at the latest.
    /// - Throws: ``TestKitError`` with the daemon's log.
    package static func start(
        _ configuration: Configuration = Configuration(), installation: PipeWireInstallation = .chosen,
        limit: Duration = .seconds(600)
    ) async throws -> HeadlessPipeWire {
        try await BlockingThread.run {
            try HeadlessPipeWire(configuration, installation: installation, limit: limit)
        }
    }

    private init(_ configuration: Configuration, installation: PipeWireInstallation, limit: Duration) throws {
        self.configuration = configuration
        self.limit = limit
        directory = try PrivateDirectory.make()
        remote = "\(directory)/pipewire-0"
        let file = "\(directory)/daemon.conf"
        do {
            try Self.write(configuration.text, to: file)
            processGuard = try ProcessGuard.start(
                directory: directory, limit: limit, program: [installation.program("pipewire"), "-c", file],
                environment: Self.environment(of: installation, in: directory, at: remote))
        } catch {
            unsafe unlink(file)
            unsafe rmdir(directory)
            throw error
        }
        guard let first = processGuard.output.next(within: .seconds(10), where: { _ in true }), let pid = pid_t(first)
        else {
            throw processGuard.failure("did not start a daemon")
        }
        running = Mutex(Running(process: processGuard, pid: pid, installation: installation))
        try waitUntilItListens(within: .seconds(10))
    }

    /// The environment of a daemon.
    private static func environment(
        of installation: PipeWireInstallation, in directory: String, at remote: String
    ) -> [String: String] {
        // Warnings, so that the log shows why something failed.
        ["PIPEWIRE_DEBUG": "2"].merging(
            ChildEnvironment.isolated(runtimeDirectory: directory, remote: remote, installation: installation)
        ) { $1 }
    }

    /// Waits for the socket. A daemon without one writes the reason to its log and ends.
    private func waitUntilItListens(within timeout: Duration) throws {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while !Socket.accepts(remote) {
            // Only the daemon's end can be waited for. The socket is polled a thousand times a second.
            guard !running.withLock({ $0.process }).errors.waitForEnd(within: .milliseconds(1)),
                ContinuousClock.now < deadline
            else {
                throw failure("The daemon does not take connections")
            }
        }
    }

    // MARK: Clients

    /// The environment with which a client in a process of its own finds this daemon and no other.
    ///
    /// - Parameter installation: the client's PipeWire; by default the system's.
    package func environment(client installation: PipeWireInstallation = .system) -> [String: String] {
        ChildEnvironment.isolated(runtimeDirectory: directory, remote: remote, installation: installation)
    }

    /// Starts a program as a client of this daemon.
    package func run(
        _ program: String, _ arguments: [String] = [], client installation: PipeWireInstallation = .system,
        keepsWholeOutput: Bool = false
    ) throws -> ChildProcess {
        try ChildProcess(
            installation.program(program), arguments, environment: environment(client: installation),
            keepsWholeOutput: keepsWholeOutput)
    }

    // MARK: Life

    /// The daemon's output so far.
    package var log: String { running.withLock { $0.process }.errors.text }

    /// Whether the daemon runs.
    package var isRunning: Bool { !running.withLock { $0.process }.errors.hasEnded }

    /// Sends the daemon a signal, for example to kill, stop or continue it.
    package func signal(_ number: Int32) {
        running.withLock { running in
            // Until the guard has waited for it the number is the daemon's, and the guard waits only once it is closed.
            guard running.process.ending == nil else { return }
            _ = Glibc.kill(running.pid, number)
        }
    }

    /// Kills the daemon and waits for its end. Its socket stays, and nobody answers there.
    package func kill() async throws {
        signal(SIGKILL)
        let errors = running.withLock { $0.process }.errors
        let hasEnded = await BlockingThread.run { errors.waitForEnd(within: .seconds(10)) }
        guard hasEnded else { throw failure("The daemon does not end") }
    }

    /// Starts another daemon at the same address, after ``kill()``. Returns as soon as the program runs.
    ///
    /// - Parameter installation: its PipeWire; by default that of the last one. Another one is what an upgrade brings.
    package func startAgain(of installation: PipeWireInstallation? = nil) throws {
        try running.withLock { running in
            let installation = installation ?? running.installation
            // Of its own, because the guard removes it.
            let folder = "\(directory)/guard-\(running.count)"
            guard unsafe mkdir(folder, 0o700) == 0 else { throw TestKitError("\(folder) could not be made.") }
            let process = try ProcessGuard.start(
                directory: folder, limit: limit,
                program: [installation.program("pipewire"), "-c", "\(directory)/daemon.conf"],
                environment: Self.environment(of: installation, in: directory, at: remote))
            guard let first = process.output.next(within: .seconds(10), where: { _ in true }), let pid = pid_t(first)
            else { throw process.failure("did not start a daemon") }
            // The first one is kept by the property, with the directory.
            running = Running(
                process: process, pid: pid, installation: installation, count: running.count + 1)
        }
    }

    /// Kills the daemon, starts another one at the same address, and waits until it accepts connections.
    package func restart() async throws {
        try await kill()
        try startAgain()
        try await waitUntilItListens()
    }

    /// Waits until the daemon accepts connections, for ten seconds at most. It looks a thousand times a second.
    package func waitUntilItListens() async throws {
        try await BlockingThread.run { try self.waitUntilItListens(within: .seconds(10)) }
    }

    /// Ends the daemon. When the call returns, nothing is left of it. Idempotent.
    ///
    /// - Throws: ``TestKitError`` if something is left.
    package func close() async throws {
        let last = running.withLock { $0.process }
        last.closeInput()
        try await last.waitForEnd(within: .seconds(10))
        processGuard.closeInput()
        try await processGuard.waitForEnd(within: .seconds(10))
    }

    /// An error with the daemon's log.
    package func failure(_ what: String) -> TestKitError {
        TestKitError("\(what).\n--- the daemon's log\n\(log)")
    }

    private static func write(_ text: String, to path: String) throws {
        guard let file = unsafe fopen(path, "wxe") else { throw TestKitError("\(path) could not be written.") }
        let result = unsafe fputs(text, file)
        guard unsafe fclose(file) == 0, result >= 0 else { throw TestKitError("\(path) could not be written.") }
    }
}

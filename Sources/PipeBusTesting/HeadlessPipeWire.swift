// SPDX-License-Identifier: MIT
import Glibc

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
    package let installation: PipeWireInstallation
    /// The daemon's process.
    package let pid: Int32
    private let processGuard: ChildProcess

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
        self.installation = installation
        directory = try PrivateDirectory.make()
        remote = "\(directory)/pipewire-0"
        let file = "\(directory)/daemon.conf"
        do {
            try Self.write(configuration.text, to: file)
            var environment = ChildEnvironment.isolated(
                runtimeDirectory: directory, remote: remote, installation: installation)
            // Warnings, so that the log shows why something failed.
            environment["PIPEWIRE_DEBUG"] = environment["PIPEWIRE_DEBUG"] ?? "2"
            processGuard = try ProcessGuard.start(
                directory: directory, limit: limit, program: [installation.program("pipewire"), "-c", file],
                environment: environment)
        } catch {
            unsafe unlink(file)
            unsafe rmdir(directory)
            throw error
        }
        guard let first = processGuard.output.next(within: .seconds(10), where: { _ in true }), let pid = pid_t(first)
        else {
            throw processGuard.failure("did not start a daemon")
        }
        self.pid = pid
        try waitUntilItListens(within: .seconds(10))
    }

    /// Waits for the socket. A daemon without one writes the reason to its log and ends.
    private func waitUntilItListens(within timeout: Duration) throws {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while !Socket.accepts(remote) {
            // Only the daemon's end can be waited for. The socket is polled a thousand times a second.
            guard !processGuard.errors.waitForEnd(within: .milliseconds(1)), ContinuousClock.now < deadline else {
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
        _ program: String, _ arguments: [String] = [], client installation: PipeWireInstallation = .system
    ) throws -> ChildProcess {
        try ChildProcess(installation.program(program), arguments, environment: environment(client: installation))
    }

    // MARK: Life

    /// The daemon's output so far.
    package var log: String { processGuard.errors.text }

    /// Whether the daemon runs.
    package var isRunning: Bool { !processGuard.errors.hasEnded }

    /// Sends the daemon a signal, for example to kill, stop or continue it.
    package func signal(_ number: Int32) {
        // Until the guard has waited for it the number is the daemon's, and the guard waits only once it is closed.
        guard processGuard.ending == nil else { return }
        kill(pid, number)
    }

    /// Ends the daemon. When the call returns, nothing is left of it. Idempotent.
    ///
    /// - Throws: ``TestKitError`` if something is left.
    package func close() async throws {
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

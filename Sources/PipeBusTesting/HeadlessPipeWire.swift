// SPDX-License-Identifier: MIT
import Glibc

/// A PipeWire daemon for one test or demonstration: with a socket, a configuration and a clock of its own, without sound
/// cards and without a session manager, there in milliseconds.
///
/// It ends with ``close()``, when the object goes, when this process ends however that may be, and when its time is up.
///
/// ```swift
/// let daemon = try await HeadlessPipeWire.start(quantum: 256)
/// let bus = try await BusClient.connect(as: "org.example.test", name: "Test", remote: daemon.remote)
/// ```
///
/// - Thread: any.
package final class HeadlessPipeWire: Sendable {
    /// Where clients connect to: the absolute path of the socket.
    package let remote: String
    /// Its runtime directory, which holds nothing but what it made.
    package let directory: String
    package let configuration: Configuration
    package let installation: PipeWireInstallation
    /// The daemon's process.
    package let pid: Int32
    private let leash: ChildProcess

    /// Starts a daemon and waits until it takes connections.
    ///
    /// - Parameters:
    ///   - installation: the PipeWire it is of; clients may use another.
    ///   - limit: it is killed after that time at the latest.
    /// - Throws: ``TestKitError`` with the daemon's log.
    package static func start(
        _ configuration: Configuration = Configuration(), installation: PipeWireInstallation = .chosen,
        limit: Duration = .seconds(600)
    ) async throws -> HeadlessPipeWire {
        try await OffPool.run {
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
            // Warnings, so that the log tells why something failed.
            environment["PIPEWIRE_DEBUG"] = environment["PIPEWIRE_DEBUG"] ?? "2"
            leash = try Leash.start(
                directory: directory, limit: limit, program: [installation.program("pipewire"), "-c", file],
                environment: environment)
        } catch {
            unsafe unlink(file)
            unsafe rmdir(directory)
            throw error
        }
        guard let first = leash.output.next(within: .seconds(10), where: { _ in true }), let pid = pid_t(first) else {
            throw leash.failure("did not start a daemon")
        }
        self.pid = pid
        try waitUntilItListens(within: .seconds(10))
    }

    /// A daemon made without its socket fails here: it says why in its log and ends.
    private func waitUntilItListens(within timeout: Duration) throws {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while !Socket.accepts(remote) {
            // The only thing to wait for is its end; the socket is looked at a thousand times a second meanwhile.
            guard !leash.errors.waitForEnd(within: .milliseconds(1)), ContinuousClock.now < deadline else {
                throw failure("The daemon does not take connections")
            }
        }
    }

    // MARK: For its clients

    /// What a client in a process of its own needs in its environment to find this daemon and no other.
    ///
    /// - Parameter installation: the PipeWire that the client is to use; the system's unless given.
    package func environment(client installation: PipeWireInstallation = .system) -> [String: String] {
        ChildEnvironment.isolated(runtimeDirectory: directory, remote: remote, installation: installation)
    }

    /// Starts a program as a client of this daemon.
    package func run(
        _ program: String, _ arguments: [String] = [], client installation: PipeWireInstallation = .system
    ) throws -> ChildProcess {
        try ChildProcess(installation.program(program), arguments, environment: environment(client: installation))
    }

    // MARK: Its life

    /// What the daemon wrote so far.
    package var log: String { leash.errors.text }

    /// Whether it still runs.
    package var isRunning: Bool { !leash.errors.hasEnded }

    /// Sends the daemon a signal: kills it, stops it, lets it go on.
    package func signal(_ number: Int32) {
        // Until the leash has waited for it the number is the daemon's, and the leash waits only once it is closed.
        guard leash.ending == nil else { return }
        kill(pid, number)
    }

    /// Ends the daemon; when it returns, nothing is left of it. Idempotent.
    ///
    /// - Throws: ``TestKitError`` if something is left.
    package func close() async throws {
        leash.closeInput()
        try await leash.waitForEnd(within: .seconds(10))
    }

    /// An error that carries the daemon's log.
    package func failure(_ what: String) -> TestKitError {
        TestKitError("\(what).\n--- the daemon's log\n\(log)")
    }

    private static func write(_ text: String, to path: String) throws {
        guard let file = unsafe fopen(path, "wxe") else { throw TestKitError("\(path) could not be written.") }
        let result = unsafe fputs(text, file)
        guard unsafe fclose(file) == 0, result >= 0 else { throw TestKitError("\(path) could not be written.") }
    }
}

// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBusTestSupport
import PipeBusTesting

/// A `bus-peer` in a process of its own, as a test sees it.
final class Peer: Sendable {
    let process: ChildProcess
    let name: String

    /// Starts one and connects it.
    static func start(
        app: String, name: String, isOneApp: Bool = false, environment: [String: String]
    ) async throws -> Peer {
        let process = try ChildProcess(Programs.path(of: "bus-peer"), environment: environment)
        let peer = Peer(process, name)
        try await peer.perform(.connect(app: app, name: name, isOneApp: isOneApp))
        return peer
    }

    static func start(
        _ name: String, on daemon: HeadlessPipeWire, client: PipeWireInstallation = .system
    ) async throws -> Peer {
        try await start(
            app: "org.pipebus.\(name.filter(\.isLetter))", name: name, environment: daemon.environment(client: client))
    }

    private init(_ process: ChildProcess, _ name: String) {
        self.process = process
        self.name = name
    }

    /// The library in the other process threw.
    struct Failure: Error, CustomStringConvertible {
        let code: String
        let description: String
    }

    // MARK: Asking

    @discardableResult
    func perform(_ command: PeerCommand, within timeout: Duration = .seconds(20)) async throws -> PeerReply {
        process.send(try PeerLine.encode(command))
        let reply: PeerReply = try PeerLine.decode(try await process.nextLine(within: timeout))
        if case .failure(let code, let message) = reply { throw Failure(code: code, description: message) }
        return reply
    }

    /// Returns the `node.name`.
    @discardableResult
    func addSender(
        _ port: String, channels: Int = 1, title: String? = nil, _ signal: TestSignal,
        by clock: PeerSignal.Clock = .own,
        latency: Int = 0
    ) async throws -> String {
        try await add(
            .addSender(
                name: port, title: title, channels: channels, signal: PeerSignal(signal, by: clock), latency: latency))
    }

    @discardableResult
    func addFilter(
        _ port: String, channels: Int = 1, expecting signal: TestSignal? = nil, by clock: PeerSignal.Clock = .own,
        latency: Int = 0
    ) async throws -> String {
        try await add(
            .addFilter(
                name: port, channels: channels, expecting: signal.map { PeerSignal($0, by: clock) }, latency: latency))
    }

    @discardableResult
    func addReceiver(
        _ port: String, channels: Int = 1, lanes: Int = 8, expecting signal: TestSignal? = nil,
        by clock: PeerSignal.Clock = .own
    ) async throws -> String {
        try await add(
            .addReceiver(
                name: port, channels: channels, lanes: lanes, expecting: signal.map { PeerSignal($0, by: clock) }))
    }

    private func add(_ command: PeerCommand) async throws -> String {
        guard case .added(let nodeName) = try await perform(command) else { throw unexpected() }
        return nodeName
    }

    /// Connects two ports, of whichever process, by their names.
    func join(_ source: String, to destination: String, seconds: Double = 10) async throws {
        try await perform(.join(source: source, destination: destination, seconds: seconds))
    }

    func report(_ port: String) async throws -> PeerReport {
        guard case .report(let report) = try await perform(.report(port: port)) else { throw unexpected() }
        return report
    }

    /// Starts the port's counts again, and waits until it has.
    func recount(_ port: String) async throws {
        let before = try await report(port).recounts
        try await perform(.recount(port: port))
        try await eventually("a cycle") { try await report(port).recounts > before }
    }

    func setLatency(_ frames: Int, of port: String) async throws {
        try await perform(.setLatency(port: port, frames: frames))
    }

    /// The least and the most of each source of a receiver, in frames, by its title.
    func latencies(_ port: String) async throws -> [String: [Int]] {
        guard case .latencies(let latencies) = try await perform(.latencies(port: port)) else { throw unexpected() }
        return latencies
    }

    /// The notices of its client about its ports.
    func notices() async throws -> [PeerNotice] {
        guard case .notices(let notices) = try await perform(.notices) else { throw unexpected() }
        return notices
    }

    /// The states of its client.
    func states() async throws -> [PeerState] {
        guard case .states(let states) = try await perform(.states) else { throw unexpected() }
        return states
    }

    /// The next call of the port's process block does not return for so long.
    func hang(_ port: String, for seconds: Double) async throws {
        try await perform(.hang(port: port, seconds: seconds))
    }

    /// That call returns now.
    func release(_ port: String) async throws { try await perform(.release(port: port)) }

    func sum(_ port: String) async throws -> SumReport {
        guard case .sum(let report) = try await perform(.sum(port: port)) else { throw unexpected() }
        return report
    }

    /// The states and notices of its client since the last call.
    func events() async throws -> [String] {
        guard case .events(let events) = try await perform(.events) else { throw unexpected() }
        return events
    }

    func sources(_ port: String) async throws -> [PeerSource] {
        guard case .sources(let sources) = try await perform(.sources(port: port)) else { throw unexpected() }
        return sources
    }

    func meters(_ port: String) async throws -> [PeerMeter] {
        guard case .meters(let meters) = try await perform(.meters(port: port)) else { throw unexpected() }
        return meters
    }

    /// Closes the client; returns how the process ended.
    @discardableResult
    func close() async throws -> ChildProcess.Ending {
        process.closeInput()
        return try await process.waitForEnd()
    }

    private func unexpected() -> TestKitError { process.failure("answered something else than what was asked") }
}

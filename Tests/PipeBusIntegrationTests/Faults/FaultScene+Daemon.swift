// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import PipeBusTesting

extension FaultScene {
    /// Kills the daemon, lets something happen while it is away, starts another one, and gives the moments.
    ///
    /// - Parameter installation: the other one's PipeWire; by default that of the last one.
    func replaceDaemon(
        by installation: PipeWireInstallation? = nil, whileAway: () async throws -> Void = {}
    ) async throws -> FaultCase.Moments {
        let struck = ProcessFigures.now
        let seen = events.count
        try await daemon.kill()
        try await waitUntilTheAppSees("interrupted daemonGone", after: seen)
        try await whileAway()
        try daemon.startAgain(of: installation)
        try await daemon.waitUntilItListens()
        return FaultCase.Moments(struck: struck, ended: ProcessFigures.now)
    }

    /// The numbers of the daemon's objects of a type with a property.
    func objects(_ type: String, where fits: (GraphDump.Object) -> Bool = { _ in true }) async throws -> [Int] {
        try await dump().objects.filter { $0.type == type && fits($0) }.map(\.id)
    }

    /// The links that carry sound. An app makes the link that keeps the order of its ports again only once.
    func soundLinks() async throws -> [Int] {
        let objects = try await dump().objects
        let ordering = Set(
            objects.filter { $0.type == "Port" && $0.properties["port.name"] == "order_out" }.map { "\($0.id)" })
        return objects.filter {
            $0.type == "Link" && !ordering.contains($0.properties["link.output.port"] ?? "")
        }.map(\.id)
    }

    /// Removes an object, as a patchbay does.
    func destroy(_ id: Int) async throws { try await daemon.perform("pw-cli", "destroy", "\(id)") }

    func set(_ setting: String, to value: Int) async throws {
        try await daemon.perform("pw-metadata", "-n", "settings", "0", setting, "\(value)")
    }

    /// Sets how many descriptors the app may have.
    func limitDescriptors(to count: Int) async throws {
        let tool = try ChildProcess("prlimit", ["--pid", "\(app.process.pid)", "--nofile=\(count):4096"])
        guard try await tool.waitForEnd() == .exited(0) else { throw tool.failure("failed") }
    }

    /// Whether the daemon has forgotten the app.
    func hasNothingOfTheApp() async throws -> Bool { try await dump().names.allSatisfy { !$0.contains("App") } }
}

// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A routing that a person has saved, over the end of everything.
final class RoutingRestartTests: ToolTestCase {
    /// The apps, in the order in which they are started at first.
    private static let apps: [(node: String, tool: String, arguments: [String])] = [
        ("Alto.out", "tone-sender", ["--name", "Alto", "--frequency", "440"]),
        ("Bass.out", "tone-sender", ["--name", "Bass", "--frequency", "110"]),
        ("Echo.echo", "echo-filter", ["--name", "Echo"]),
        ("Rec.in", "track-recorder", ["--name", "Rec", "--output", "rec.wav"]),
        ("metro", "jack_metro", ["--bpm", "120"]),
    ]

    private var running: [String: ChildProcess] = [:]

    private func startApp(_ node: String, at daemon: HeadlessPipeWire, _ installation: PipeWireInstallation) throws {
        let app = Self.apps.first { $0.node == node }!
        let arguments = app.arguments.map {
            $0 == "rec.wav" ? "\(folder)/\(running.count)-\(ContinuousClock.now).wav" : $0
        }
        guard app.tool != "jack_metro" else {
            let process = try daemon.run("pw-jack", [app.tool] + arguments)
            addTeardownBlock { process.signal(SIGKILL) }
            running[node] = process
            return
        }
        running[node] = try start(app.tool, arguments, at: daemon.environment(client: installation))
    }

    private func killApps() async throws {
        for process in running.values { process.signal(SIGKILL) }
        for process in running.values { try await process.waitForEnd() }
        running = [:]
    }

    private func patch(_ arguments: [String], at daemon: HeadlessPipeWire) async throws {
        let process = try start("pipebus", arguments, at: daemon.environment(client: daemon.installation))
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), "\(arguments): \(process.errors.text)")
    }

    /// Everything that was saved: the connections, and the levels and the bypass as other apps see them.
    private func description(of bus: BusClient) async -> [String] {
        let graph = await bus.graph
        var lines = graph.connections.map { connection in
            "\(graph.port(connection.source)?.nodeName ?? "") > \(graph.port(connection.destination)?.nodeName ?? "") "
                + "\(connection.links.count)"
        }
        guard let receiver = graph.ports.first(where: { $0.nodeName == "Rec.in" }) else { return lines.sorted() }
        for (source, level) in (try? await bus.levels(at: receiver)) ?? [:] {
            lines.append("\(graph.port(source)?.nodeName ?? "") at \(level)")
        }
        lines += graph.filters.filter(\.isBypassed).map { "\($0.nodeName) is bypassed" }
        return lines.sorted()
    }

    private func assertItComesBack(with installation: PipeWireInstallation, keeperIsKilled: Bool) async throws {
        let daemon = try await startDaemon(installation: installation)
        let watcher = try await connectClient(to: daemon.remote, as: "Watcher")
        for app in Self.apps { try startApp(app.node, at: daemon, installation) }
        for connection in [["Alto", "Echo"], ["Echo", "Rec"], ["Bass", "Rec"], ["metro", "Rec", "--timeout", "10"]] {
            try await patch(["connect"] + connection, at: daemon)
        }
        for level in [
            ["volume", "Bass", "Rec", "0.25"], ["pan", "Bass", "Rec", "R30"], ["mute", "Bass", "Rec", "on"],
            ["solo", "Echo", "Rec", "on"], ["bypass", "Echo", "on"],
        ] { try await patch(level, at: daemon) }
        let file = "\(folder)/routing.json"
        try await patch(["save", file], at: daemon)
        let saved = await description(of: watcher)
        XCTAssertEqual(saved.count, 4 + 3 + 1, "\(saved)")

        let environment = daemon.environment(client: installation)
        var keeper = try start("pipebus", ["run", file], at: environment)
        var figures: [String] = []
        for order in [
            ["Rec.in", "metro", "Echo.echo", "Bass.out", "Alto.out"],
            ["Alto.out", "Bass.out", "Echo.echo", "metro", "Rec.in"],
        ] {
            if keeperIsKilled { keeper.signal(SIGKILL) }
            try await killApps()
            try await daemon.kill()
            try daemon.startAgain()
            try await daemon.waitUntilItListens()
            if keeperIsKilled { keeper = try start("pipebus", ["run", file], at: environment) }
            for node in order {
                try startApp(node, at: daemon, installation)
                try await eventually("\(node) to be there") {
                    await watcher.graph.ports.contains { $0.nodeName == node }
                }
            }
            let last = ContinuousClock.now
            try await eventually("everything to be back", within: .seconds(20)) {
                await self.description(of: watcher) == saved
            }
            figures.append("\(Int((ContinuousClock.now - last) / .milliseconds(1))) ms")
        }
        print(
            "routing after the last app, PipeWire \(installation == .system ? "of the system" : "1.4"): \(figures.joined(separator: ", "))"
        )
        XCTAssertNil(keeper.ending, keeper.errors.text)
        keeper.signal(SIGTERM)
        let ending = try await keeper.waitForEnd()
        XCTAssertEqual(ending, .exited(0), keeper.errors.text)
        // It ends, and what it has made stays.
        let left = await description(of: watcher)
        XCTAssertEqual(left, saved)
    }

    func testEverythingIsBackAfterAllWasKilled() async throws {
        try await assertItComesBack(with: .system, keeperIsKilled: true)
    }

    func testEverythingIsBackAfterAllWasKilledWithANewerPipeWire() async throws {
        try await assertItComesBack(with: try .newer(), keeperIsKilled: true)
    }

    func testTheKeeperGoesOnOverTheDaemonsEnd() async throws {
        try await assertItComesBack(with: .system, keeperIsKilled: false)
    }

    func testTheKeeperGoesOnOverTheDaemonsEndWithANewerPipeWire() async throws {
        try await assertItComesBack(with: try .newer(), keeperIsKilled: false)
    }
}

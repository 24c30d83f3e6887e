// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Which process of an app gets its state, and how often; and what becomes of many apps at once.
final class StateLifeTests: RoutingStateTestCase {
    private func startRun(_ path: String, in session: DesktopSession) throws -> ChildProcess {
        try start("pipebus", ["run", path], at: session.environment)
    }

    private func restorations(_ run: ChildProcess) -> Int {
        run.output.lines.count { $0.hasPrefix("state=stateRestored") }
    }

    private func waitForRestoration(_ number: Int, by run: ChildProcess) async throws {
        try await eventually("restoration \(number)", within: .seconds(30)) { self.restorations(run) >= number }
    }

    /// Ends a routing that has restored a state so often, and no more.
    private func end(_ run: ChildProcess, restored count: Int) async throws {
        run.signal(SIGTERM)
        let ending = try await run.waitForEnd()
        XCTAssertEqual(ending, .exited(0), run.errors.text)
        XCTAssertEqual(restorations(run), count, run.output.text)
    }

    /// Starts a second process of the app, which has no name on the bus.
    private func addProcess(_ session: DesktopSession) async throws {
        let gio = try ChildProcess(
            "gio", ["launch", "\(folder)/packages/applications/\(Self.id).desktop"], environment: session.environment)
        try await gio.waitForEnd()
        try await eventually("a second process") { session.events(of: Self.id).contains("service false") }
    }

    /// Adds a connection of the second process's port to a routing.
    private func addConnection(to path: String) throws {
        let file = URL(fileURLWithPath: path)
        var routing = try XCTUnwrap(
            try JSONSerialization.jsonObject(with: try Data(contentsOf: file)) as? [String: Any])
        var connections = try XCTUnwrap(routing["connections"] as? [[String: Any]])
        connections.append(["from": ["app": Self.id, "node": "Voice Synth.out-2"], "to": connections[0]["to"]!])
        routing["connections"] = connections
        try JSONSerialization.data(withJSONObject: routing).write(to: file)
    }

    func testOncePerLife() async throws {
        let (session, bus, _) = try await scene()
        let save = try await pipebus(["save", "\(folder)/song.json", "--state"], in: session)
        XCTAssertEqual(save.ending, .exited(0), save.errors.text)
        let run = try startRun("\(folder)/song.json", in: session)
        try await waitForRestoration(1, by: run)
        try await session.endHosts(Self.id)
        try await PipeBusTesting.eventually("an empty graph") { await bus.graph.connections.isEmpty }
        let launch = try await pipebus(["launch", "Voice Synth"], in: session)
        XCTAssertEqual(launch.ending, .exited(0), launch.errors.text)
        try await waitForRestoration(2, by: run)
        XCTAssertEqual(loads(in: session).count, 1)
        try await end(run, restored: 2)
    }

    /// A second process without a name has no state; that of the first one stays as the user has changed it.
    func testASecondProcessChangesNothing() async throws {
        let (session, bus, _) = try await scene()
        let path = try await routing(with: ["AAEC"], in: session)
        try addConnection(to: path)
        let run = try startRun(path, in: session)
        try await waitForRestoration(1, by: run)
        try await addProcess(session)
        try await eventually("its connection", within: .seconds(20)) {
            run.output.lines.contains("state=made source='Voice Synth.out-2' destination=Test.in")
        }
        // It is looked at by then.
        _ = try await pipebus(["list"], in: session)
        try await session.endHosts(Self.id)
        try await PipeBusTesting.eventually("an empty graph") { await bus.graph.connections.isEmpty }
        try await end(run, restored: 1)
        XCTAssertFalse(run.output.text.contains("stateFailed"), run.output.text)
    }

    /// The app lives on, and so does its state, when the daemon is restarted.
    func testARestartOfTheDaemonChangesNothing() async throws {
        let (session, _, daemon) = try await scene()
        let path = try await routing(with: ["AAEC"], in: session)
        let run = try startRun(path, in: session)
        try await waitForRestoration(1, by: run)
        func connections() -> Int {
            run.output.lines.count { $0.hasPrefix("state=made") || $0.hasPrefix("state=there") }
        }
        for _ in 1...2 {
            let before = connections()
            try await daemon.restart()
            try await eventually("the connection", within: .seconds(30)) { connections() > before }
        }
        // The state of another life comes after all that was to be done for this one.
        try await session.endHosts(Self.id)
        let launch = try await pipebus(["launch", "Voice Synth"], in: session)
        XCTAssertEqual(launch.ending, .exited(0), launch.errors.text)
        try await waitForRestoration(2, by: run)
        XCTAssertEqual(loads(in: session).count, 1)
        try await end(run, restored: 2)
    }

    /// Another daemon gives the app of another life the id that the last one had.
    func testAnotherLifeAtAnotherDaemon() async throws {
        let (session, bus, daemon) = try await scene()
        let path = try await routing(with: ["AAEC"], in: session)
        let run = try startRun(path, in: session)
        for life in 1...3 {
            try await waitForRestoration(life, by: run)
            try await daemon.kill()
            try await session.endHosts(Self.id)
            try daemon.startAgain()
            try await daemon.waitUntilItListens()
            try await PipeBusTesting.eventually("the receiver", within: .seconds(30)) {
                await bus.graph.ports.contains { $0.nodeName == "Test.in" }
            }
            let launch = try await pipebus(["launch", "Voice Synth"], in: session)
            XCTAssertEqual(launch.ending, .exited(0), launch.errors.text)
        }
        try await waitForRestoration(4, by: run)
        XCTAssertEqual(loads(in: session).count, 1)
        try await end(run, restored: 4)
    }

    /// Of two states of one app the first counts.
    func testTwoStatesOfOneApp() async throws {
        let (session, _, _) = try await scene()
        let path = try await routing(with: ["AAEC", "AA=="], in: session)
        let load = try await pipebus(["load", path], in: session)
        XCTAssertEqual(load.ending, .exited(0), load.errors.text)
        XCTAssertEqual(loads(in: session), ["load t 1 3 true with"])
        let run = try startRun(path, in: session)
        try await waitForRestoration(1, by: run)
        try await end(run, restored: 1)
        XCTAssertEqual(Set(loads(in: session)), ["load t 1 3 true with"])
    }

    /// Installs apps, and connects them.
    ///
    /// - Parameter mode: by the number of the app.
    private func manyApps(_ count: Int, size: Int, mode: (Int) -> String) async throws -> (
        DesktopSession, BusClient, [String]
    ) {
        let daemon = try await startDaemon()
        let ids = (0..<count).map { "org.example.app\($0)" }
        let session = try await session(at: daemon, ids)
        let bus = try await connectClient(to: daemon.remote)
        _ = try await bus.receiver("in", lanes: 16, state: ()) { _, _, _ in }
        for (number, id) in ids.enumerated() {
            try session.install(id, name: "App \(number)", mode: mode(number), ports: ["out"])
            try session.setStateSize(size, of: id)
            let connect = try await pipebus(["connect", "App \(number)", "Test"], in: session)
            XCTAssertEqual(connect.ending, .exited(0), connect.errors.text)
        }
        for id in ids { try await eventually("the service") { session.events(of: id).contains("service true") } }
        return (session, bus, ids)
    }

    /// Six hang. One after the other they would take twelve seconds, for each of the two commands.
    func testTenAppsAtOnce() async throws {
        let (session, bus, ids) = try await manyApps(10, size: 1_000_000) { $0 < 6 ? "slow" : "well" }
        let start = ContinuousClock.now
        let save = try await pipebus(["save", "\(folder)/song.json", "--state"], in: session)
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(12))
        XCTAssertEqual(save.ending, .exited(0), save.errors.text)
        XCTAssertTrue(save.output.text.contains("connections=10"), save.output.text)
        XCTAssertTrue(save.output.text.contains("states=4"), save.output.text)
        XCTAssertEqual(save.errors.lines.count, 6, save.errors.text)
        for id in ids[..<6] {
            XCTAssertTrue(save.errors.text.contains("The state of \(id) is not saved"), save.errors.text)
        }
        // On an empty machine.
        for id in ids { try await session.endHosts(id) }
        try await PipeBusTesting.eventually("an empty graph") { await bus.graph.connections.isEmpty }
        let load = try await pipebus(["load", "\(folder)/song.json"], in: session)
        XCTAssertEqual(load.ending, .exited(0), load.errors.text)
        XCTAssertEqual(load.output.lines.count { $0.hasPrefix("state=stateRestored") }, 4, load.output.text)
        for id in ids[6...] {
            XCTAssertEqual(loads(of: id, in: session), ["load \(id).state 7 1000000 true song"])
        }
    }

    /// All states together have a limit; what is beyond it is left out and said.
    func testTooMuchTogether() async throws {
        let (session, _, _) = try await manyApps(4, size: 20_000_000) { _ in "well" }
        try session.setStateSize(10, of: "org.example.app3")
        let many = try await saveStates(session)
        XCTAssertEqual(many.ending, .exited(0), many.errors.text)
        XCTAssertTrue(many.output.text.contains("states=4"), many.output.text)
        try session.setStateSize(20_000_000, of: "org.example.app3")
        let save = try await saveStates(session)
        XCTAssertEqual(save.ending, .exited(0), save.errors.text)
        XCTAssertTrue(save.output.text.contains("connections=4"), save.output.text)
        XCTAssertEqual(save.errors.lines.count, 1, save.errors.text)
        XCTAssertTrue(
            save.errors.text.contains("The state of org.example.app3 is not saved: it has 20000000 bytes"),
            save.errors.text)
        // The small one of before has room still.
        XCTAssertTrue(save.errors.text.hasSuffix("has is kept."), save.errors.text)
        XCTAssertTrue(save.output.text.contains("states=4"), save.output.text)
        let other = try await pipebus(["save", "\(folder)/other.json", "--state"], in: session)
        XCTAssertTrue(other.output.text.contains("states=3"), other.output.text)
        XCTAssertFalse(other.errors.text.contains("is kept"), other.errors.text)
    }

    private func saveStates(_ session: DesktopSession) async throws -> ChildProcess {
        try await pipebus(["save", "\(folder)/song.json", "--state"], in: session)
    }
}

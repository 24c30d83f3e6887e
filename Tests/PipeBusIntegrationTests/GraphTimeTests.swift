// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The app's time on running graphs: over restarts of the daemon, changes of the driver, and standstills. It is one time for
/// two ports and the block before each cycle.
final class GraphTimeTests: DaemonTestCase {
    func testExactlyOnASteppedGraph() async throws {
        let graph = try await GraphStepper.start()
        let log = TimeLog()
        let app = try await BusClient.connectApp(to: graph.remote, noting: log)
        try await graph.step(480, cycles: 10)
        log.forget()
        let start = await graph.position
        // Each cycle's place after the first one, and the number of clocks so far.
        var expected: [(place: UInt64, clocks: Int)] = (0..<4).map { ($0 * 480, 1) }
        try await graph.step(480, cycles: 4)
        // The driver stands still for two seconds.
        await graph.moveClock(after: .seconds(2))
        try await graph.step(480, cycles: 2)
        expected += [(97_920, 2), (98_400, 2)]
        // It is restarted, and then it is restarted at once.
        await graph.moveClock(to: 0, after: .milliseconds(500))
        try await graph.step(64, cycles: 2)
        await graph.moveClock(to: 0, after: .zero)
        try await graph.step(64, cycles: 2)
        expected += [(122_880, 3), (122_944, 3), (123_008, 4), (123_072, 4)]
        // It goes too far.
        await graph.moveClock(to: 1 << 32, after: .seconds(1))
        try await graph.step(64)
        expected.append((171_136, 5))
        // Frames are missed, not more.
        await graph.moveClock(to: 1 << 32 + 4864, after: .milliseconds(100))
        try await graph.step(64)
        expected.append((176_000, 5))
        log.assertOneTime()
        let cycles = log.cycles
        XCTAssertEqual(cycles.map { $0.position - start }, expected.map(\.place))
        XCTAssertEqual(log.changes.count, 4)
        for (cycle, other) in zip(zip(cycles, expected), zip(cycles, expected).dropFirst()) {
            XCTAssertEqual(cycle.0.clock != other.0.clock, cycle.1.clocks != other.1.clocks)
        }
        XCTAssertEqual(cycles.map(\.missedFrames).reduce(0, +), 4800)
        XCTAssertEqual(log.count(of: "out"), cycles.count)
        XCTAssertEqual(log.count(of: "in"), cycles.count)
        await app.close()
        try await graph.close()
    }

    /// Each clock goes on after the last one by the time that passed. A daemon that is back within a cycle begins at the end of the
    /// last cycle, and the next one makes that up.
    private func assertContinued(_ log: TimeLog, line: UInt = #line) {
        var lead = 0.0
        for (before, after) in log.changes {
            lead += TimeLog.error(from: before, to: after)
            if after.position == before.position + UInt64(before.frameCount) {
                XCTAssertGreaterThan(lead, -2, line: line)
                XCTAssertLessThan(lead, Double(before.frameCount), line: line)
            } else {
                XCTAssertEqual(lead, 0, accuracy: 2, line: line)
                lead = 0
            }
        }
    }

    func testTheTimeGoesOnWithAnotherDaemon() async throws { try await restart(.chosen) }

    func testTheTimeGoesOnWithAnotherDaemonOf14() async throws { try await restart(.newer()) }

    private func restart(_ installation: PipeWireInstallation) async throws {
        let socket = try DaemonSocket()
        var daemon = try await startDaemon(installation: installation)
        try socket.lead(to: daemon)
        let log = TimeLog()
        let app = try await BusClient.connectApp(to: socket.path, noting: log)
        try await run(log)
        for _ in 0..<3 {
            let (clocks, count) = (log.changes.count, log.cycles.count)
            await app.endSession()
            daemon.signal(SIGKILL)
            daemon = try await startDaemon(installation: installation)
            try socket.lead(to: daemon)
            try await app.restartSession()
            try await run(log)
            log.assertOneTime()
            XCTAssertGreaterThan(log.changes.count, clocks, "\(count) cycles before")
            assertContinued(log)
        }
        await app.close()
    }

    func testTheTimeGoesOnThroughAStandstillOfTheDaemon() async throws {
        try await standstill(.init())
        try await standstill(.init(hasNullSink: true))
    }

    func testTheTimeGoesOnThroughAStandstillOfADaemonOf14() async throws {
        let newer = try PipeWireInstallation.newer()
        try await standstill(.init(), newer)
        try await standstill(.init(hasNullSink: true), newer)
    }

    private func standstill(
        _ configuration: HeadlessPipeWire.Configuration, _ installation: PipeWireInstallation = .chosen
    ) async throws {
        let daemon = try await startDaemon(configuration, installation: installation)
        let log = TimeLog()
        let app = try await BusClient.connectApp(to: daemon.remote, noting: log)
        if configuration.hasNullSink { try await app.connect("App.out", to: "null-sink") }
        try await run(log)
        let begin = ContinuousClock.now
        daemon.signal(SIGSTOP)
        try await eventuallyStopped(daemon.pid)
        try await eventually("two seconds") { ContinuousClock.now - begin > .seconds(2) }
        daemon.signal(SIGCONT)
        try await run(log)
        // Some drivers make up for the cycles, in no time, others leave them out.
        try await eventually("the app's time to be the true one") { abs(log.lead) < 0.1 }
        log.assertOneTime()
        await app.close()
    }

    func testTheTimeGoesOnWithOtherDrivers() async throws { try await changeDrivers(.chosen) }

    func testTheTimeGoesOnWithOtherDriversOf14() async throws { try await changeDrivers(.newer()) }

    private func changeDrivers(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(
            .init(quantum: 256, hasNullSink: true, hasNullSource: true), installation: installation)
        let log = TimeLog()
        let app = try await BusClient.connectApp(to: daemon.remote, noting: log)
        try await run(log)
        for _ in 0..<6 {
            try await app.connect("null-source", to: "App.in")
            try await run(log)
            try await app.connect("App.out", to: "null-sink")
            try await run(log)
            try await app.disconnect("null-source", from: "App.in")
            try await run(log)
            try await app.disconnect("App.out", from: "null-sink")
            try await run(log)
        }
        log.assertOneTime()
        let cycles = log.cycles
        XCTAssertGreaterThan(log.changes.count, 6)
        // A change may come between two nodes of one cycle, which then are on two clocks.
        XCTAssertEqual(TimeLog.error(from: cycles[0], to: cycles[cycles.count - 1]), 0, accuracy: 4 * 256)
        try await eventually("the app's time to be the true one") { abs(log.lead) < 0.1 }
        await app.close()
    }

    private func run(_ log: TimeLog, cycles: Int = 20) async throws {
        let counts = ["out", "in", nil].map { ($0, log.count(of: $0)) }
        try await eventually("cycles to run", within: .seconds(20)) {
            counts.allSatisfy { log.count(of: $0) > $1 + cycles }
        }
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Ports without a connection: they cost no cycles, unless they were added with `keepsRunning`.
final class KeepsRunningTests: DaemonTestCase {
    func testAnIdlePortGetsNoCycles() async throws { try await checkIdle(.chosen) }
    func testAnIdlePortGetsNoCyclesOn14() async throws { try await checkIdle(try .newer()) }
    func testAPortKeepsRunning() async throws { try await checkKept(.chosen) }
    func testAPortKeepsRunningOn14() async throws { try await checkKept(try .newer()) }
    func testConnectionsMakeNoGap() async throws { try await checkConnections(.chosen) }
    func testConnectionsMakeNoGapOn14() async throws { try await checkConnections(try .newer()) }
    func testItRunsOnADaemonThatIsIdleOtherwise() async throws { try await checkDaemon(.chosen) }
    func testItRunsOnADaemonThatIsIdleOtherwiseOn14() async throws { try await checkDaemon(try .newer()) }

    /// Neither a cycle of a node nor a call of a block. When one port is linked, the others' nodes may run (0.3.65), and
    /// their blocks are not called.
    private func checkIdle(_ installation: PipeWireInstallation) async throws {
        let stage = try await Stage.start(installation: installation)
        let app = stage.taker
        let (log, cycles) = (TickLog(), CycleLog())
        try await app.beforeCycle(cycles)
        let ports = try await TickingPorts.add(to: app, keepsRunning: false, noting: log)
        try await stage.step(256, cycles: 20)
        XCTAssertEqual(cycles.runs, 0)
        let linked = try await app.receiver("linked", state: ()) { _, _, _ in }
        let source = try await stage.sender("source") { _, _ in 0.5 }
        try await app.connect(source, to: linked)
        try await stage.step(256, cycles: 20)
        XCTAssertGreaterThanOrEqual(cycles.runs, 20)
        for port in ports.all {
            let count = try await port.statistics.cycles
            XCTAssertEqual(count, 0, port.name)
            XCTAssertEqual(log[port].calls, 0, port.name)
        }
        try await stage.close()
    }

    /// A block of each kind is called once in each cycle, without gaps, and in the next session too.
    private func checkKept(_ installation: PipeWireInstallation) async throws {
        let stage = try await Stage.start(installation: installation)
        let log = TickLog()
        let ports = try await TickingPorts.add(to: stage.taker, keepsRunning: true, noting: log)
        try await stage.step(256, cycles: 10)
        let before = ports.all.map { log[$0].calls }
        try await stage.graph.step([(256, 20), (64, 20)])
        for (port, before) in zip(ports.all, before) {
            XCTAssertEqual(log[port].calls, before + 40, port.name)
            XCTAssertEqual(log[port].connected, 0, port.name)
            XCTAssertEqual(log[port].loud, 0, port.name)
            XCTAssertEqual(log[port].discontinuous, 1, "\(port.name): only the first cycle")
            let statistics = try await port.statistics
            XCTAssertEqual(statistics.cycles, UInt64(before + 40), port.name)
            XCTAssertEqual(statistics.missedFrames, 0, port.name)
        }
        try await stage.taker.restartSession()
        try await stage.step(256, cycles: 10)
        for (port, before) in zip(ports.all, before) {
            XCTAssertGreaterThan(log[port].calls, before + 45, port.name)
            XCTAssertEqual(log[port].discontinuous, 2, port.name)
        }
        try await stage.close()
    }

    private func checkConnections(_ installation: PipeWireInstallation) async throws {
        let stage = try await Stage.start(installation: installation)
        let (app, log) = (stage.taker, TickLog())
        let ports = try await TickingPorts.add(to: app, keepsRunning: true, noting: log)
        try await stage.step(256, cycles: 10)
        let before = ports.all.map { log[$0] }
        for _ in 0..<10 {
            try await app.connect(ports.sender, to: ports.filter)
            try await app.connect(ports.filter, to: ports.receiver)
            try await stage.step(256, cycles: 5)
            try await app.disconnect(ports.sender, from: ports.filter)
            try await stage.step(64, cycles: 5)
            try await stage.stepping(64) { try await app.disconnect(ports.filter, from: ports.receiver) }
            try await stage.step(64, cycles: 5)
        }
        for (port, before) in zip(ports.all, before) {
            XCTAssertGreaterThanOrEqual(log[port].calls, before.calls + 150, port.name)
            XCTAssertEqual(log[port].discontinuous, before.discontinuous, port.name)
            let missed = try await port.statistics.missedFrames
            XCTAssertEqual(missed, 0, port.name)
        }
        for port in [ports.sender, ports.filter, ports.receiver] {
            XCTAssertGreaterThanOrEqual(log[port].connected, 50, port.name)
            XCTAssertLessThanOrEqual(log[port].connected, log[port].calls - 50, port.name)
        }
        XCTAssertGreaterThan(log[ports.receiver].loud, 0)
        XCTAssertEqual(log[ports.separate].connected, 0)
        try await stage.close()
    }

    private func checkDaemon(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let app = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        let log = TickLog()
        let idle = try await app.sender("idle", state: ()) { _, _, _ in }
        let ports = try await TickingPorts.add(to: app, keepsRunning: true, noting: log)
        try await eventually("cycles of every port") { ports.all.allSatisfy { log[$0].calls >= 10 } }
        let cycles = try await idle.statistics.cycles
        XCTAssertEqual(cycles, 0)
        await app.close()
    }
}

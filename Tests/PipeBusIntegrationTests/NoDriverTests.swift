// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The state of a client whose graph nothing drives.
final class NoDriverTests: DaemonTestCase {
    func testADriverThatStopsAndGoesOn() async throws { try await checkStepper(.chosen) }
    func testADriverThatStopsAndGoesOnWith14() async throws { try await checkStepper(try .newer()) }
    func testADaemonWithoutADriver() async throws { try await checkDaemon(.chosen) }
    func testADaemonWithoutADriverOf14() async throws { try await checkDaemon(try .newer()) }
    func testAnIdleGraph() async throws { try await checkIdle(.chosen) }
    func testAnIdleGraphOf14() async throws { try await checkIdle(try .newer()) }

    func testADaemonThatIsStopped() async throws { try await checkStopped(.chosen) }
    func testADaemonThatIsStoppedOf14() async throws { try await checkStopped(try .newer()) }

    /// The reason is the daemon, and no sound device.
    private func checkStopped(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: daemon.remote, allowsConnectionsToSelf: true)
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        let states = StateLog(bus)
        try await bus.connect(sender, to: receiver)
        try await eventually("cycles") { try await receiver.statistics.cycles > 10 }
        daemon.signal(SIGSTOP)
        try await eventually("the reason", within: .seconds(20)) { bus.state.reason?.kind == .notResponding }
        daemon.signal(SIGCONT)
        try await eventually("the end of it", within: .seconds(20)) { bus.state == .running }
        // It may answer again just after it was asked.
        for milliseconds in [2300, 2600, 2900, 3200] {
            let cycles = try await receiver.statistics.cycles
            daemon.signal(SIGSTOP)
            let start = ContinuousClock.now
            try await eventually("the time to pass") { start.duration(to: .now) > .milliseconds(milliseconds) }
            daemon.signal(SIGCONT)
            try await eventually("cycles again") { try await receiver.statistics.cycles > cycles + 20 }
            try await eventually("the state", within: .seconds(20)) { bus.state == .running }
        }
        XCTAssertFalse(states.kinds.contains("noDriver"), "\(states.kinds)")
        await bus.close()
    }

    private func isWithoutDriver(_ bus: BusClient) -> Bool { bus.state.reason?.kind == .noDriver }

    private func checkStepper(_ installation: PipeWireInstallation) async throws {
        let stage = try await Stage.start(installation: installation)
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let sender = try await stage.sender("out") { _, _ in 0.5 }
        let states = Task { [taker = stage.taker] in
            var kinds: [String] = []
            for await state in taker.stateUpdates { kinds.append(state.reason?.kind.rawValue ?? "running") }
            return kinds
        }
        try await stage.taker.connect(sender, to: receiver)
        let start = ContinuousClock.now
        for _ in 0..<2 {
            try await eventually("the standstill", within: .seconds(20)) { isWithoutDriver(stage.taker) }
            XCTAssertTrue(stage.taker.state.reason?.message.contains("Taker in should run") ?? false)
            // Calls work.
            let other = try await stage.taker.receiver("other", channels: .mono, state: ()) { _, _, _ in }
            try await stage.taker.connect(sender, to: other)
            let sources = try await other.sources.count
            XCTAssertEqual(sources, 1)
            await other.close()
            try await eventually("cycles", within: .seconds(20)) {
                try await stage.step(64)
                return stage.taker.state == .running
            }
        }
        XCTAssertGreaterThan(start.duration(to: .now), .seconds(4))
        try await eventually("the standstill", within: .seconds(20)) { isWithoutDriver(stage.taker) }
        try await stage.stepping(64) { try await stage.taker.disconnect(sender, from: receiver) }
        try await eventually("the end of the connection", within: .seconds(20)) { stage.taker.state == .running }
        try await stage.close()
        let kinds = await states.value
        XCTAssertEqual(
            kinds,
            ["running", "noDriver", "running", "noDriver", "running", "noDriver", "running", "closedByApp"])
    }

    private func checkDaemon(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(driver: .none), installation: installation)
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: daemon.remote, allowsConnectionsToSelf: true)
        let ticking = try await bus.sender("ticking", keepsRunning: true, state: ()) { _, _, _ in }
        try await eventually("the standstill", within: .seconds(20)) { isWithoutDriver(bus) }
        let count = try await ticking.statistics.cycles
        XCTAssertEqual(count, 0)
        await ticking.close()
        try await eventually("nothing that should run", within: .seconds(20)) { bus.state == .running }
        // A connection that never becomes active.
        _ = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        let sink = try await BusClient.connect(
            as: "org.pipebus.sink", name: "Sink", remote: daemon.remote, allowsConnectionsToSelf: true)
        let input = try await sink.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let connecting = Task { try await sink.connect("Test/out", to: input, timeout: .seconds(60)) }
        try await eventually("the standstill", within: .seconds(20)) { isWithoutDriver(bus) && isWithoutDriver(sink) }
        await sink.close()
        _ = await connecting.result
        try await eventually("nothing connected", within: .seconds(20)) { bus.state == .running }
        await bus.close()
    }

    /// Ports without a connection.
    private func checkIdle(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: daemon.remote, allowsConnectionsToSelf: true)
        let sender = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        _ = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let start = ContinuousClock.now
        try await eventually("some time to pass", within: .seconds(20)) {
            XCTAssertEqual(bus.state, .running)
            return start.duration(to: .now) > .seconds(4)
        }
        let count = try await sender.statistics.cycles
        XCTAssertEqual(count, 0)
        await bus.close()
    }
}

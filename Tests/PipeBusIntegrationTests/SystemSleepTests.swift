// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import Synchronization
import XCTest

/// The state of a client when the system sleeps: by logind's signals on a private bus, and by the system's clocks.
final class SystemSleepTests: DaemonTestCase {
    /// Clocks that a test can set apart.
    private final class Clocks: Sendable {
        private let asleep = Mutex(Duration.zero)

        func sleep(for duration: Duration) { asleep.withLock { $0 += duration } }

        var now: SystemClocks? {
            guard var clocks = SystemClocks.now else { return nil }
            clocks.bootTime += asleep.withLock { $0 }
            return clocks
        }
    }

    private let clocks = Clocks()

    private func client(_ name: String, on daemon: HeadlessPipeWire, bus: String?) async throws -> BusClient {
        var signs = SleepSigns()
        signs.busAddress = bus
        signs.clocks = { [clocks] in clocks.now }
        return try await BusClient.connect(
            as: "org.pipebus.\(name)", name: name, remote: daemon.remote, allowsConnectionsToSelf: true, recorder: nil,
            sleepSigns: signs)
    }

    /// Sends a signal until the client, which connects to the bus by itself, has heard it.
    private func putToSleep(_ host: LoginHost, _ client: BusClient) async throws {
        try await eventually("the signal to be heard") {
            try await host.send("true")
            return client.state.reason?.kind == .suspended
        }
    }

    private func wakeUp(_ host: LoginHost, _ client: BusClient) async throws {
        try await host.send("false")
        try await eventually("the client to run") { client.state == .running }
    }

    func testTheBusTellsOfASleep() async throws {
        let bus = try await PrivateSystemBus.start()
        let host = try await LoginHost.start(on: bus, isLogind: true)
        let daemon = try await startDaemon()
        let client = try await client("Sleeper", on: daemon, bus: bus.address)
        let log = StateLog(client)
        for _ in 0..<3 {
            try await putToSleep(host, client)
            // Calls work.
            let port = try await client.sender("out", state: ()) { _, _, _ in }
            await port.close()
            try await wakeUp(host, client)
        }
        try await eventually("the states") { log.all.count == 7 }
        XCTAssertEqual(log.kinds, ["running"] + Array(repeating: ["suspended", "running"], count: 3).joined())
        XCTAssertTrue(log.messages[0].contains("goes to sleep"), log.messages[0])
        await client.close()
        try await host.close()
        try await bus.close()
    }

    func testASleepIsToldOnceByWhicheverSignComesFirst() async throws {
        let bus = try await PrivateSystemBus.start()
        let host = try await LoginHost.start(on: bus, isLogind: true)
        let daemon = try await startDaemon()
        let client = try await client("Sleeper", on: daemon, bus: bus.address)
        let log = StateLog(client)
        _ = try await client.sender("out", keepsRunning: true, state: ()) { _, _, _ in }
        // The poll sees the clocks' jump while the bus says that the system sleeps.
        try await putToSleep(host, client)
        clocks.sleep(for: .seconds(3600))
        try await eventually("the client to run", within: .seconds(5)) { client.state == .running }
        try await host.send("false")
        // It sees it before the bus says anything: both signals are late.
        clocks.sleep(for: .seconds(7500))
        try await eventually("the states", within: .seconds(5)) { log.all.count == 5 }
        try await host.send("true")
        try await host.send("false")
        // Both signals have been read when a later state has come.
        await client.close()
        XCTAssertEqual(log.kinds.prefix(5), ["running", "suspended", "running", "suspended", "running"])
        XCTAssertTrue(log.messages[1].contains("slept for 2 h 5 min"), log.messages[1])
        try await eventually("the end") { log.kinds.last == "closedByApp" }
        XCTAssertEqual(log.all.count, 6)
        try await host.close()
        try await bus.close()
    }

    func testTheNextCycleIsDiscontinuous() async throws {
        let bus = try await PrivateSystemBus.start()
        let host = try await LoginHost.start(on: bus, isLogind: true)
        let graph = try await GraphStepper.start()
        var signs = SleepSigns()
        signs.busAddress = bus.address
        let client = try await BusClient.connect(
            as: "org.pipebus.sleeper", name: "Sleeper", remote: graph.remote, allowsConnectionsToSelf: true,
            recorder: nil, sleepSigns: signs)
        let marks = Mutex<[String: [Bool]]>([:])
        let log = { @Sendable (name: String, cycle: AudioCycle) in
            marks.withLock { $0[name, default: []].append(cycle.isDiscontinuous || cycle.missedFrames > 0) }
        }
        try await client.beforeCycle(state: ()) { _, cycle in log("before", cycle) }
        _ = try await client.sender("out", channels: .mono, keepsRunning: true, state: ()) { _, cycle, _ in
            log("out", cycle)
        }
        _ = try await client.receiver("in", channels: .mono, keepsRunning: true, state: ()) { _, cycle, _ in
            log("in", cycle)
        }
        try await graph.step(64, cycles: 4)
        marks.withLock { $0 = [:] }
        try await graph.step(64, cycles: 2)
        try await putToSleep(host, client)
        try await graph.step(64, cycles: 2)
        try await wakeUp(host, client)
        try await graph.step(64, cycles: 3)
        let expected = [false, false, false, false, true, false, false]
        XCTAssertEqual(marks.withLock { $0 }, ["before": expected, "out": expected, "in": expected])
        await client.close()
        try await graph.close()
        try await host.close()
        try await bus.close()
    }

    func testSignalsOfOthersAreIgnored() async throws {
        let bus = try await PrivateSystemBus.start()
        let logind = try await LoginHost.start(on: bus, isLogind: true)
        let stranger = try await LoginHost.start(on: bus, isLogind: false)
        let daemon = try await startDaemon()
        let client = try await client("Sleeper", on: daemon, bus: bus.address)
        let log = StateLog(client)
        try await putToSleep(logind, client)
        try await wakeUp(logind, client)
        // To everybody, and to each connection that there may be.
        try await stranger.send("true")
        for number in 0..<10 { try await stranger.send("to :1.\(number) true") }
        for signal in ["text", "empty", "other"] { try await stranger.send(signal) }
        // The right sender, but not the right signal.
        for signal in ["text", "empty", "other"] { try await logind.send(signal) }
        for number in 0..<10 { try await logind.send("to :1.\(number) true") }
        try await putToSleep(logind, client)
        for number in 0..<10 { try await stranger.send("to :1.\(number) false") }
        try await stranger.send("false")
        // The bus keeps the order of one sender's signals only, so this is seen for a while.
        let start = ContinuousClock.now
        try await eventually("a while") {
            XCTAssertEqual(client.state.reason?.kind, .suspended)
            return start.duration(to: .now) > .milliseconds(500)
        }
        try await wakeUp(logind, client)
        // The log may be a moment behind.
        try await eventually("the states") { log.all.count >= 5 }
        XCTAssertEqual(log.kinds, ["running", "suspended", "running", "suspended", "running"])
        await client.close()
        try await logind.close()
        try await stranger.close()
        try await bus.close()
    }

    func testABusThatGoesAway() async throws {
        let bus = try await PrivateSystemBus.start()
        let host = try await LoginHost.start(on: bus, isLogind: true)
        let daemon = try await startDaemon()
        let client = try await client("Sleeper", on: daemon, bus: bus.address)
        try await putToSleep(host, client)
        try await bus.close()
        try await eventually("the client to run") { client.state == .running }
        try await assertIdle()
        clocks.sleep(for: .seconds(2))
        let log = StateLog(client)
        _ = try await client.sender("out", keepsRunning: true, state: ()) { _, _, _ in }
        try await eventually("the sleep that the clocks show", within: .seconds(5)) { log.all.count == 3 }
        XCTAssertEqual(log.kinds, ["running", "suspended", "running"])
        await client.close()
    }

    func testABusThatIsAbsentOrDoesNotAnswer() async throws {
        let bus = try await PrivateSystemBus.start()
        bus.signal(SIGSTOP)
        let daemon = try await startDaemon()
        for address in [nil, "unix:path=/nonexistent/bus", "unix:path=/dev/null", "nonsense", bus.address] {
            let client = try await client("Sleeper", on: daemon, bus: address)
            let port = try await client.sender("out", keepsRunning: true, state: ()) { _, _, _ in }
            try await eventually("cycles") { try await port.statistics.cycles > 10 }
            XCTAssertEqual(client.state, .running)
            await port.close()
            try await assertIdle()
            await client.close()
        }
        try await bus.close()
    }

    func testOneClientIsConnectedForAll() async throws {
        let bus = try await PrivateSystemBus.start()
        let host = try await LoginHost.start(on: bus, isLogind: true)
        let daemon = try await startDaemon()
        var clients: [BusClient] = []
        for number in 0..<4 { clients.append(try await client("Sleeper\(number)", on: daemon, bus: bus.address)) }
        for client in clients { try await putToSleep(host, client) }
        for client in clients { try await wakeUp(host, client) }
        let count = try await connections(to: bus)
        XCTAssertEqual(count, 1)
        while let first = clients.first {
            for client in clients { try await putToSleep(host, client) }
            for client in clients { try await wakeUp(host, client) }
            await first.close()
            clients.removeFirst()
            let expected = clients.isEmpty ? 0 : 1
            try await eventually("another client to be connected") { try await self.connections(to: bus) == expected }
        }
        try await host.close()
        try await bus.close()
    }

    /// The number of connections to a bus, without those of programs of the test.
    private func connections(to bus: PrivateSystemBus) async throws -> Int {
        let tool = try ChildProcess(
            "dbus-send",
            [
                "--bus=\(bus.address)", "--print-reply=literal", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
                "org.freedesktop.DBus.ListNames",
            ])
        let names = try await tool.nextLine { $0.contains(":1.") }
        try await tool.waitForEnd()
        // The host and the tool itself.
        return names.split(separator: " ").count { $0.hasPrefix(":1.") } - 2
    }

    /// The client's thread and all others use next to no processor time.
    private func assertIdle(file: StaticString = #filePath, line: UInt = #line) async throws {
        func used() -> Double {
            var usage = rusage()
            unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        }
        let (start, before) = (ContinuousClock.now, used())
        try await eventually("half a second") { start.duration(to: .now) > .milliseconds(500) }
        XCTAssertLessThan(used() - before, 0.25, file: file, line: line)
    }
}

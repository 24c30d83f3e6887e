// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The graph's clock is known before anything runs, and it is that of the cycles from then on.
final class ClockStateTests: DaemonTestCase {
    private func set(_ key: String, _ value: Int, on daemon: HeadlessPipeWire) async throws {
        try await daemon.perform("pw-metadata", "-n", "settings", "0", key, "\(value)")
    }

    private func expect(
        _ rate: Int, _ quantum: Int, _ driver: String? = nil, of bus: BusClient, line: UInt = #line
    ) async throws {
        try await eventually("line \(line): \(rate) Hz, \(quantum) frames, \(driver ?? "no driver")") {
            bus.clock.map { $0.sampleRate == rate && $0.quantum == quantum && $0.driver == driver } ?? false
        }
    }

    func testBeforeAndWhileItRuns() async throws { try await run(.chosen) }
    func testBeforeAndWhileItRunsOn14() async throws { try await run(.newer()) }

    private func run(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(quantum: 512, hasNullSink: true), installation: installation)
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        // At once: nothing has to be waited for.
        let first = try XCTUnwrap(bus.clock)
        XCTAssertEqual(first.sampleRate, 48_000)
        XCTAssertEqual(first.quantum, 512)
        XCTAssertNil(first.driver)
        XCTAssertFalse(first.isRunning)
        XCTAssertEqual(first.cycleDuration, .seconds(512) / 48_000)
        let log = ClockLog(bus)

        // What is announced is what the cycles have.
        try await set("clock.quantum", 256, on: daemon)
        try await expect(48_000, 256, of: bus)
        try await set("clock.force-rate", 44_100, on: daemon)
        try await expect(44_100, 128, of: bus)
        try await set("clock.force-quantum", 1024, on: daemon)
        try await expect(44_100, 1024, of: bus)

        let output = try await bus.sender("out", state: ()) { _, _, _ in }
        try await expect(44_100, 1024, of: bus)
        try await bus.connect(output, to: "null-sink")
        try await expect(44_100, 1024, "null-sink", of: bus)
        XCTAssertTrue(bus.clock?.isRunning == true)

        // While it runs.
        try await set("clock.force-quantum", 2048, on: daemon)
        try await expect(44_100, 2048, "null-sink", of: bus)
        try await set("clock.force-rate", 96_000, on: daemon)
        try await expect(96_000, 2048, "null-sink", of: bus)
        try await bus.disconnect(output, from: "null-sink")
        try await expect(96_000, 2048, of: bus)
        try await set("clock.force-rate", 0, on: daemon)
        try await set("clock.force-quantum", 0, on: daemon)
        try await expect(48_000, 256, of: bus)

        let clocks = log.all.compactMap { $0 }
        XCTAssertEqual(clocks.first?.quantum, 512)
        XCTAssertEqual(clocks.last, bus.clock)
        XCTAssertEqual(log.all.count, clocks.count, "never unknown")
        XCTAssertEqual(zip(clocks, clocks.dropFirst()).count { $0 == $1 }, 0, "each change once")
        await bus.close()
        XCTAssertNil(bus.clock)
        try await eventually("the sequence to end") { log.hasEnded }
        // A late reader gets the present one, and the end.
        var late: [ClockState?] = []
        for await clock in bus.clockUpdates { late.append(clock) }
        XCTAssertEqual(late, [nil])
    }

    /// A forced length is that of 0.3.65 only as a power of two.
    func testAForcedLengthIsThatOfTheCycles() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(hasNullSink: true), installation: installation)
            let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
            try await set("clock.force-quantum", 300, on: daemon)
            try await eventually("the announcement") { bus.clock?.quantum != 1024 }
            let announced = try XCTUnwrap(bus.clock?.quantum)
            let output = try await bus.sender("out", state: ()) { _, _, _ in }
            try await bus.connect(output, to: "null-sink")
            try await expect(48_000, announced, "null-sink", of: bus)
            await bus.close()
        }
    }

    /// Any program may write any settings. Nobody makes sound of them before a cycle has them.
    func testSettingsOfNoUse() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        for (number, rate) in [1, 10_000_000].enumerated() {
            try await set("clock.force-rate", rate, on: daemon)
            try await eventually("\(rate) Hz") { bus.clock?.sampleRate == rate }
            XCTAssertGreaterThan(try XCTUnwrap(bus.clock).cycleDuration, .zero)
            let output = try await bus.sender("out-\(number)")
            let writer = try await output.makeWriter(format: StreamFormat(.float32, sampleRate: 44_100))
            let room = writer.writableFrames
            XCTAssertEqual(room, 0, "as long as the rate is not known")
        }
        await bus.close()
    }

    func testOverARestart() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(hasNullSink: true), installation: installation)
            let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
            try await set("clock.force-rate", 44_100, on: daemon)
            try await expect(44_100, 512, of: bus)
            let output = try await bus.sender("out", state: ()) { _, _, _ in }
            try await bus.connect(output, to: "null-sink")
            try await expect(44_100, 512, "null-sink", of: bus)
            try await daemon.kill()
            try await eventually("no clock without a daemon") { bus.clock == nil }
            try daemon.startAgain()
            // The connection is back, and forced values are those of one daemon.
            try await expect(48_000, 1024, "null-sink", of: bus)
            await bus.close()
        }
    }

    func testWithoutADaemon() async throws {
        let daemon = try await startDaemon(.init(quantum: 64, sampleRate: 96_000))
        try await daemon.kill()
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: daemon.remote, waitsForDaemon: true)
        XCTAssertNil(bus.clock)
        try daemon.startAgain()
        try await expect(96_000, 64, of: bus)
        await bus.close()
    }

    /// Without metadata nothing is announced, and the cycles tell.
    func testADaemonThatSaysNothing() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(
                .init(hasNullSink: true, hasMetadata: false), installation: installation)
            let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
            XCTAssertNil(bus.clock)
            let output = try await bus.sender("out", state: ()) { _, _, _ in }
            try await bus.connect(output, to: "null-sink")
            try await expect(48_000, 1024, "null-sink", of: bus)
            try await bus.disconnect(output, from: "null-sink")
            try await eventually("no clock") { bus.clock == nil }
            await bus.close()
        }
    }

    /// Another program's object of that name says nothing.
    func testAnObjectThatIsNotTheDaemons() async throws {
        let daemon = try await startDaemon()
        let other = try await MetadataClient.connect(to: daemon)
        try await other.export("settings") { _ in .refuse }
        try await other.set("clock.rate", to: "8000")
        try await other.set("clock.force-quantum", to: "16")
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        XCTAssertEqual(bus.clock?.sampleRate, 48_000)
        XCTAssertEqual(bus.clock?.quantum, 1024)
        await bus.close()
        await other.close()
    }

    func testAnotherDriver() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(hasNullSink: true), installation: installation)
            let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
            let output = try await bus.sender("out", keepsRunning: true, state: ()) { _, _, _ in }
            try await expect(48_000, 1024, "null-sink", of: bus)
            try await daemon.destroyNode(named: "null-sink")
            try await expect(48_000, 1024, "Dummy-Driver", of: bus)
            await output.close()
            try await expect(48_000, 1024, of: bus)
            await bus.close()
        }
    }
}

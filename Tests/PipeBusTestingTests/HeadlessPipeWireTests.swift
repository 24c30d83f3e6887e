// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

final class HeadlessPipeWireTests: DaemonTestCase {
    func testAClientConnectsByTheSocketsPath() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        _ = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        let ports = await bus.graph.ports
        XCTAssertEqual(ports.map(\.nodeName), ["Test.out"])
        await bus.close()
    }

    func testWithoutTheSocketsPathThereIsNoDaemon() async throws {
        let daemon = try await startDaemon()
        await assertThrows("a client without the path") {
            try await BusClient.connect(as: "org.pipebus.test", name: "Test")
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .noDaemon, "\(error)")
        }
        XCTAssertTrue(daemon.isRunning)
    }

    func testDaemonsDoNotSeeEachOther() async throws {
        let one = try await startDaemon()
        let two = try await startDaemon()
        XCTAssertNotEqual(one.remote, two.remote)
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: one.remote)
        _ = try await bus.sender("out", state: ()) { _, _, _ in }
        let other = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: two.remote)
        let seen = await other.graph.ports
        XCTAssertEqual(seen, [])
        await bus.close()
        await other.close()
    }

    func testItsDirectoryIsPrivateAndItsSocketFitsAnAddress() async throws {
        let daemon = try await startDaemon()
        var status = stat()
        XCTAssertEqual(unsafe stat(daemon.directory, &status), 0)
        XCTAssertEqual(status.st_mode & 0o777, 0o700)
        XCTAssertLessThan("\(daemon.remote)-manager.lock".utf8.count, 108)
    }

    func testALongTemporaryDirectoryIsNotUsed() async throws {
        let before = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
        unsafe setenv("TMPDIR", "/tmp/" + String(repeating: "long", count: 30), 1)
        defer {
            if let before { unsafe setenv("TMPDIR", before, 1) } else { unsafe unsetenv("TMPDIR") }
        }
        let daemon = try await startDaemon()
        XCTAssertTrue(daemon.directory.hasPrefix("/tmp/pipebus-"), daemon.directory)
    }

    func testQuantumAndRateAreTheOnesThatWereAskedFor() async throws {
        for (quantum, rate) in [(1024, 48_000), (256, 44_100), (16, 96_000)] {
            let daemon = try await startDaemon(.init(quantum: quantum, sampleRate: rate))
            let cycle = try await firstCycle(on: daemon)
            XCTAssertEqual(cycle.frameCount, quantum)
            XCTAssertEqual(cycle.sampleRate, rate)
            XCTAssertFalse(cycle.isFreewheeling)
        }
    }

    func testTheFreewheelDriverIsFasterThanRealTime() async throws {
        let daemon = try await startDaemon(.init(quantum: 1024, driver: .freewheel))
        let cycle = try await firstCycle(on: daemon, after: 48_000 * 10)
        XCTAssertTrue(cycle.isFreewheeling)
    }

    func testWithoutADriverThereAreNoCycles() async throws {
        let daemon = try await startDaemon(.init(driver: .none))
        let tool = try daemon.run("pw-cli", ["ls", "Node"])
        try await tool.waitForEnd()
        XCTAssertFalse(tool.output.text.contains("Driver"), tool.output.text)
    }

    func testTheNullDevicesHavePorts() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true, hasNullSource: true))
        let tool = try daemon.run("pw-link", ["-io"])
        try await tool.waitForEnd()
        for port in ["null-sink:playback_FL", "null-sink:monitor_FR", "null-source:capture_FL"] {
            XCTAssertTrue(tool.output.lines.contains(port), tool.output.text)
        }
    }

    /// The first cycle that begins after so many frames, as a receiver sees it.
    private func firstCycle(on daemon: HeadlessPipeWire, after frames: UInt64 = 0) async throws -> AudioCycle {
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: daemon.remote, allowsConnectionsToSelf: true)
        let (cycles, continuation) = AsyncStream.makeStream(of: AudioCycle.self, bufferingPolicy: .bufferingOldest(1))
        let sender = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        // Not fit for the audio thread, and good enough for a look at one cycle.
        let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, cycle, _ in
            if cycle.position >= frames { continuation.yield(cycle) }
        }
        try await bus.connect(sender, to: receiver)
        var found: AudioCycle?
        for await cycle in cycles {
            found = cycle
            break
        }
        await bus.close()
        return try XCTUnwrap(found)
    }
}

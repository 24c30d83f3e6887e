// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// The load of ports, and apps that are overloaded.
final class OverloadTests: DaemonTestCase {
    /// The share of a cycle that a block burns, and whether it returns.
    private final class Burning: Sendable {
        private enum Stand: UInt8, AtomicRepresentable { case none, asked, standing }

        /// So that a test that fails ends.
        private static let longestStand: UInt64 = 60_000_000_000

        private let thousandths = Atomic<Int>(0)
        private let stand = Atomic<Stand>(.none)

        func set(_ share: Double) { thousandths.store(Int(share * 1000), ordering: .relaxed) }
        /// The next call does not return before ``release()``.
        func standOnce() { stand.store(.asked, ordering: .relaxed) }
        var isStanding: Bool { stand.load(ordering: .relaxed) == .standing }
        func release() { stand.store(.none, ordering: .relaxed) }

        func burn(_ cycle: AudioCycle) {
            let share = UInt64(thousandths.load(ordering: .relaxed))
            let period = UInt64(cycle.frameCount) * 1_000_000_000 / UInt64(cycle.sampleRate)
            let start = Self.now
            while Self.now < start + share * period / 1000 {}
            guard stand.compareExchange(expected: .asked, desired: .standing, ordering: .relaxed).exchanged else {
                return
            }
            while isStanding, Self.now < start + Self.longestStand { sched_yield() }
            release()
        }

        private static var now: UInt64 {
            var time = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    }

    /// An app in this process with a port whose block burns time, connected to a peer's.
    private struct Rig {
        let daemon: HeadlessPipeWire
        let bus: BusClient
        let port: LocalPort
        let burning: Burning
        let peer: Peer
        let notices: NoticeLog

        func close() async throws {
            burning.set(0)
            burning.release()
            await bus.close()
            try await peer.close()
        }
    }

    private func start(_ kind: PortKind, _ installation: PipeWireInstallation) async throws -> Rig {
        let daemon = try await startDaemon(.init(quantum: 1024, hasNullSink: true), installation: installation)
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let notices = NoticeLog(bus.notices)
        let burning = Burning()
        let peer = try await Peer.start("Peer", on: daemon, client: installation)
        let port: LocalPort
        switch kind {
        case .sender:
            port = try await bus.sender("busy", channels: .mono, state: ()) { _, cycle, _ in burning.burn(cycle) }
        case .filter:
            port = try await bus.filter("busy", inputs: .mono, state: ()) { _, cycle, _, _ in burning.burn(cycle) }
        case .receiver:
            port = try await bus.receiver("busy", channels: .mono, state: ()) { _, cycle, _ in burning.burn(cycle) }
        }
        if kind != .sender {
            try await peer.addSender("out", .constant(0.5))
            try await peer.join("Peer/out", to: "Test/busy")
        }
        // Nobody disconnects a port that hangs from a device.
        if kind != .receiver { try await bus.connect(port, to: "null-sink") }
        return Rig(daemon: daemon, bus: bus, port: port, burning: burning, peer: peer, notices: notices)
    }

    /// Waits for so many cycles of the port.
    private func runCycles(_ count: UInt64, of port: LocalPort) async throws {
        let before = try await port.statistics.cycles
        try await eventually("cycles", within: .seconds(20)) { try await port.statistics.cycles >= before + count }
    }

    // MARK: Load

    func testABlockThatTakesHalfOfTheCycle() async throws {
        for installation in PipeWireInstallation.all {
            let rig = try await start(.receiver, installation)
            try await runCycles(150, of: rig.port)
            XCTAssertLessThan(rig.port.load.mean, 0.4)
            rig.burning.set(0.5)
            // Three seconds. A busy machine takes more time than the block burns.
            try await eventually("the load", within: .seconds(60)) { (0.4...0.8).contains(rig.port.load.mean) }
            XCTAssertGreaterThanOrEqual(rig.port.load.maximum, 0.5)
            rig.burning.set(0)
            try await eventually("no load", within: .seconds(60)) { rig.port.load.mean < 0.2 }
            try await rig.close()
        }
    }

    func testABlockSeesItsOwnLoad() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let burning = Burning()
        burning.set(0.5)
        let seen = SeenLoad()
        _ = try await bus.sender("out", channels: .mono, keepsRunning: true, state: ()) { _, cycle, _ in
            burning.burn(cycle)
            seen.store(cycle.load)
        }
        try await eventually("the load", within: .seconds(60)) {
            (0.4...0.8).contains(seen.mean) && seen.maximum >= 0.5
        }
        await bus.close()
    }

    /// The load that a block has seen last.
    private final class SeenLoad: Sendable {
        private let bits = Atomic<UInt64>(0)

        func store(_ load: PortLoad) {
            bits.store(UInt64(load.mean.bitPattern) << 32 | UInt64(load.maximum.bitPattern), ordering: .relaxed)
        }
        var mean: Float { Float(bitPattern: UInt32(bits.load(ordering: .relaxed) >> 32)) }
        var maximum: Float { Float(bitPattern: UInt32(truncatingIfNeeded: bits.load(ordering: .relaxed))) }
    }

    // MARK: Overload

    func testTheStateOfAnAppWhoseBlockTakesTooLong() async throws {
        for installation in PipeWireInstallation.all {
            let rig = try await start(.receiver, installation)
            try await runCycles(20, of: rig.port)
            XCTAssertEqual(rig.bus.state, .running)
            let states = Task { [bus = rig.bus] in
                var kinds: [String] = []
                for await state in bus.stateUpdates { kinds.append(state.reason?.kind.rawValue ?? "running") }
                return kinds
            }
            rig.burning.set(1.4)
            try await eventually("the overload", within: .seconds(20)) { rig.bus.state.reason?.kind == .overloaded }
            let message = try XCTUnwrap(rig.bus.state.reason?.message)
            XCTAssertTrue(message.hasPrefix("Test busy is overloaded: "), message)
            XCTAssertGreaterThan(rig.port.load.maximum, 1)
            // Calls work.
            let other = try await rig.bus.receiver("other", channels: .mono, state: ()) { _, _, _ in }
            await other.close()
            rig.burning.set(0)
            try await eventually("its end", within: .seconds(20)) { rig.bus.state == .running }
            try await rig.close()
            let kinds = await states.value
            XCTAssertEqual(kinds.last, "closedByApp")
            XCTAssertTrue(kinds.contains("overloaded"), "\(kinds)")
        }
    }

    func testABlockThatDoesNotReturn() async throws {
        for installation in PipeWireInstallation.all {
            for kind in PortKind.allCases {
                let rig = try await start(kind, installation)
                try await runCycles(20, of: rig.port)
                rig.burning.standOnce()
                defer { rig.burning.release() }
                try await eventually("the load of \(kind)", within: .seconds(20)) { rig.port.load.maximum > 3 }
                try await eventually("the overload of \(kind)", within: .seconds(20)) {
                    rig.bus.state.reason?.kind == .overloaded
                }
                try await eventually("the notice about \(kind)") {
                    rig.notices.all.contains { $0.kind == .blockStalled && $0.port == "busy" }
                }
                if kind == .filter {
                    let start = ContinuousClock.now
                    try await eventually("the time of a standstill") { start.duration(to: .now) > .seconds(4) }
                }
                XCTAssertTrue(rig.burning.isStanding, "the block of \(kind): all of this comes before it returns")
                rig.burning.release()
                try await eventually("its end", within: .seconds(20)) { rig.bus.state == .running }
                XCTAssertFalse(rig.notices.all.contains { $0.kind == .graphStandsStill }, "it is the app's own fault")
                try await rig.close()
            }
        }
    }

    /// libpipewire holds the loop from then on.
    func testABlockWhoseSourceIsDisconnectedAtOnce() async throws {
        for installation in PipeWireInstallation.all {
            for (kind, input) in [(PortKind.receiver, "input_1_MONO"), (.filter, "input_MONO")] {
                let rig = try await start(kind, installation)
                try await runCycles(20, of: rig.port)
                rig.burning.standOnce()
                defer { rig.burning.release() }
                try await eventually("the block to stand") { rig.burning.isStanding }
                try await rig.daemon.perform("pw-link", "-d", "Peer.out:output_MONO", "Test.busy:\(input)")
                try await assertReported(rig.bus, rig.notices, rig.burning)
                rig.burning.release()
                try await eventually("the app to run") { rig.bus.state == .running }
                XCTAssertEqual(rig.notices.all.map(\.kind), [.blockStalled])
                try await rig.close()
            }
        }
    }

    func testABlockThatDoesNotReturnFromItsFirstCall() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
            let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
            let notices = NoticeLog(bus.notices)
            let burning = Burning()
            burning.standOnce()
            defer { burning.release() }
            _ = try await bus.receiver("busy", state: ()) { _, cycle, _ in burning.burn(cycle) }
            let peer = try await Peer.start("Peer", on: daemon, client: installation)
            try await peer.addSender("out", channels: 2, .constant(0.5))
            let connection = Task { try? await bus.connect("Peer", to: "Test/busy", timeout: .seconds(60)) }
            try await eventually("the block to stand") { burning.isStanding }
            try await assertReported(bus, notices, burning)
            burning.release()
            _ = await connection.value
            try await eventually("the app to run") { bus.state == .running }
            XCTAssertEqual(notices.all.map(\.kind), [.blockStalled])
            await bus.close()
            try await peer.close()
        }
    }

    /// The app knows, and goes on knowing, while the block stands.
    private func assertReported(_ bus: BusClient, _ notices: NoticeLog, _ burning: Burning) async throws {
        try await eventually("the notice") { notices.all.map(\.kind) == [.blockStalled] }
        let start = ContinuousClock.now
        try await eventually("a second, overloaded all the time") {
            XCTAssertEqual(bus.state.reason?.kind, .overloaded)
            return start.duration(to: .now) > .seconds(1)
        }
        XCTAssertTrue(burning.isStanding)
    }

    /// Closing waits for the block for eight seconds, and is done when the block returns.
    func testClosingWhileABlockDoesNotReturn() async throws { try await closeWhileStanding(afterNotice: false) }
    func testClosingAfterABlockIsReported() async throws { try await closeWhileStanding(afterNotice: true) }

    private func closeWhileStanding(afterNotice: Bool) async throws {
        let rig = try await start(.filter, .chosen)
        try await runCycles(20, of: rig.port)
        let states = Task { [bus = rig.bus] in
            var kinds: [StateReason.Kind?] = []
            for await state in bus.stateUpdates { kinds.append(state.reason?.kind) }
            return kinds
        }
        rig.burning.standOnce()
        defer { rig.burning.release() }
        try await eventually("the block to stand") { rig.burning.isStanding }
        if afterNotice { try await eventually("the notice") { !rig.notices.all.isEmpty } }
        let start = ContinuousClock.now
        async let other: Void = rig.bus.close()
        await rig.bus.close()
        await other
        XCTAssertTrue(rig.burning.isStanding, "closed after \(start.duration(to: .now))")
        XCTAssertGreaterThan(start.duration(to: .now), .seconds(5))
        // The loop was held up all the time, or since the notice.
        XCTAssertEqual(rig.notices.all.map(\.kind), [.blockStalled])
        XCTAssertEqual(rig.bus.state.reason?.kind, .closedByApp)
        rig.burning.release()
        try await eventually("the port to be out of the graph") {
            try await GraphDump.take(rig.daemon, client: rig.daemon.installation).objects.allSatisfy {
                $0.properties["node.name"] != "Test.busy"
            }
        }
        await rig.bus.close()
        let kinds = await states.value
        XCTAssertEqual(kinds.last, .closedByApp)
        XCTAssertEqual(kinds.filter { $0 == nil }.count, 1, "no closed client runs")
        try await rig.peer.close()
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The block that runs once in each cycle, before the first of the app's ports.
final class BeforeCycleTests: DaemonTestCase {
    private let quanta = [(1024, 3), (16, 50), (333, 3), (8192, 2), (64, 20), (1024, 1)]
    private let cycles: UInt64 = 79

    func testOnceInEachCycleWhateverIsConnected() async throws {
        try await checkExactly(installation: .chosen)
    }

    func testWithADaemonOf14() async throws {
        try await checkExactly(installation: try PipeWireInstallation.newer())
    }

    private func checkExactly(installation: PipeWireInstallation) async throws {
        let stage = try await Stage.start(installation: installation)
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: stage.graph.remote, allowsConnectionsToSelf: true)
        let log = CycleLog()
        try await app.beforeCycle(log)
        let sender = try await app.sender("out", noting: log)
        let receiver = try await app.receiver("in", noting: log)
        let idle = try await app.sender("idle", noting: log)
        let sink = try await stage.taker.receiver("sink", state: ()) { _, _, _ in }
        // One port alone, one and then the other, all of them; and there are always some without a connection.
        try await stage.taker.connect("App.out", to: sink)
        try await check(log, on: stage, "a sender")
        try await app.connect(sender, to: receiver)
        try await check(log, on: stage, "two of three")
        let filter = try await app.filter("later", noting: log)
        try await app.connect(sender, to: filter)
        try await app.connect(filter, to: receiver)
        try await check(log, on: stage, "one that came later")
        await sender.close()
        try await stage.taker.connect("App.idle", to: sink)
        try await check(log, on: stage, "without the first one")
        await receiver.close()
        await filter.close()
        try await check(log, on: stage, "one of one")
        XCTAssertEqual(log.repeats, 0)
        XCTAssertEqual(log.misses, 0)
        XCTAssertGreaterThan(log.blocks, cycles * 8)
        await app.close()
        _ = idle
        try await stage.close()
    }

    private func check(_ log: CycleLog, on stage: Stage, _ what: String) async throws {
        try await stage.graph.step([(64, 3)])
        let (runs, missed) = (log.runs, log.missedFrames)
        try await stage.graph.step(quanta)
        XCTAssertEqual(log.runs, runs + cycles, what)
        XCTAssertEqual(log.missedFrames, missed, what)
    }

    /// `AudioCycle` holds no state of a port here, because the block has no port.
    func testItIsOfNoPort() async throws {
        let stage = try await Stage.start()
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: stage.graph.remote, allowsConnectionsToSelf: true)
        let (before, block) = (Box<[AudioCycle]>([]), Box<AudioCycle?>(nil))
        try await app.beforeCycle(state: ()) { _, cycle in before.value.append(cycle) }
        let out = try await app.sender("out", state: ()) { _, cycle, _ in block.value = cycle }
        let desk = try await app.receiver("desk", isMonitoring: true, state: ()) { _, _, _ in }
        try await app.connect(out, to: desk)
        try await eventually("the port to know") { out.shouldMuteLocalOutput && out.isConnectedToSelf }
        try await stage.step(64, cycles: 4)
        let seen = block.value.map { [$0.isConnected, $0.isConnectedToSelf, $0.shouldMuteLocalOutput] }
        XCTAssertEqual(seen, [true, true, true])
        XCTAssertGreaterThanOrEqual(before.value.count, 4)
        for cycle in before.value {
            let seen = [cycle.isConnected, cycle.isConnectedToSelf, cycle.shouldMuteLocalOutput]
            XCTAssertEqual(seen, [false, false, false])
        }
        await app.close()
        try await stage.close()
    }

    /// Ports that are not connected must not keep a sound card awake. What runs shows by the block.
    func testAnOrderAloneMakesNoNodeRun() async throws {
        for installation in PipeWireInstallation.all {
            let stage = try await Stage.start(installation: installation)
            let app = try await BusClient.connect(
                as: "org.pipebus.app", name: "App", remote: stage.graph.remote, allowsConnectionsToSelf: true)
            let log = CycleLog()
            try await app.beforeCycle(log)
            _ = try await app.receiver("in", noting: log)
            _ = try await app.sender("out", after: ["in"], noting: log)
            try await stage.step(64, cycles: 20)
            XCTAssertEqual(log.runs, 0, "\(installation)")
            let sink = try await stage.taker.receiver("sink", fade: .none, state: ()) { _, _, _ in }
            try await stage.taker.connect("App.out", to: sink)
            try await stage.step(64, cycles: 20)
            let runs = log.runs
            XCTAssertGreaterThanOrEqual(runs, 20, "\(installation)")
            try await stage.taker.disconnect("App.out", from: sink)
            try await stage.step(64, cycles: 20)
            XCTAssertEqual(log.runs, runs, "\(installation)")
            await app.close()
            try await stage.close()
        }
    }

    /// Drivers come and go, each with a clock of its own, and lengths and rates change while everything runs.
    func testThroughOtherDriversQuantaAndRates() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true, hasNullSource: true))
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: daemon.remote, allowsConnectionsToSelf: true)
        let log = CycleLog()
        try await app.beforeCycle(log)
        let sender = try await app.sender("out", noting: log)
        let filter = try await app.filter("fx", noting: log)
        let receiver = try await app.receiver("in", noting: log)
        _ = try await app.sender("idle", noting: log)
        try await app.connect(sender, to: filter)
        try await app.connect(filter, to: receiver)
        try await runSome(log)
        for round in 0..<4 {
            try await app.connect("null-source", to: receiver)
            try await runSome(log)
            try await set(["clock.force-quantum": ["256", "64", "2048", "0"][round]], on: daemon)
            try await app.connect(filter, to: "null-sink")
            try await runSome(log)
            try await set(["clock.force-rate": ["44100", "0", "96000", "48000"][round]], on: daemon)
            try await runSome(log)
            try await app.disconnect("null-source", from: receiver)
            try await runSome(log)
            try await app.disconnect(filter, from: "null-sink")
            try await runSome(log)
        }
        XCTAssertEqual(log.repeats, 0)
        XCTAssertEqual(log.misses, 0)
        await app.close()
    }

    /// Whichever port is the first of a cycle, and in cycles that PipeWire leaves unfinished.
    func testWhilePortsComeAndGo() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: daemon.remote, allowsConnectionsToSelf: true)
        let log = CycleLog()
        try await app.beforeCycle(log)
        let receiver = try await app.receiver("in", noting: log)
        var last = try await app.sender("out", noting: log)
        try await app.connect(last, to: receiver)
        try await runSome(log)
        for round in 0..<20 {
            let next = try await app.sender(
                "out \(round)", after: round.isMultiple(of: 2) ? [last.name] : [], noting: log)
            try await app.connect(next, to: receiver)
            try await runSome(log)
            await last.close()
            try await runSome(log)
            last = next
        }
        XCTAssertEqual(log.repeats, 0)
        XCTAssertEqual(log.misses, 0)
        await app.close()
    }

    private func runSome(_ log: CycleLog) async throws {
        let (runs, blocks) = (log.runs, log.blocks)
        try await eventually("cycles to run", within: .seconds(20)) { log.runs > runs + 5 && log.blocks > blocks + 10 }
    }

    private func set(_ settings: [String: String], on daemon: HeadlessPipeWire) async throws {
        for (key, value) in settings {
            let tool = try daemon.run("pw-metadata", ["-n", "settings", "0", key, value])
            let ending = try await tool.waitForEnd()
            XCTAssertEqual(ending, .exited(0), "\(tool.failure("failed"))")
        }
    }

    func testItIsSetOnceAndFirst() async throws {
        let daemon = try await startDaemon()
        let app = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        let port = try await app.sender("out", state: ()) { _, _, _ in }
        await assertThrows("a block that comes too late") {
            try await app.beforeCycle(CycleLog())
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument)
            XCTAssertTrue("\(error)".contains("before the first port"), "\(error)")
        }
        await port.close()
        try await app.beforeCycle(CycleLog())
        await assertThrows("a second one") {
            try await app.beforeCycle(CycleLog())
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument)
            XCTAssertTrue("\(error)".contains("already"), "\(error)")
        }
        await app.close()
        await assertThrows("a closed client") {
            try await app.beforeCycle(CycleLog())
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .closed)
        }
    }

    /// The state goes with the last node, not before, and on the control side.
    func testTheStateDiesWithTheClient() async throws {
        let daemon = try await startDaemon()
        let app = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        weak var state: CycleLog?
        do {
            let log = CycleLog()
            state = log
            try await app.beforeCycle(log)
        }
        let port = try await app.sender("out", state: ()) { _, _, _ in }
        XCTAssertNotNil(state)
        await port.close()
        XCTAssertNotNil(state)
        await app.close()
        XCTAssertNil(state)
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Changes of the graph's driver, rate, cycle length and pace: sound goes on, marked where it is broken, and the app hears of
/// each change once.
final class GraphSettingsTests: DaemonTestCase {
    private static let kinds: [Notice.Kind] = [
        .driverChanged, .sampleRateChanged, .quantumChanged, .freewheelingBegan, .freewheelingEnded,
    ]

    private func changes(_ log: NoticeLog) -> [Notice] { log.all.filter { Self.kinds.contains($0.kind) } }

    /// Waits for the next change of a kind that says this.
    private func expect(
        _ kind: Notice.Kind, _ words: String, in log: NoticeLog, within timeout: Duration = .seconds(20)
    ) async throws {
        try await eventually("\(kind.rawValue): \(words)", within: timeout) {
            log.all.contains { $0.kind == kind && $0.message.contains(words) }
        }
    }

    /// Takes the notices from now on, and runs until the settings have been seen: they are polled twice a second.
    private func watch(_ scene: HangScene) async throws -> NoticeLog {
        let log = NoticeLog(scene.bus.notices, withoutPort: true)
        let start = ContinuousClock.now
        try await eventually("the settings to be seen") { start.duration(to: .now) > .milliseconds(1600) }
        return log
    }

    private func set(_ key: String, _ value: Int, on daemon: HeadlessPipeWire) async throws {
        try await daemon.perform("pw-metadata", "-n", "settings", "0", key, "\(value)")
    }

    func testAllCycleLengths() async throws { try await changeQuantum(.chosen) }
    func testAllCycleLengthsOn14() async throws { try await changeQuantum(.newer()) }

    private func changeQuantum(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let scene = try await HangScene.start(on: daemon)
        let log = try await watch(scene)
        // Each is told when it stays; the fifth and later ones ten seconds after each other.
        for frames in [64, 128, 256] {
            try await set("clock.force-quantum", frames, on: daemon)
            try await expect(.quantumChanged, "\(frames) frames now", in: log)
        }
        for frames in [512, 1024, 2048, 4096, 8192] {
            try await set("clock.force-quantum", frames, on: daemon)
            try await eventually("cycles of \(frames)") { scene.hearing.moments.last?.cycle.frameCount == frames }
            try await scene.waitUntilHeard()
        }
        try await expect(.quantumChanged, "8192 frames now", in: log)
        try await scene.runCycles(5)
        try await check(scene)
        XCTAssertLessThanOrEqual(changes(log).count, 5)
        XCTAssertEqual(Set(changes(log).map(\.kind)), [.quantumChanged])
        try await scene.close()
    }

    func testRates() async throws { try await changeRate(.chosen) }
    func testRatesOn14() async throws { try await changeRate(.newer()) }

    private func changeRate(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let scene = try await HangScene.start(on: daemon)
        let log = try await watch(scene)
        var last = 48_000
        for rate in [44_100, 96_000, 48_000] {
            try await set("clock.force-rate", rate, on: daemon)
            try await eventually("cycles at \(rate) Hz", within: .seconds(20)) {
                scene.hearing.moments.last?.cycle.sampleRate == rate
            }
            try await expect(.sampleRateChanged, "\(rate) Hz now; it was \(last) Hz", in: log)
            last = rate
            try await scene.waitUntilHeard()
        }
        try await check(scene)
        XCTAssertEqual(changes(log).count { $0.kind == .sampleRateChanged }, 3)
        try await scene.close()
    }

    /// Forced values are those of one daemon.
    func testSettingsThatARestartChanges() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let scene = try await HangScene.start(on: daemon)
            let log = try await watch(scene)
            try await set("clock.force-rate", 44_100, on: daemon)
            try await expect(.sampleRateChanged, "44100 Hz now; it was 48000", in: log)
            try await set("clock.force-quantum", 256, on: daemon)
            try await expect(.quantumChanged, "256 frames now", in: log)
            try await daemon.restart()
            try await expect(.sampleRateChanged, "48000 Hz now; it was 44100", in: log)
            try await expect(.quantumChanged, "1024 frames now; they had 256", in: log)
            // The daemon's own cycles change with the rate.
            XCTAssertEqual(changes(log).count { $0.kind == .sampleRateChanged }, 2)
            XCTAssertLessThanOrEqual(changes(log).count { $0.kind == .quantumChanged }, 3)
            XCTAssertEqual(changes(log).filter { $0.kind == .driverChanged }, [])
            try await scene.close()
        }
    }

    func testAnotherDriver() async throws { try await changeDriver(.chosen) }
    func testAnotherDriverOn14() async throws { try await changeDriver(.newer()) }

    private func changeDriver(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true), installation: installation)
        let scene = try await HangScene.start(on: daemon)
        let log = try await watch(scene)
        // Where there is a device, it drives the graph, whoever uses it. The first one is destroyed, and then the other one.
        for (device, next) in [("null-sink", "second-sink"), ("second-sink", "Dummy-Driver")] {
            if device == "null-sink" { try await daemon.addNullSink("second-sink") }
            try await daemon.destroyNode(named: device)
            try await expect(.driverChanged, "\(next) drives the graph now, in place of \(device)", in: log)
            try await scene.waitUntilHeard()
        }
        try await scene.waitUntilHeard()
        try await check(scene)
        XCTAssertEqual(changes(log).map(\.kind), [.driverChanged, .driverChanged])
        try await scene.close()
    }

    func testADeviceThatIsSuspended() async throws { try await suspend(.chosen) }
    func testADeviceThatIsSuspendedOn14() async throws { try await suspend(.newer()) }

    private func suspend(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true), installation: installation)
        let scene = try await HangScene.start(on: daemon)
        let monitor = try await scene.bus.sender("monitor", state: ()) { _, _, _ in }
        try await scene.bus.connect(monitor, to: "null-sink")
        try await scene.waitUntilHeard()
        let device = try await daemon.node(named: "null-sink")
        for _ in 0..<3 {
            let cycles = try await monitor.statistics.cycles
            try await daemon.perform("pw-cli", "send-command", "\(device)", "Suspend")
            try await scene.waitUntilHeard()
            try await eventually("the monitor to run") { try await monitor.statistics.cycles > cycles + 20 }
        }
        XCTAssertEqual(scene.bus.state, .running)
        try await check(scene)
        try await scene.close()
    }

    func testFreewheeling() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 8192), installation: installation)
            let scene = try await HangScene.start(on: daemon)
            let log = try await watch(scene)
            try await daemon.perform(
                "pw-cli", "create-node", "spa-node-factory",
                "{ factory.name = support.node.driver node.name = Freewheel-Driver node.freewheel = true "
                    + "freewheel.wait = 1 priority.driver = 200000 object.linger = true }")
            try await expect(.freewheelingBegan, "Freewheel", in: log)
            try await eventually("freewheeling cycles") { scene.hearing.moments.last?.cycle.isFreewheeling == true }
            try await daemon.destroyNode(named: "Freewheel-Driver")
            try await expect(.freewheelingEnded, "real time again", in: log)
            let kinds = changes(log).map(\.kind).filter { $0 != .quantumChanged }
            XCTAssertEqual(kinds, [.freewheelingBegan, .freewheelingEnded])
            try await scene.close()
        }
    }

    /// The steady source is exact, except in cycles that are marked and in those before them. Positions never decrease, and
    /// each break is marked.
    private func check(_ scene: HangScene, file: StaticString = #filePath, line: UInt = #line) async throws {
        let moments = scene.hearing.moments
        var breaks = 0
        var (soundCount, silenceCount) = (0, 0)
        /// The difference of the source's positions and the receiver's: two apps agree on their first clock only.
        var offset: Float?
        for (moment, next) in zip(moments, moments.dropFirst()) {
            let (cycle, following) = (moment.cycle, next.cycle)
            XCTAssertGreaterThanOrEqual(following.position, cycle.position, file: file, line: line)
            let isContinued =
                following.position == cycle.position + UInt64(cycle.frameCount) && following.clock == cycle.clock
                && following.sampleRate == cycle.sampleRate
            if !isContinued {
                XCTAssertTrue(following.isDiscontinuous, "\(cycle) \(following)", file: file, line: line)
                breaks += 1
            }
            if cycle.isDiscontinuous { offset = nil }
            guard !cycle.isDiscontinuous, isContinued, !following.isDiscontinuous,
                let samples = moment.lanes[0]?.channels[0]
            else { continue }
            if samples[0] == 0 {
                silenceCount += 1
                continue
            }
            soundCount += 1
            let start = samples[0] - Float(cycle.position)
            if let offset { XCTAssertEqual(offset, start, "at \(cycle)", file: file, line: line) }
            offset = start
            if let wrong = samples.indices.dropFirst().first(where: { samples[$0] != samples[$0 - 1] + 1 }) {
                return XCTFail("wrong at \(cycle.position) + \(wrong)", file: file, line: line)
            }
        }
        // A source that is late for a cycle is silent in it, and only its own app knows that.
        XCTAssertLessThanOrEqual(silenceCount * 10, soundCount, "silent cycles", file: file, line: line)
        XCTAssertEqual(scene.notices.all, [], file: file, line: line)
        let sources = try await scene.receiver.sources
        XCTAssertEqual(sources.map(\.isStalled), [false, false], file: file, line: line)
        print("graph settings: \(moments.count) cycles, \(breaks) of them after a break, \(silenceCount) silent")
    }
}

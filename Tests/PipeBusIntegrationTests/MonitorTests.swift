// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A receiver that plays its mix on the default device by itself.
final class MonitorTests: BusTestCase {
    /// The mix is heard as it is, in the same cycle, and the apps upstream know.
    func testTheMixIsHeardInTheSameCycle() async throws { try await hear(.chosen) }
    func testTheMixIsHeardInTheSameCycleOn14() async throws { try await hear(.newer()) }

    private func hear(_ installation: PipeWireInstallation) async throws {
        let scene = try await MonitorScene.start(installation: installation)
        let app = scene.app
        let input = try await app.receiver("in", title: "Tuner", lanes: 4, fade: .none, panLaw: .balance)
        let isOnFirst = try await input.monitorsAutomatically
        XCTAssertFalse(isOnFirst)
        try await input.setMonitorsAutomatically(true)
        try await input.setMonitorsAutomatically(true)
        let isOn = try await input.monitorsAutomatically
        XCTAssertTrue(isOn)
        // Without a source there is nothing to be played.
        let monitor = try await eventualResult("the monitor") {
            await app.graph.ports.first { $0.name == "in-monitor" }
        }
        XCTAssertEqual(monitor.title, "Tuner Monitor")
        let before = await app.graph.port(input.id)
        XCTAssertEqual(before?.isMonitoring, false)

        let source = try await scene.stage.sender("a", channels: .stereo, MonitorScene.signal)
        XCTAssertFalse(source.shouldMuteLocalOutput)
        try await app.connect(source, to: input)
        try await scene.waitUntilPlayed(input, on: "sink-a")
        try await scene.assertPlays("sink-a", MonitorScene.signal)
        try await eventually("the source to be muted") { source.shouldMuteLocalOutput }

        // Levels are those of the mix, and another source is in it.
        let second = try await scene.stage.sender("b", channels: .stereo, MonitorScene.other)
        try await app.connect(second, to: input)
        try await scene.stage.step(256, cycles: 4)
        try await scene.assertPlays("sink-a") { MonitorScene.signal($0, $1) + MonitorScene.other($0, $1) }
        try await input.setVolume(0.5, for: source.id)
        try await scene.stage.step(256, cycles: 8)
        try await scene.assertPlays("sink-a") { 0.5 * MonitorScene.signal($0, $1) + MonitorScene.other($0, $1) }

        // Off: it is faded out, and the sender is gone.
        try scene.hearing("sink-a").forget()
        try await scene.stage.stepping(256) { try await input.setMonitorsAutomatically(false) }
        try await scene.assertIsSilent("sink-a")
        let (_, all) = try scene.sound("sink-a", channel: 0, cycles: scene.hearing("sink-a").moments.count)
        let end = try XCTUnwrap(all.lastIndex { $0 != 0 })
        XCTAssertLessThan(abs(all[end]), 0.01, "faded")
        try await eventually("the monitor to go") { await !app.graph.ports.contains { $0.name == "in-monitor" } }
        try await eventually("the source not to be muted") { !source.shouldMuteLocalOutput }
        XCTAssertEqual(scene.notices.all, [])
        // And on again, under a title that changes.
        try await input.setTitle("Ears")
        try await input.setMonitorsAutomatically(true)
        try await scene.waitUntilPlayed(input, on: "sink-a")
        try await scene.assertPlays("sink-a") { 0.5 * MonitorScene.signal($0, $1) + MonitorScene.other($0, $1) }
        try await input.setTitle("More ears")
        try await eventually("the monitor's title") {
            await app.graph.ports.first { $0.name == "in-monitor" }?.title == "More ears Monitor"
        }
        await input.close()
        try await eventually("the monitor to go with the receiver") {
            await !app.graph.ports.contains { $0.name == "in-monitor" }
        }
        XCTAssertEqual(scene.notices.all, [])
        try await scene.close()
    }

    /// Sound that begins while the monitor is connected is heard from its first frame on.
    func testSoundIsWholeFromItsFirstFrame() async throws {
        let scene = try await MonitorScene.start()
        let input = try await scene.monitoringReceiver()
        let silent = try await scene.stage.sender("silent", channels: .stereo) { _, _ in 0 }
        try await scene.app.connect(silent, to: input)
        try await scene.waitUntilPlayed(input, on: "sink-a")
        try scene.hearing("sink-a").forget()
        let source = try await scene.stage.sender("a", channels: .stereo) { _, _ in 0.25 }
        try await scene.app.connect(source, to: input)
        try await scene.stage.step(256, cycles: 20)
        for channel in 0..<2 {
            let count = try scene.hearing("sink-a").moments.count
            let (_, samples) = try scene.sound("sink-a", channel: channel, cycles: count)
            let begin = try XCTUnwrap(samples.firstIndex { $0 != 0 })
            XCTAssertTrue(samples[begin...].allSatisfy { $0 == 0.25 }, "channel \(channel)")
        }
        try await scene.close()
    }

    /// A receiver of separate streams plays the sum of its sources.
    func testSeparateStreams() async throws {
        let scene = try await MonitorScene.start()
        let hearing = Hearing()
        let input = try await hearing.separate(on: scene.app, channels: .stereo, lanes: 4)
        try await input.setMonitorsAutomatically(true)
        let one = try await scene.stage.sender("a", channels: .stereo, MonitorScene.signal)
        let two = try await scene.stage.sender("b", channels: .stereo, MonitorScene.other)
        try await scene.app.connect(one, to: input)
        try await scene.waitUntilPlayed(input, on: "sink-a")
        try await scene.assertPlays("sink-a", MonitorScene.signal)
        try await scene.app.connect(two, to: input)
        try await scene.stage.step(256, cycles: 4)
        try await scene.assertPlays("sink-a") { MonitorScene.signal($0, $1) + MonitorScene.other($0, $1) }
        // Lanes change while nothing is played, too.
        try await scene.stage.stepping(256) { try await input.setMonitorsAutomatically(false) }
        try await scene.app.disconnect(one, from: input)
        try await scene.stage.step(256, cycles: 20)
        try await input.setMonitorsAutomatically(true)
        try await scene.waitUntilPlayed(input, on: "sink-a")
        try await scene.assertPlays("sink-a", MonitorScene.other)
        // The block gets its sources as before.
        XCTAssertEqual(hearing.moments.last?.lanes.count, 1)
        try await scene.close()
    }

    /// A mono mix is heard on both sides.
    func testAMonoReceiver() async throws {
        let scene = try await MonitorScene.start()
        let input = try await scene.app.receiver("in", channels: .mono, fade: .none, panLaw: .balance)
        try await input.setMonitorsAutomatically(true)
        let source = try await scene.stage.sender("a", MonitorScene.signal)
        try await scene.app.connect(source, to: input)
        try await scene.waitUntilPlayed(input, on: "sink-a")
        try await scene.assertPlays("sink-a") { position, _ in MonitorScene.signal(position, 0) }
        try await scene.close()
    }

    // MARK: What is heard already

    func testWhatIsHeardAlreadyIsNotPlayedTwice() async throws {
        let scene = try await MonitorScene.start()
        let app = scene.app
        let input = try await scene.monitoringReceiver()
        let source = try await scene.stage.sender("a", channels: .stereo, MonitorScene.signal)
        try await app.connect(source, to: input)
        try await scene.waitUntilPlayed(input, on: "sink-a")
        // By another path of the source.
        try await scene.stage.givers.connect(source, to: "sink-a")
        try await scene.waitUntilPlayed(input, on: nil)
        try await scene.assertPlays("sink-a", MonitorScene.signal)
        try await scene.stage.givers.disconnect(source, from: "sink-a")
        try await scene.waitUntilPlayed(input, on: "sink-a")
        // By the app itself.
        try await input.setMonitoring(true)
        let monitor = try await eventualResult("the monitor") {
            await app.graph.ports.first { $0.name == "in-monitor" }
        }
        try await scene.stage.stepping(256) {
            try await eventually("the monitor to be disconnected") {
                await app.graph.destinations(of: monitor.id).isEmpty
            }
        }
        let announced = await app.graph.port(input.id)?.isMonitoring
        XCTAssertEqual(announced, true)
        try await input.setMonitoring(false)
        try await scene.waitUntilPlayed(input, on: "sink-a")
        // By a sender of the app that says that it passes the mix on.
        let through = try await app.sender("through", latency: .following(input), state: ()) { _, _, _ in }
        try await scene.stage.step(256, cycles: 4)
        try await scene.waitUntilPlayed(input, on: "sink-a")
        try await app.connect(through, to: "sink-a")
        try await scene.waitUntilPlayed(input, on: nil)
        try await app.disconnect(through, from: "sink-a")
        try await scene.waitUntilPlayed(input, on: "sink-a")
        try await scene.assertPlays("sink-a", MonitorScene.signal)
        // The device's own sound would come back.
        try await app.connect("sink-a", to: input)
        try await scene.waitUntilPlayed(input, on: nil)
        try await app.disconnect("sink-a", from: input)
        try await scene.waitUntilPlayed(input, on: "sink-a")
        try await scene.close()
    }

    /// Of two receivers of one source one is played.
    func testTwoReceiversOfOneSource() async throws {
        let scene = try await MonitorScene.start()
        let first = try await scene.monitoringReceiver("first")
        let second = try await scene.monitoringReceiver("second")
        let source = try await scene.stage.sender("a", channels: .stereo, MonitorScene.signal)
        try await scene.app.connect(source, to: second)
        try await scene.waitUntilPlayed(second, on: "sink-a")
        try await scene.app.connect(source, to: first)
        try await scene.waitUntilPlayed(first, on: "sink-a")
        try await scene.waitUntilPlayed(second, on: nil)
        try await scene.assertPlays("sink-a", MonitorScene.signal)
        try await scene.app.disconnect(source, from: first)
        try await scene.waitUntilPlayed(second, on: "sink-a")
        try await scene.waitUntilPlayed(first, on: nil)
        try await scene.assertPlays("sink-a", MonitorScene.signal)
        try await scene.close()
    }

    func testNamesThatAreTooLong() async throws {
        let scene = try await MonitorScene.start()
        let longest = try await scene.app.receiver(String(repeating: "n", count: 120))
        try await longest.setMonitorsAutomatically(true)
        let longer = try await scene.app.receiver(String(repeating: "n", count: 121))
        do {
            try await longer.setMonitorsAutomatically(true)
            XCTFail("not refused")
        } catch let error as PipeBusError {
            XCTAssertEqual(error.code, .invalidArgument)
            XCTAssertTrue(error.message.hasPrefix("A receiver that plays its mix by itself has"), error.message)
            XCTAssertTrue(error.message.hasSuffix(" has 121."), error.message)
        }
        let isOn = try await longer.monitorsAutomatically
        XCTAssertFalse(isOn)
        try await scene.close()
    }

    func testNamesThatAreTaken() async throws {
        let scene = try await MonitorScene.start()
        let input = try await scene.app.receiver("in")
        let taken = try await scene.app.sender("in-monitor", state: ()) { _, _, _ in }
        func assertRefused(_ code: PipeBusError.Code, _ port: ReceiverPort) async {
            do {
                try await port.setMonitorsAutomatically(true)
                XCTFail("not refused")
            } catch {
                XCTAssertEqual((error as? PipeBusError)?.code, code)
            }
        }
        await assertRefused(.duplicateName, input)
        let isOn = try await input.monitorsAutomatically
        XCTAssertFalse(isOn)
        await taken.close()
        try await input.setMonitorsAutomatically(true)
        let long = try await scene.app.receiver(String(repeating: "n", count: 125))
        await assertRefused(.invalidArgument, long)
        await input.close()
        await assertRefused(.closed, input)
        try await input.client.receiver("in").setMonitorsAutomatically(false)
        try await scene.close()
    }
}

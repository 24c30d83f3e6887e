// SPDX-License-Identifier: MIT
import ConnectionGraph
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Automatic monitoring on daemons that are restarted, whose device drives the graph, or whose session manager hangs.
final class MonitorDaemonTests: DaemonTestCase {

    private struct Scene {
        var app: BusClient
        var givers: BusClient
        var input: ReceiverPort
        var source: SenderPort
    }

    /// The source gives a constant, which the mix passes on.
    private func startScene(on daemon: HeadlessPipeWire) async throws -> Scene {
        let givers = try await BusClient.connect(
            as: "org.pipebus.givers", name: "Givers", remote: daemon.remote,
            allowsConnectionsToSelf: true)
        let source = try await givers.sender("a", state: ()) { _, _, output in
            for channel in 0..<output.count { output.fill(channel) { _ in 0.5 } }
        }
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: daemon.remote,
            allowsConnectionsToSelf: true)
        let input = try await app.receiver("in", fade: .none, panLaw: .balance)
        try await app.connect("Givers.a", to: input)
        return Scene(app: app, givers: givers, input: input, source: source)
    }

    private static func value(_ device: String) -> String { "{\"name\":\"\(device)\"}" }

    private func setDefault(_ device: String = "null-sink", on daemon: HeadlessPipeWire) async throws {
        try await daemon.perform(
            "pw-metadata", "-n", "default", "0", "default.audio.sink", Self.value(device), "Spa:String:JSON")
    }

    private func waitUntilPlayed(
        _ scene: Scene, on device: String = "null-sink", within time: Duration = .seconds(10)
    ) async throws {
        try await eventually("the device to play it", within: time) {
            let graph = await scene.app.graph
            let monitor = graph.ports.first { $0.name == "in-monitor" }
            return monitor.map { graph.destinations(of: $0.id).map(\.nodeName) } == [device]
        }
        try await eventually("the source's app to be told") { scene.source.shouldMuteLocalOutput }
    }

    /// What the device plays is the source's sound: a client of its own hears it at the device's monitors.
    private func assertHeard(on daemon: HeadlessPipeWire, line: UInt = #line) async throws {
        let listener = try await BusClient.connect(
            as: "org.pipebus.listener", name: "Listener", remote: daemon.remote,
            allowsConnectionsToSelf: true)
        let capture = try await listener.capture("ears", lanes: 1, fade: .none, panLaw: .balance)
        try await listener.connect("null-sink", to: capture.port)
        try await eventually("line \(line): the sound") {
            var isHeard = false
            while let block = capture.read() { isHeard = isHeard || block[0].allSatisfy { $0 == 0.5 } }
            return isHeard
        }
        await listener.close()
    }

    /// The device drives the graph, as a sound card does.
    func testADeviceThatDrives() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(hasNullSink: true), installation: installation)
            try await setDefault(on: daemon)
            let scene = try await startScene(on: daemon)
            let notices = NoticeLog(scene.app.notices)
            try await scene.input.setMonitorsAutomatically(true)
            try await waitUntilPlayed(scene)
            try await assertHeard(on: daemon)
            try await eventually("the device to drive") { scene.app.clock?.driver == "null-sink" }
            XCTAssertEqual(notices.all, [])
            await scene.app.close()
            await scene.givers.close()
        }
    }

    func testARestart() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(hasNullSink: true), installation: installation)
            try await setDefault(on: daemon)
            let scene = try await startScene(on: daemon)
            try await scene.input.setMonitorsAutomatically(true)
            try await waitUntilPlayed(scene)
            for _ in 0..<2 {
                try await daemon.restart()
                try await setDefault(on: daemon)
                try await waitUntilPlayed(scene, within: .seconds(20))
                try await assertHeard(on: daemon)
            }
            // While the daemon is away it can be turned off, and on again.
            try await daemon.kill()
            try await eventually("the loss") { scene.app.state != .running }
            try await scene.input.setMonitorsAutomatically(false)
            let isOff = try await scene.input.monitorsAutomatically
            XCTAssertFalse(isOff)
            try daemon.startAgain()
            try await eventually("the app to be back", within: .seconds(20)) {
                await scene.app.graph.ports.contains { $0.nodeName == "App.in" }
            }
            let ports = await scene.app.graph.ports.map(\.name)
            XCTAssertFalse(ports.contains("in-monitor"))
            try await daemon.waitUntilItListens()
            try await setDefault(on: daemon)
            try await scene.input.setMonitorsAutomatically(true)
            try await waitUntilPlayed(scene, within: .seconds(20))
            await scene.app.close()
            await scene.givers.close()
        }
    }

    /// A connection that had lasted is made again after a restart, but not that of a monitor: another device may be the default.
    func testAnotherDefaultAfterARestart() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(hasNullSink: true), installation: installation)
            try await setDefault(on: daemon)
            let scene = try await startScene(on: daemon)
            try await scene.input.setMonitorsAutomatically(true)
            try await waitUntilPlayed(scene)
            let start = ContinuousClock.now
            try await eventually("the connection to last") { start.duration(to: .now) > .milliseconds(1500) }
            try await daemon.restart()
            try await daemon.addNullSink("second-sink")
            try await setDefault("second-sink", on: daemon)
            try await waitUntilPlayed(scene, on: "second-sink", within: .seconds(20))
            // The app's own connection is back, and with it all that is made again.
            try await eventually("the source to be back") { scene.input.isConnected }
            let other = try await scene.app.sender("other", state: ()) { _, _, _ in }
            try await scene.app.connect(other, to: "null-sink")
            try await waitUntilPlayed(scene, on: "second-sink")
            await scene.app.close()
            await scene.givers.close()
        }
    }

    /// A session manager of its own process, with a default device.
    private func startManager(on daemon: HeadlessPipeWire) async throws -> ChildProcess {
        let client = try await MetadataClient.connect(to: daemon)
        let objects = await client.objects
        await client.close()
        let own = try XCTUnwrap(objects["default"])
        try await daemon.perform("pw-cli", "destroy", "\(own.id)")
        let manager = try ChildProcess(
            Programs.path(of: "metadata-host"), ["own", "default"], environment: daemon.environment())
        try await manager.nextLine { $0.hasPrefix("ready") }
        manager.send("set default.audio.sink \(Self.value("null-sink"))")
        return manager
    }

    /// A session manager that is stopped answers nobody who reads its default device. Nothing else waits for it.
    func testASessionManagerThatHangs() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let manager = try await startManager(on: daemon)
        let scene = try await startScene(on: daemon)
        XCTAssertTrue(manager.signal(SIGSTOP))
        try await scene.input.setMonitorsAutomatically(true)
        // The app's own connection is served.
        let port = try await scene.app.sender("meanwhile", state: ()) { _, _, _ in }
        try await scene.app.connect(port, to: "null-sink")
        XCTAssertEqual(scene.app.state, .running)
        XCTAssertTrue(manager.signal(SIGCONT))
        try await waitUntilPlayed(scene, within: .seconds(20))
        // It ends, and another one comes.
        manager.closeInput()
        try await manager.waitForEnd(within: .seconds(10))
        try await eventually("nothing to be played") {
            await scene.app.graph.port(scene.input.id)?.isMonitoring == false
        }
        let next = try ChildProcess(
            Programs.path(of: "metadata-host"), ["own", "default"], environment: daemon.environment())
        try await next.nextLine { $0.hasPrefix("ready") }
        next.send("set default.audio.sink \(Self.value("null-sink"))")
        try await waitUntilPlayed(scene, within: .seconds(20))
        await scene.app.close()
        await scene.givers.close()
        next.closeInput()
        try await next.waitForEnd(within: .seconds(10))
    }

    /// Nor does the end of a receiver wait for it.
    func testAReceiverEndsWhileASessionManagerHangs() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let manager = try await startManager(on: daemon)
        let scene = try await startScene(on: daemon)
        let other = try await scene.app.receiver("other")
        XCTAssertTrue(manager.signal(SIGSTOP))
        try await scene.input.setMonitorsAutomatically(true)
        try await other.setMonitorsAutomatically(true)
        try await eventually("the default device to be read") { await scene.app.isReadingDefaultDevice }
        await other.close()
        let isReading = await scene.app.isReadingDefaultDevice
        XCTAssertTrue(isReading, "the session manager has not answered, and was not given up")
        // The last one ends the reading, which may begin again at once.
        try await scene.input.setMonitorsAutomatically(false)
        try await eventually("the reading to end") { await !scene.app.isReadingDefaultDevice }
        try await scene.input.setMonitorsAutomatically(true)
        try await eventually("the default device to be read again") { await scene.app.isReadingDefaultDevice }
        XCTAssertTrue(manager.signal(SIGCONT))
        try await waitUntilPlayed(scene)
        await scene.app.close()
        await scene.givers.close()
        manager.closeInput()
        try await manager.waitForEnd(within: .seconds(10))
    }

    /// A monitor that is given up ends the monitoring, which may be turned on again.
    func testAMonitorThatIsDestroyedAgainAndAgain() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        try await setDefault(on: daemon)
        let scene = try await startScene(on: daemon)
        let notices = NoticeLog(scene.app.notices)
        try await scene.input.setMonitorsAutomatically(true)
        try await waitUntilPlayed(scene)
        var last: GraphPort.ID?
        var isLost: Bool { notices.all.contains { $0.kind == .portLost } }
        while !isLost {
            var next: GraphPort?
            try await eventually("the monitor, or its end") {
                next = await scene.app.graph.ports.first { $0.name == "in-monitor" && $0.id != last }
                return next != nil || isLost
            }
            guard let port = next else { continue }
            last = port.id
            _ = try await daemon.run("pw-cli", ["destroy", "\(port.nodeID)"]).waitForEnd()
        }
        XCTAssertEqual(notices.all.last { $0.kind == .portLost }?.port, "in-monitor")
        let isOn = try await scene.input.monitorsAutomatically
        XCTAssertFalse(isOn)
        try await scene.input.setTitle("Ears")
        try await eventually("the source's app to be told") { !scene.source.shouldMuteLocalOutput }
        try await scene.input.setMonitorsAutomatically(true)
        try await waitUntilPlayed(scene)
        try await assertHeard(on: daemon)
        await scene.app.close()
        await scene.givers.close()
    }
}

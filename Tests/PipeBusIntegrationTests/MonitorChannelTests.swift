// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A receiver that plays its mix by itself, on devices with another number of channels.
final class MonitorChannelTests: BusTestCase {
    private static let signal: Stage.Signal = { position, channel in
        Float((position &* 7 &+ 1009 &* Int64(channel)) & 0xFFF) / 8192
    }

    private func startScene(_ positions: [String], channels: ChannelLayout = .stereo) async throws -> (
        MonitorScene, ReceiverPort
    ) {
        let scene = try await MonitorScene.start(devices: [])
        try await scene.addDevice("sink", positions: positions)
        try await scene.setDefault("sink")
        let input = try await scene.app.receiver(
            "in", title: "Tuner", channels: channels, lanes: 4, fade: .none, panLaw: .balance)
        try await input.setMonitorsAutomatically(true)
        let source = try await scene.stage.sender("a", channels: channels, Self.signal)
        try await scene.app.connect(source, to: input)
        return (scene, input)
    }

    /// A surround device plays a stereo mix at the front, wherever its front channels are.
    func testASurroundDevice() async throws {
        let (scene, input) = try await startScene(["FC", "LFE", "FR", "FL", "SL", "SR"])
        try await scene.waitUntilPlayed(input, on: "sink")
        try await scene.assertPlays("sink", channels: 6) { position, channel in
            switch channel {
            case 3: Self.signal(position, 0)
            case 2: Self.signal(position, 1)
            default: 0
            }
        }
        XCTAssertEqual(scene.notices.all, [])
        try await scene.close()
    }

    /// The channels of a "pro audio" device have numbers.
    func testADeviceWithoutPositions() async throws {
        let (scene, input) = try await startScene(["AUX0", "AUX1", "AUX2", "AUX3"], channels: .mono)
        try await scene.waitUntilPlayed(input, on: "sink")
        try await scene.assertPlays("sink", channels: 4) { $1 < 2 ? Self.signal($0, 0) : 0 }
        try await scene.close()
    }

    /// A mono device plays the mean of both sides, and the next stereo one the whole again.
    func testAMonoDevice() async throws {
        let (scene, input) = try await startScene(["MONO"])
        try await scene.waitUntilPlayed(input, on: "sink")
        try await scene.assertPlays("sink", channels: 1) { position, _ in
            0.5 * (Self.signal(position, 0) + Self.signal(position, 1))
        }
        try await scene.addDevice("stereo")
        try await scene.setDefault("stereo")
        try await scene.waitUntilPlayed(input, on: "stereo")
        try await scene.assertPlays("stereo", Self.signal)
        XCTAssertEqual(scene.notices.all, [])
        try await scene.close()
    }

    /// Four channels do not go to a stereo device. That is said once, and another device is waited for.
    func testADeviceThatDoesNotFit() async throws {
        let (scene, input) = try await startScene(["FL", "FR"], channels: .channels(4))
        try await scene.stage.stepping(256) {
            try await eventually("the notice") { scene.notices.all.contains { $0.kind == .monitorNotPlayed } }
        }
        let sink = try await scene.device("sink")
        let notice = try XCTUnwrap(scene.notices.all.first)
        XCTAssertEqual(notice.port, "in")
        XCTAssertEqual(notice.source, sink?.id)
        XCTAssertEqual(
            notice.message,
            "The mix of Tuner is not played on sink, the default device: it has 4 channels and the device takes 2; "
                + "choose another default device, or make the receiver stereo or mono.")
        // What happens in the graph changes nothing.
        let second = try await scene.stage.sender("b", channels: .channels(4), Self.signal)
        try await scene.app.connect(second, to: input)
        try await scene.waitUntilPlayed(input, on: nil)
        try await scene.app.disconnect(second, from: input)
        try await scene.addDevice("quad", positions: ["FL", "FR", "RL", "RR"])
        try await scene.setDefault("quad")
        try await scene.waitUntilPlayed(input, on: "quad")
        try await scene.assertPlays("quad", channels: 4, Self.signal)
        XCTAssertEqual(scene.notices.all.count, 1)
        try await scene.close()
    }
}

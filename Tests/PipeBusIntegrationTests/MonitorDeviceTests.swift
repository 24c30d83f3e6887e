// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A receiver's monitor follows the default device, wherever it is.
final class MonitorDeviceTests: BusTestCase {
    func testAnotherDefaultDevice() async throws {
        let scene = try await MonitorScene.start(devices: ["sink-a", "sink-b"])
        let input = try await scene.monitoringReceiver()
        let source = try await scene.stage.sender("a", channels: .stereo) { _, _ in 0.5 }
        try await scene.app.connect(source, to: input)
        try await scene.waitUntilPlayed(input, on: "sink-a")
        try await scene.assertPlays("sink-a") { _, _ in 0.5 }
        try await scene.assertIsSilent("sink-b")
        for (old, new) in [("sink-a", "sink-b"), ("sink-b", "sink-a")] {
            for device in [old, new] { try scene.hearing(device).forget() }
            try await scene.stage.step(256, cycles: 2)
            try await scene.setDefault(new)
            try await scene.waitUntilPlayed(input, on: new)
            try await scene.assertPlays(new) { _, _ in 0.5 }
            try await scene.assertIsSilent(old)
            // Faded on both: no step is larger than one of a fade of 5 ms.
            for device in [old, new] {
                let count = try scene.hearing(device).moments.count
                let (_, samples) = try scene.sound(device, channel: 1, cycles: count)
                let steps = zip(samples, samples.dropFirst()).map { abs($0 - $1) }
                XCTAssertLessThan(steps.max() ?? 1, 0.005, "\(device)")
                XCTAssertTrue(samples.contains(0.5), "\(device)")
            }
        }
        XCTAssertEqual(scene.notices.all, [])
        try await scene.close()
    }

    /// It waits for a device, and for a default.
    func testADeviceThatGoesAndComes() async throws {
        let scene = try await MonitorScene.start(devices: [])
        let input = try await scene.monitoringReceiver()
        let source = try await scene.stage.sender("a", channels: .stereo, MonitorScene.signal)
        try await scene.app.connect(source, to: input)
        try await scene.stage.step(256, cycles: 20)
        try await scene.waitUntilPlayed(input, on: nil)
        try await scene.setDefault("sink-a")
        try await scene.waitUntilPlayed(input, on: nil)
        for _ in 0..<2 {
            try await scene.addDevice("sink-a")
            try await scene.waitUntilPlayed(input, on: "sink-a")
            try await scene.assertPlays("sink-a", MonitorScene.signal)
            try await scene.removeDevice("sink-a")
            try await scene.waitUntilPlayed(input, on: nil)
        }
        try await scene.addDevice("sink-a")
        try await scene.waitUntilPlayed(input, on: "sink-a")
        try await scene.setDefault(nil)
        try await scene.waitUntilPlayed(input, on: nil)
        try await scene.assertIsSilent("sink-a")
        for name in ["no-such-device", "Givers.a", ""] {
            try await scene.setDefault(name)
            try await scene.waitUntilPlayed(input, on: nil)
        }
        try await scene.setDefault("sink-a")
        try await scene.waitUntilPlayed(input, on: "sink-a")
        XCTAssertEqual(scene.notices.all, [])
        try await scene.close()
    }

    /// Another program has the last word, for this device.
    func testAnotherProgramDisconnectsIt() async throws {
        let scene = try await MonitorScene.start(devices: ["sink-a", "sink-b"])
        let input = try await scene.monitoringReceiver()
        let source = try await scene.stage.sender("a", channels: .stereo, MonitorScene.signal)
        try await scene.app.connect(source, to: input)
        try await scene.waitUntilPlayed(input, on: "sink-a")
        for side in ["FL", "FR"] {
            try await scene.stage.graph.run(
                "pw-link", ["-d", "Taker.in-monitor:output_\(side)", "sink-a:playback_\(side)"])
        }
        try await scene.waitUntilPlayed(input, on: nil)
        let second = try await scene.stage.sender("b", channels: .stereo, MonitorScene.other)
        try await scene.app.connect(second, to: input)
        try await scene.stage.step(256, cycles: 20)
        try await scene.waitUntilPlayed(input, on: nil)
        try await scene.assertIsSilent("sink-a")
        try await scene.setDefault("sink-b")
        try await scene.waitUntilPlayed(input, on: "sink-b")
        try await scene.setDefault("sink-a")
        try await scene.waitUntilPlayed(input, on: "sink-a")
        try await scene.assertPlays("sink-a") { MonitorScene.signal($0, $1) + MonitorScene.other($0, $1) }
        try await scene.close()
    }
}

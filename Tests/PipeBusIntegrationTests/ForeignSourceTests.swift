// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Sources that were not made with PipeBus, or that another client has linked.
final class ForeignSourceTests: DaemonTestCase {
    func testADeviceAndAJackClientAreSources() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true, hasNullSource: true))
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        try await bus.connect("null-source", to: receiver)
        let device = try await receiver.source(titled: "null-source")
        XCTAssertFalse(device.isPipeBus)
        XCTAssertTrue(device.port.isDevice)
        XCTAssertNil(device.peer, "the daemon's own")
        XCTAssertEqual(device.channelCount, 2)
        XCTAssertEqual(device.identity, Source.Identity(applicationID: nil, nodeName: "null-source"))
        // Newer daemons give it no device to play on, without which it does not start.
        let tool = try daemon.run("pw-jack", ["jack_lsp", "-p"])
        try await tool.waitForEnd()
        guard tool.output.text.contains("physical") else { return await bus.close() }
        let jack = try daemon.run("pw-jack", ["jack_simple_client", "simple"])
        try await bus.connect("simple", to: receiver)
        let source = try await receiver.source(titled: "simple")
        XCTAssertFalse(source.isPipeBus)
        XCTAssertEqual(source.lane, 1)
        XCTAssertEqual(source.channelCount, 2)
        XCTAssertEqual(source.identity.nodeName, "simple")
        XCTAssertEqual(source.peer?.processID, jack.pid)
        // Its level is remembered as any other's.
        try await receiver.setVolume(0.5, for: source.id)
        let levels = try await receiver.levels
        XCTAssertEqual(levels[source.identity], Source.Level(volume: 0.5))
        jack.signal(SIGTERM)
        try await jack.waitForEnd()
        try await eventually("it to go") { try await receiver.sources.map(\.id) == [device.id] }
        await bus.close()
    }

    /// Links that another client makes again stay: the lane is one source, named after the first one.
    func testTwoOnOneLaneAreOneSource() async throws {
        let scene = try await Scene.start(on: try await startDaemon(.init(quantum: 256)), lanes: 1)
        let log = await UpdateLog(scene.receiver)
        for channel in ["FL", "FR"] {
            try await scene.link("Second.out:output_\(channel)", "Test.in:input_1_\(channel)")
        }
        let shared = try await log.next("the other one") { $0.sources.first?.isShared == true }
        XCTAssertEqual(shared.sources.map(\.title), ["First out"])
        XCTAssertEqual(shared.sources.flatMap(\.others).map(\.title), ["Second out"])
        // Either names the lane; there is one level for both.
        let second = try XCTUnwrap(shared.sources.first?.others.first?.id)
        try await scene.receiver.setVolume(0.5, for: second)
        let level = try await scene.receiver.level(of: try XCTUnwrap(shared.sources.first?.id))
        XCTAssertEqual(level, Source.Level(volume: 0.5))
        // When the first one goes, the lane is the other's, with a level of its own.
        try await scene.bus.disconnect("First", from: scene.receiver)
        let alone = try await log.next("the rest") {
            $0.sources.first?.title == "Second out" && !$0.sources[0].isShared
        }
        XCTAssertEqual(alone.sources.map(\.id), [second])
        XCTAssertEqual(alone.sources.map(\.level), [Source.Level()])
        try await scene.close()
    }

    func testASharedLaneIsAsLateAsTheLatestOnIt() async throws {
        let stage = try await Stage.start()
        let hearing = Hearing()
        let receiver = try await hearing.separate(on: stage.taker, lanes: 2)
        let early = try await stage.sender("early", latency: 100) { _, _ in 1 }
        let late = try await stage.sender("late", latency: 480) { _, _ in 2 }
        let other = try await stage.sender("other") { _, _ in 4 }
        try await stage.taker.connect(early, to: receiver)
        try await stage.taker.connect(other, to: receiver)
        try await stage.graph.run("pw-link", ["Givers.late:output_MONO", "Taker.in:input_1_MONO"])
        let log = await UpdateLog(receiver)
        let shared = try await log.next("the range") { $0.sources.first?.latencyRange.frames == 100...480 }
        XCTAssertEqual(shared.sources.map(\.isLatencyUncertain), [true, false])
        XCTAssertEqual(shared.sources.map(\.delay.frames), [0, 480], "the largest counts")
        XCTAssertEqual(shared.sources.map(\.isShared), [true, false])
        try await stage.step(1024)
        let heard = try XCTUnwrap(hearing.moments.last?.lanes)
        XCTAssertEqual(heard.mapValues { $0.channels[0].last }, [0: 3, 1: 4])
        XCTAssertEqual(heard.mapValues(\.source.isShared), [0: true, 1: false])
        XCTAssertEqual(heard.mapValues(\.source.isLatencyUncertain), [0: true, 1: false])
        XCTAssertEqual(heard.mapValues(\.source.timestamp.position), [0: -480, 1: -480])
        await late.close()
        let alone = try await log.next("the other one alone") { $0.sources.first?.latencyRange.frames == 100...100 }
        XCTAssertEqual(alone.sources.map(\.delay.frames), [380, 480], "nothing jumps because one has gone")
        try await receiver.realign()
        try await stage.step(1024)
        let delays = try await receiver.sources.map(\.delay.frames)
        XCTAssertEqual(delays, [0, 100], "unless it is asked for")
        XCTAssertEqual(alone.sources.map(\.isShared), [false, false])
        try await stage.close()
    }

    func testASourceThatComesBackInAnotherProcessIsTheSameOne() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let receiver = try await bus.receiver("in", fade: .none, state: ()) { _, _, _ in }
        var before: Source?
        for round in 0..<2 {
            let peer = try await Peer.start("Tone", on: daemon)
            try await peer.addSender("out", channels: 2, .constant(0.5))
            try await bus.connect("Tone", to: receiver)
            let source = try await receiver.source(titled: "Tone out")
            if let before {
                XCTAssertNotEqual(source.id, before.id)
                XCTAssertNotEqual(source.peer?.processID, before.peer?.processID)
                XCTAssertEqual(source.identity, before.identity)
                XCTAssertEqual(source.level, Source.Level(volume: 0.25, pan: -0.5))
            } else {
                XCTAssertEqual(
                    source.identity, Source.Identity(applicationID: "org.pipebus.Tone", nodeName: "Tone.out"))
                try await receiver.setLevel(Source.Level(volume: 0.25, pan: -0.5), for: source.id)
            }
            before = source
            try await eventually("sound, round \(round)") { receiver.meter(ofLane: 0).peak == 0.5 }
            try await peer.close()
            try await eventually("it to go") { try await receiver.sources.isEmpty }
        }
        await bus.close()
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Requests for levels from other processes: refusals, concurrent requests, and the shared state over time.
final class SharedLevelTests: LevelCommandTestCase {
    /// Nor over the metadata object, past the tool: the app knows best.
    func testAReceiverOfSeparateStreamsRefusesEveryRequestForLevels() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        let receiver = try await bus.separateReceiver("in", state: ()) { _, _, _ in }
        try await bus.connect(source, to: receiver)
        let attempts: [@Sendable () async throws -> Void] = [
            { try await receiver.setVolume(0.1, for: source.id) }, { try await receiver.setPan(1, for: source.id) },
            { try await receiver.setMuted(true, for: source.id) },
            { try await receiver.setSoloed(true, for: source.id) },
            { try await receiver.setLevel(Source.Level(), for: source.id) },
            { _ = try await receiver.level(of: source.id) }, { _ = try await receiver.levels },
            { try await receiver.restore(SourceLevels()) },
            { _ = try await bus.level(of: source, at: receiver) },
            { try await bus.setLevel(.volume(0.1), of: source, at: receiver) },
        ]
        for attempt in attempts {
            do {
                try await attempt()
                XCTFail("a level where nothing is mixed")
            } catch {
                XCTAssertEqual((error as? PipeBusError)?.code, .notSupported, "\(error)")
                XCTAssertTrue("\(error)".contains("does not mix"), "\(error)")
            }
        }
        // Shared levels of such a receiver alone would be another object that programs have to ask, while its app may hang.
        let objects = try await GraphDump.take(daemon).objects
        XCTAssertFalse(objects.contains { $0.properties["metadata.name"]?.hasPrefix("pipebus.") ?? false })
        _ = try await bus.receiver("mix", state: ()) { _, _, _ in }
        let name = try await metadataName(at: daemon)
        let notices = bus.notices
        let setter = try ChildProcess(
            "/usr/bin/pw-metadata", ["-n", name, "0", "level/in/\(source.id.serial)/volume", "0.5", "Spa:Float"],
            environment: daemon.environment())
        try await setter.waitForEnd()
        var posted = notices.makeAsyncIterator()
        var notice = await posted.next()
        while notice?.kind == .noRealtimePriority { notice = await posted.next() }
        XCTAssertEqual(notice?.kind, .requestRefused)
        XCTAssertEqual(notice?.message.contains("does not mix its sources"), true, notice?.message ?? "none")
        let level = try await receiver.sources.first?.level
        XCTAssertEqual(level, Source.Level())
        let reader = try ChildProcess("/usr/bin/pw-metadata", ["-n", name], environment: daemon.environment())
        try await reader.waitForEnd()
        XCTAssertFalse(reader.output.text.contains("key:'level/"), reader.output.text)
    }

    func testNonsenseIsRefusedWithAReasonAndReportedToTheApp() async throws {
        let stage = try await makeStage()
        try await stage.receiver.setVolume(0.5, for: stage.source.id)
        let name = try await metadataName(at: stage.daemon)
        let volume = "level/in/\(stage.source.id.serial)/volume"
        let notices = stage.bus.notices
        let requests: [(key: String, value: String?, reason: String)] = [
            (volume, "loud", "\"loud\" is no number"), (volume, "nan", "\"nan\" is no number"),
            ("level/in/\(stage.source.id.serial)/mute", "perhaps", "\"perhaps\" is neither true nor false"),
            ("level/in/99999999/volume", "1", "that source is not connected"),
            ("level/out/\(stage.source.id.serial)/volume", "1", "there is no receiver of that name"),
            ("secret", "x", "that is no key that can be written"), (volume, nil, "a level can be set, and not removed"),
        ]
        var posted = notices.makeAsyncIterator()
        for (key, value, reason) in requests {
            let arguments = ["-n", name] + (value.map { ["0", key, $0] } ?? ["-d", "0", key])
            let process = try ChildProcess("/usr/bin/pw-metadata", arguments, environment: stage.daemon.environment())
            try await process.waitForEnd()
            var notice = await posted.next()
            while notice?.kind == .noRealtimePriority { notice = await posted.next() }
            XCTAssertEqual(notice?.kind, .requestRefused)
            XCTAssertEqual(notice?.message.contains(reason), true, "\(notice?.message ?? "nothing") for \(key)")
        }
        let level = try await stage.receiver.level(of: stage.source.id)
        XCTAssertEqual(level, Source.Level(volume: 0.5), "nothing got through")
        // The reason can be read, and a number that is too large is set to the largest.
        let monitor = try ChildProcess("/usr/bin/pw-metadata", ["-n", name], environment: stage.daemon.environment())
        try await monitor.waitForEnd()
        XCTAssertTrue(monitor.output.text.contains("a level can be set, and not removed"), monitor.output.text)
        let setter = try ChildProcess(
            "/usr/bin/pw-metadata", ["-n", name, "0", volume, "44", "Spa:Float"],
            environment: stage.daemon.environment())
        try await setter.waitForEnd()
        try await eventually("the volume to be set") {
            try await stage.receiver.level(of: stage.source.id) == Source.Level(volume: 1)
        }
    }

    /// A taken value is not refused, even if another client has set another one since.
    func testTwoMayMoveOneFader() async throws {
        let stage = try await makeStage()
        let patchbay = try await connectClient(to: stage.daemon.remote)
        let (source, receiver) = (stage.source.nodeName, stage.receiver.nodeName)
        try await eventually("the connection to be seen") {
            await patchbay.graph.connections.contains { $0.destination == stage.receiver.id }
        }
        let mover = Task {
            for step in 0... {
                try Task.checkCancellation()
                try await stage.receiver.setVolume(Double(step % 64) / 64, for: stage.source.id)
                await Task.yield()
            }
        }
        for step in 0..<10 {
            try await patchbay.setLevel(.volume(Double(step) / 16 + 0.001), of: source, at: receiver)
        }
        mover.cancel()
        _ = await mover.result
    }

    func testALostLevelObjectIsReportedAndMadeAgainForTheNextReceiver() async throws {
        let stage = try await makeStage()
        let dump = try ChildProcess("/usr/bin/pw-cli", ["ls", "Metadata"], environment: stage.daemon.environment())
        try await dump.waitForEnd()
        // "id 33, type ...", some lines above the name.
        let objects = dump.output.text.split(separator: "id ").filter { $0.contains("\"pipebus.") }
        let id = try XCTUnwrap(objects.first?.prefix { $0.isNumber }, dump.output.text)
        let destroyer = try ChildProcess(
            "/usr/bin/pw-cli", ["destroy", String(id)], environment: stage.daemon.environment())
        try await destroyer.waitForEnd()
        var posted = stage.bus.notices.makeAsyncIterator()
        var notice = await posted.next()
        while notice?.kind == .noRealtimePriority { notice = await posted.next() }
        XCTAssertEqual(notice?.kind, .notShared)
        _ = try await stage.bus.receiver("another", state: ()) { _, _, _ in }
        let set = try await value(
            ["volume", stage.source.nodeName, stage.receiver.nodeName, "0.25"], at: stage.daemon)
        XCTAssertEqual(set, "volume=0.25")
    }

    func testLevelsGoWithTheConnectionAndComeBackWithIt() async throws {
        let stage = try await makeStage()
        try await stage.receiver.setVolume(0.5, for: stage.source.id)
        let name = try await metadataName(at: stage.daemon)
        try await stage.bus.disconnect(stage.source, from: stage.receiver)
        let reader = try ChildProcess("/usr/bin/pw-metadata", ["-n", name], environment: stage.daemon.environment())
        try await reader.waitForEnd()
        XCTAssertFalse(reader.output.text.contains("level/"), reader.output.text)
        try await stage.bus.connect(stage.source, to: stage.receiver)
        let volume = try await value(["volume", stage.source.nodeName, stage.receiver.nodeName], at: stage.daemon)
        XCTAssertEqual(volume, "volume=0.5")
    }

    /// The app stands still: the tool gives up in time, and when the app goes on all is well again.
    func testAnAppThatStandsStillDoesNotHoldUpTheTool() async throws {
        let daemon = try await startDaemon()
        let recorder = try start(
            "track-recorder", ["--name", "Rec", "--output", "\(folder)/rec.wav"], at: daemon.environment())
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        try await bus.connect(source, to: "Rec")
        kill(recorder.pid, SIGSTOP)
        let stopped = try await pipebus(["volume", source.nodeName, "Rec", "0.5"], at: daemon)
        XCTAssertEqual(stopped.ending, .exited(1))
        XCTAssertTrue(stopped.errors.text.contains("does not answer; it may be stopped"), stopped.errors.text)
        let list = try await value(["list"], at: daemon)
        XCTAssertTrue(list.contains("does not answer"), list)
        kill(recorder.pid, SIGCONT)
        for volume in ["0.25", "0.75"] {
            let set = try await value(["volume", source.nodeName, "Rec", volume], at: daemon)
            XCTAssertEqual(set, "volume=\(volume)")
        }
        kill(recorder.pid, SIGINT)
        try await recorder.waitForEnd()
    }
}

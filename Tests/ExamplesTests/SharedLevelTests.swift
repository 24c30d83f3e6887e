// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Levels set from another process: the tool, PipeWire's own tool, and what must not get through.
final class SharedLevelTests: ToolTestCase {
    private func pipebus(_ arguments: [String], at daemon: HeadlessPipeWire) async throws -> ChildProcess {
        let process = try start("pipebus", arguments, at: daemon.environment())
        try await process.waitForEnd()
        return process
    }

    private func value(_ arguments: [String], at daemon: HeadlessPipeWire) async throws -> String {
        let process = try await pipebus(arguments, at: daemon)
        XCTAssertEqual(process.ending, .exited(0), process.errors.text)
        return process.output.text
    }

    private struct Stage {
        var daemon: HeadlessPipeWire
        var bus: BusClient
        var source: SenderPort
        var receiver: ReceiverPort
    }

    private func makeStage() async throws -> Stage {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        let (receiver, _) = try await bus.keeper(channels: .stereo)
        try await bus.connect(source, to: receiver)
        return Stage(daemon: daemon, bus: bus, source: source, receiver: receiver)
    }

    func testTheToolReadsAndSetsEveryPart() async throws {
        let stage = try await makeStage()
        for (command, first, set, then, level) in [
            ("volume", "1", "0.25", "0.25", SourceLevel(volume: 0.25)),
            ("pan", "0", "-0.5", "-0.5", SourceLevel(volume: 0.25, pan: -0.5)),
            ("mute", "off", "on", "on", SourceLevel(volume: 0.25, pan: -0.5, isMuted: true)),
            ("solo", "off", "on", "on", SourceLevel(volume: 0.25, pan: -0.5, isMuted: true, isSoloed: true)),
            ("mute", "on", "off", "off", SourceLevel(volume: 0.25, pan: -0.5, isSoloed: true)),
            // Values out of range are clamped.
            ("volume", "0.25", "7", "1", SourceLevel(volume: 1, pan: -0.5, isSoloed: true)),
            ("pan", "-0.5", "-1e9", "-1", SourceLevel(volume: 1, pan: -1, isSoloed: true)),
        ] {
            let names = [stage.source.nodeName, stage.receiver.nodeName]
            let before = try await value([command] + names, at: stage.daemon)
            XCTAssertEqual(before, "\(command)=\(first)")
            let after = try await value([command] + names + [set], at: stage.daemon)
            XCTAssertEqual(after, "\(command)=\(then)")
            let level2 = try await stage.receiver.level(of: stage.source.id)
            XCTAssertEqual(level2, level)
        }
        let list = try await value(["list"], at: stage.daemon)
        XCTAssertTrue(list.contains("← \(stage.source.nodeName)  volume 1, pan -1, solo"), list)
        let json = Data(try await value(["list", "--json"], at: stage.daemon).utf8)
        let apps = (try JSONSerialization.jsonObject(with: json) as? [String: Any])?["apps"] as? [[String: Any]]
        let ports = apps?.flatMap { $0["ports"] as? [[String: Any]] ?? [] }
        let levels = ports?.compactMap { $0["levels"] as? [String: [String: Any]] }.first { !$0.isEmpty }
        XCTAssertEqual(levels?[stage.source.nodeName]?["pan"] as? Double, -1)
    }

    func testWhatCannotBeDoneIsSaidInOneSentence() async throws {
        let stage = try await makeStage()
        let (other, _) = try await stage.bus.source("other", of: .counting, channels: .stereo)
        let receiver = stage.receiver.nodeName
        let source = stage.source.nodeName
        for (arguments, status, sentence) in [
            (["volume", source, receiver, "loud"], 64, refusal("loud")),
            (["volume", source, receiver, "nan"], 64, refusal("nan")),
            (["volume", source, receiver, "inf"], 64, refusal("inf")),
            (["volume", source, receiver, "dB"], 64, refusal("dB")),
            (["volume", source, receiver, "nandB"], 64, refusal("nandB")),
            (["volume", source, receiver, "infdB"], 64, refusal("infdB")),
            (["volume", source, receiver, "-6 dBFS"], 64, refusal("-6 dBFS")),
            (["volume", source, receiver, "-6", "dB"], 64, "volume takes one value, not \"-6 dB\"."),
            (["pan", source, receiver, "0.1", "0.2"], 64, "pan takes one value, not \"0.1 0.2\"."),
            (["mute", source, receiver, "maybe"], 64, "mute takes on or off, not \"maybe\"."),
            (["solo", source], 64, "Missing expected argument '<receiver>'"),
            (["volume", source, "Nobody"], 1, "There is no port or app called \"Nobody\" that takes sound"),
            (["volume", other.nodeName, receiver], 1, "is not connected to"),
        ] {
            let process = try await pipebus(arguments, at: stage.daemon)
            XCTAssertEqual(process.ending, .exited(Int32(status)), "\(arguments)")
            XCTAssertTrue(process.errors.text.contains(sentence), "\(arguments): \(process.errors.text)")
            XCTAssertEqual(process.output.text, "")
        }
    }

    private func refusal(_ text: String) -> String {
        "volume takes a number from 0 to 1, or one of decibels such as -6dB, not \"\(text)\"."
    }

    func testAVolumeMayBeOfDecibels() async throws {
        let stage = try await makeStage()
        let names = [stage.source.nodeName, stage.receiver.nodeName]
        for (typed, volume) in [
            ("-6dB", pow(10, -0.3)), ("-20DB", 0.1), ("-0.5db", pow(10, -0.025)), ("0dB", 1), ("6dB", 1), ("-infdB", 0),
            ("-1e300dB", 0),
        ] {
            // As exactly as if the number had been linear, and shown as such in a pipe.
            let after = try await value(["volume"] + names + [typed], at: stage.daemon)
            let level = try await stage.receiver.level(of: stage.source.id)
            XCTAssertEqual(level.volume, volume, accuracy: 1e-15, typed)
            XCTAssertEqual(Double(after.dropFirst("volume=".count)) ?? -1, volume, accuracy: 1e-15, after)
        }
        try await stage.receiver.setVolume(decibels: -40, for: stage.source.id)
        let level = try await stage.receiver.level(of: stage.source.id)
        XCTAssertEqual(level.volumeInDecibels, -40, accuracy: 1e-12)
    }

    /// A person at a terminal reads what was understood, in both.
    func testATerminalShowsAVolumeInDecibelsToo() async throws {
        let stage = try await makeStage()
        let tool = Programs.path(of: "pipebus")
        let names = "\(stage.source.nodeName) \(stage.receiver.nodeName)"
        for (typed, shown) in [("0.1", "volume 0.1 (-20.0 dB)"), ("-3dB", "(-3.0 dB)"), ("0", "volume 0 (silent)")] {
            let script = try start(
                "pipebus", [], at: stage.daemon.environment(),
                through: ["/bin/sh", "-c", "exec script -qec 'exec \(tool) volume \(names) \(typed)' /dev/null", "sh"])
            try await script.waitForEnd()
            XCTAssertTrue(script.output.text.contains(shown), script.output.text)
        }
    }

    func testAForeignReceiverKeepsNoLevels() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        try await bus.connect(source, to: "null-sink")
        let process = try await pipebus(["volume", source.nodeName, "null-sink", "1"], at: daemon)
        XCTAssertEqual(process.ending, .exited(1))
        XCTAssertTrue(process.errors.text.contains("is no receiver made with PipeBus"), process.errors.text)
    }

    /// It does not mix: whoever asks is not answered as if it did.
    func testAReceiverOfSeparateStreamsHasNoLevels() async throws {
        let daemon = try await startDaemon()
        let recorder = try start(
            "track-recorder", ["--name", "Rec", "--separate", "--output", "\(folder)/tracks"], at: daemon.environment())
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        try await waitForPort("Rec.in", of: recorder, seenBy: bus)
        try await bus.connect(source, to: "Rec")
        for command in ["volume", "pan", "mute", "solo"] {
            for value in [[], [command == "volume" || command == "pan" ? "0.1" : "on"]] {
                let process = try await pipebus([command, source.nodeName, "Rec"] + value, at: daemon)
                XCTAssertEqual(process.output.text, "")
                try await assertOneSentence(
                    process, from: "pipebus", status: 1, saying: "takes its sources separately and does not mix them")
            }
        }
        let list = try await value(["list"], at: daemon)
        XCTAssertTrue(list.hasSuffix("← \(source.nodeName)"), list)
        XCTAssertFalse(list.contains("volume"), list)
        let port = await bus.graph.ports.first { $0.nodeName == "Rec.in" }
        XCTAssertEqual(port?.isSeparate, true)
        let levels = try await bus.levels(at: "Rec")
        XCTAssertEqual(levels, [:])
        kill(recorder.pid, SIGINT)
        try await recorder.waitForEnd()
    }

    /// Nor over the metadata object, past the tool: the app knows best.
    func testAReceiverOfSeparateStreamsRefusesLevelsWhoeverAsks() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        let receiver = try await bus.separateReceiver("in", state: ()) { _, _, _ in }
        try await bus.connect(source, to: receiver)
        let attempts: [@Sendable () async throws -> Void] = [
            { try await receiver.setVolume(0.1, for: source.id) }, { try await receiver.setPan(1, for: source.id) },
            { try await receiver.setMuted(true, for: source.id) },
            { try await receiver.setSoloed(true, for: source.id) },
            { try await receiver.setLevel(SourceLevel(), for: source.id) },
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
        let name = try await metadataName(at: daemon)
        let notices = bus.notices
        let setter = try ChildProcess(
            "/usr/bin/pw-metadata", ["-n", name, "0", "level/in/\(source.id.serial)/volume", "0.5", "Spa:Float"],
            environment: daemon.environment())
        try await setter.waitForEnd()
        var told = notices.makeAsyncIterator()
        var notice = await told.next()
        while notice?.kind == .noRealtimePriority { notice = await told.next() }
        XCTAssertEqual(notice?.kind, .requestRefused)
        XCTAssertEqual(notice?.message.contains("does not mix its sources"), true, notice?.message ?? "none")
        let level = try await receiver.sources.first?.level
        XCTAssertEqual(level, SourceLevel())
        let reader = try ChildProcess("/usr/bin/pw-metadata", ["-n", name], environment: daemon.environment())
        try await reader.waitForEnd()
        XCTAssertFalse(reader.output.text.contains("key:'level/"), reader.output.text)
    }

    func testNonsenseIsRefusedWithAReasonAndToldToTheApp() async throws {
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
        var told = notices.makeAsyncIterator()
        for (key, value, reason) in requests {
            let arguments = ["-n", name] + (value.map { ["0", key, $0] } ?? ["-d", "0", key])
            let process = try ChildProcess("/usr/bin/pw-metadata", arguments, environment: stage.daemon.environment())
            try await process.waitForEnd()
            var notice = await told.next()
            while notice?.kind == .noRealtimePriority { notice = await told.next() }
            XCTAssertEqual(notice?.kind, .requestRefused)
            XCTAssertEqual(notice?.message.contains(reason), true, "\(notice?.message ?? "nothing") for \(key)")
        }
        let level = try await stage.receiver.level(of: stage.source.id)
        XCTAssertEqual(level, SourceLevel(volume: 0.5), "nothing got through")
        // The reason can be read, and a number that is too large is set to the largest.
        let monitor = try ChildProcess("/usr/bin/pw-metadata", ["-n", name], environment: stage.daemon.environment())
        try await monitor.waitForEnd()
        XCTAssertTrue(monitor.output.text.contains("a level can be set, and not removed"), monitor.output.text)
        let setter = try ChildProcess(
            "/usr/bin/pw-metadata", ["-n", name, "0", volume, "44", "Spa:Float"],
            environment: stage.daemon.environment())
        try await setter.waitForEnd()
        try await eventually("the volume to be set") {
            try await stage.receiver.level(of: stage.source.id) == SourceLevel(volume: 1)
        }
    }

    /// What was taken is no refusal, whoever has set something else since.
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

    func testAnAppIsToldWhenSomebodyTakesItsLevelsAwayAndSharesThemAnewWithItsNextReceiver() async throws {
        let stage = try await makeStage()
        let dump = try ChildProcess("/usr/bin/pw-cli", ["ls", "Metadata"], environment: stage.daemon.environment())
        try await dump.waitForEnd()
        // "id 33, type ...", some lines above the name.
        let objects = dump.output.text.split(separator: "id ").filter { $0.contains("\"pipebus.") }
        let id = try XCTUnwrap(objects.first?.prefix { $0.isNumber }, dump.output.text)
        let destroyer = try ChildProcess(
            "/usr/bin/pw-cli", ["destroy", String(id)], environment: stage.daemon.environment())
        try await destroyer.waitForEnd()
        var told = stage.bus.notices.makeAsyncIterator()
        var notice = await told.next()
        while notice?.kind == .noRealtimePriority { notice = await told.next() }
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

    /// What the app's shared state is called.
    private func metadataName(at daemon: HeadlessPipeWire) async throws -> String {
        let dump = try ChildProcess("/usr/bin/pw-cli", ["ls", "Metadata"], environment: daemon.environment())
        try await dump.waitForEnd()
        let words = dump.output.text.split(separator: "\"").map(String.init)
        return try XCTUnwrap(words.first { $0.hasPrefix("pipebus.") }, dump.output.text)
    }
}

// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// `pipebus volume`, `pan`, `mute` and `solo`: values, output and errors.
final class LevelCommandTests: LevelCommandTestCase {
    func testTheToolReadsAndSetsEveryPart() async throws {
        let stage = try await makeStage()
        for (command, first, set, then, level) in [
            ("volume", "1", "0.25", "0.25", Source.Level(volume: 0.25)),
            ("pan", "0", "-0.5", "-0.5", Source.Level(volume: 0.25, pan: -0.5)),
            ("mute", "off", "on", "on", Source.Level(volume: 0.25, pan: -0.5, isMuted: true)),
            ("solo", "off", "on", "on", Source.Level(volume: 0.25, pan: -0.5, isMuted: true, isSoloed: true)),
            ("mute", "on", "off", "off", Source.Level(volume: 0.25, pan: -0.5, isSoloed: true)),
            // A volume out of range is clamped.
            ("volume", "0.25", "7", "1", Source.Level(volume: 1, pan: -0.5, isSoloed: true)),
            ("pan", "-0.5", "-100%", "-1", Source.Level(volume: 1, pan: -1, isSoloed: true)),
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
        XCTAssertTrue(list.contains("← \(stage.source.nodeName)  0.0 dB, L100, solo"), list)
        let json = Data(try await value(["list", "--json"], at: stage.daemon).utf8)
        let apps = (try JSONSerialization.jsonObject(with: json) as? [String: Any])?["apps"] as? [[String: Any]]
        let ports = apps?.flatMap { $0["ports"] as? [[String: Any]] ?? [] }
        let levels = ports?.compactMap { $0["levels"] as? [String: [String: Any]] }.first { !$0.isEmpty }
        XCTAssertEqual(levels?[stage.source.nodeName]?["pan"] as? Double, -1)
    }

    /// A receiver that only takes sound can be nothing but the receiver.
    func testTheReceiverMayComeFirst() async throws {
        let stage = try await makeStage()
        let names = [stage.receiver.nodeName, stage.source.nodeName]
        for (command, set) in [("volume", "0.25"), ("pan", "-0.5"), ("mute", "on"), ("solo", "on")] {
            let after = try await value([command] + names + [set], at: stage.daemon)
            XCTAssertEqual(after, "\(command)=\(set)")
            let before = try await value([command] + names, at: stage.daemon)
            XCTAssertEqual(before, "\(command)=\(set)")
        }
        let level = try await stage.receiver.level(of: stage.source.id)
        XCTAssertEqual(level, Source.Level(volume: 0.25, pan: -0.5, isMuted: true, isSoloed: true))
    }

    /// A source that also takes sound, and a mixer that also gives it.
    func testTheReceiverMayComeFirstWhateverElseTheTwoCanBe() async throws {
        let daemon = try await startDaemon()
        let tone = try await connectClient(to: daemon.remote, as: "Tone")
        _ = try await tone.source("main", of: .counting, channels: .stereo)
        let echo = try await connectClient(to: daemon.remote, as: "Echo")
        _ = try await echo.filter("fx", state: ()) { _, _, _, _ in }
        let mixer = try await connectClient(to: daemon.remote, as: "Mixer")
        let (receiver, _) = try await mixer.keeper(channels: .stereo)
        _ = try await mixer.source("mix", of: .counting, channels: .stereo)
        for source in ["Tone", "Echo"] { try await mixer.connect(source, to: receiver) }
        for names in [["mixer", "tone"], ["Mixer", "Echo"], ["tone", "mixer"], ["echo", "Mixer"]] {
            for set in ["0.25", "0.5"] {
                let text = try await value(["volume"] + names + [set], at: daemon)
                XCTAssertEqual(text, "volume=\(set)", "\(names)")
            }
        }
        let reversed = try await pipebus(["disconnect", "mixer", "tone"], at: daemon)
        try await assertOneSentence(
            reversed, from: "pipebus", status: 1, saying: "Tone.main goes to Mixer.in; name them the other way round")
        _ = try await value(["disconnect", "tone", "mixer"], at: daemon)
    }

    func testLevelsAsJSON() async throws {
        struct Document: Decodable, Equatable {
            struct Level: Decodable, Equatable {
                var source: String
                var volume: Double
                var pan: Double
                var isMuted: Bool
                var isSoloed: Bool
            }
            var version: Int
            var receiver: String
            var levels: [Level]
        }
        let stage = try await makeStage()
        let (source, receiver) = (stage.source.nodeName, stage.receiver.nodeName)
        var expected = Document(
            version: 1, receiver: receiver,
            levels: [.init(source: source, volume: 0.501187, pan: 0, isMuted: false, isSoloed: false)])
        for arguments in [
            ["volume", source, receiver, "-6dB", "--json"], ["volume", receiver, "--json"],
            ["mute", "--json", receiver],
            ["pan", source, receiver, "--json"], ["solo", source, receiver, "on", "--json"],
            ["solo", receiver, "--json"],
        ] {
            if arguments.contains("on") { expected.levels[0].isSoloed = true }
            let text = try await value(arguments, at: stage.daemon)
            XCTAssertEqual(try JSONDecoder().decode(Document.self, from: Data(text.utf8)), expected, text)
        }
    }

    func testAVolumeAboveTheRangeIsSaidToBeClamped() async throws {
        let stage = try await makeStage()
        let names = [stage.source.nodeName, stage.receiver.nodeName]
        for (typed, isAbove) in [
            ("1.01", true), ("1", false), ("6dB", true), ("0dB", false), ("0.5", false), ("100%", false),
        ] {
            let process = try await pipebus(["volume"] + names + [typed], at: stage.daemon)
            XCTAssertEqual(process.ending, .exited(0), process.errors.text)
            let sentence = "pipebus: \(typed) is above the highest volume, so the volume is 1 (0 dB)."
            XCTAssertEqual(process.errors.lines, isAbove ? [sentence] : [], typed)
        }
        let percent = try await pipebus(["volume"] + names + ["101%"], at: stage.daemon)
        XCTAssertEqual(
            percent.errors.lines, ["pipebus: 101% is above the highest volume, so the volume is 100% (0 dB)."])
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
            // Decibels whose unit was forgotten are not silence.
            (["volume", source, receiver, "-6"], 64, negative("-6")),
            (["volume", source, receiver, "\u{2212}1"], 64, negative("\u{2212}1")),
            (["volume", source, receiver, "-1e-9"], 64, negative("-1e-9")),
            (["volume", source, receiver, "-5%"], 64, "A volume is 0% to 100%"),
            (["volume", source, receiver, "inf%"], 64, refusal("inf%")),
            (["pan", source, receiver, "∞"], 64, "or -30%, not \"∞\"."),
            (["pan", source, receiver, "2"], 64, "pan takes a number from -1 (left) to 1 (right), such as -0.3"),
            (["volume", source, receiver, "-6", "-3"], 64, "volume takes one value, not \"-6 -3\"."),
            (["volume", source, receiver, "-6,5dB"], 64, "has a comma; write it with a point, as in -6.5dB."),
            (["pan", source, receiver, "-0,3"], 64, "has a comma; write it with a point, as in -0.3."),
            (["pan", source, receiver, "0.1", "0.2"], 64, "pan takes one value, not \"0.1 0.2\"."),
            (["mute", source, receiver, "maybe"], 64, "mute takes on, off or toggle, not \"maybe\"."),
            (["solo"], 64, "Missing expected argument '<source>'"), (["solo", source], 64, "only gives sound"),
            (["volume", receiver, "0.5"], 64, "name the source, then the receiver, then the value."),
            (["volume", receiver, "-6dB"], 64, "name the source, then the receiver, then the value."),
            (["pan", receiver, "-0.3"], 64, "pan of a source is that at a receiver; name the source"),
            (["mute", "on", source, receiver], 64, "\"pipebus mute \(source) \(receiver) on\""),
            (["mute", "on", source], 64, "\"pipebus mute \(source) RECEIVER on\""),
            (["solo", "toggle", receiver], 64, "\"pipebus solo SOURCE \(receiver) toggle\""),
            (["pan", "L30", source, receiver], 64, "\"pipebus pan \(source) \(receiver) L30\""),
            (["volume", "50%", source], 64, "\"pipebus volume \(source) RECEIVER 50%\""),
            (["mute", "on"], 64, "name the source, then the receiver, then the value."),
            (["volume", receiver, "--jsn"], 64, "Unknown option '--jsn'"),
            (["volume", source, "Nobody"], 1, "There is no port or app called \"Nobody\" that takes sound"),
            (["volume", other.nodeName, receiver], 1, "is not connected to"),
        ] {
            let process = try await pipebus(arguments, at: stage.daemon)
            XCTAssertEqual(process.ending, .exited(Int32(status)), "\(arguments)")
            XCTAssertTrue(process.errors.text.contains(sentence), "\(arguments): \(process.errors.text)")
            XCTAssertEqual(process.output.text, "")
        }
        let level = try await stage.receiver.level(of: stage.source.id)
        XCTAssertEqual(level, Source.Level())
    }

    private func negative(_ text: String) -> String {
        "A volume is 0 to 1, or in decibels such as -6dB, not \"\(text)\"."
    }

    private func refusal(_ text: String) -> String {
        "volume takes a number from 0 to 1, or one of decibels such as -6dB, not \"\(text)\"."
    }

    func testAPanIsTakenAsMusiciansWriteIt() throws {
        func pan(_ text: String) -> Double? {
            guard case .pan(let pan) = try? TypedLevel.pan(text) else { return nil }
            return pan
        }
        for (text, expected) in [
            ("-0.3", -0.3), ("1", 1), ("+1", 1), ("0", 0), ("\u{2212}1", -1), ("L", -1), ("left", -1), ("Right", 1),
            ("r", 1),
            ("C", 0), ("center", 0), ("Centre", 0), ("L30", -0.3), ("30L", -0.3), ("r100", 1), ("12.5R", 0.125),
            ("L0", 0),
            ("-30%", -0.3), ("100%", 1), ("0%", 0), ("-30 %", -0.3),
        ] { XCTAssertEqual(pan(text), expected, text) }
        // Beyond the range, or of several meanings.
        for text in [
            "2", "-1.01", "30", "101%", "L101", "L1", "0.5R", "L-30", "LR", "L30R", "%", "", "nan", "inf", "L\u{221E}",
            "lef",
            "1e-400L", "L²",
        ] { XCTAssertNil(pan(text), text) }
    }

    func testAVolumeMayBeOfDecibels() async throws {
        let stage = try await makeStage()
        let names = [stage.source.nodeName, stage.receiver.nodeName]
        for (typed, volume) in [
            ("-6dB", pow(10, -0.3)), ("-20DB", 0.1), ("-0.5db", pow(10, -0.025)), ("0dB", 1), ("6dB", 1), ("-infdB", 0),
            ("-1e300dB", 0), ("\u{2212}12dB", pow(10, -0.6)), ("\u{2212}∞dB", 0), ("0dB", 1), ("-∞dB", 0),
            ("1", 1), ("-inf", 0), ("50%", 0.5), ("-∞", 0), ("100%", 1), ("\u{2212}∞", 0), ("12.5%", 0.125), ("0%", 0),
        ] {
            // As exactly as a linear number, and shown as such in a pipe, with six digits.
            let after = try await value(["volume"] + names + [typed], at: stage.daemon)
            let level = try await stage.receiver.level(of: stage.source.id)
            XCTAssertEqual(level.volume, volume, accuracy: 1e-15, typed)
            let shown = after.dropFirst("volume=".count)
            XCTAssertEqual(Double(shown) ?? -1, volume, accuracy: 5e-7, after)
            XCTAssertLessThanOrEqual(shown.count, "0.".count + 6, after)
        }
        _ = try await value(["volume"] + names + ["-6dB"], at: stage.daemon)
        let pan = try await value(["pan"] + names + ["\u{2212}0.123456789"], at: stage.daemon)
        XCTAssertEqual(pan, "pan=-0.123457")
        let list = try await value(["list"], at: stage.daemon)
        XCTAssertTrue(list.contains("-6.0 dB, L12"), list)
        let json = try await value(["list", "--json"], at: stage.daemon)
        XCTAssertTrue(json.contains("\"volume\" : 0.501187"), json)
        try await stage.receiver.setVolume(decibels: -40, for: stage.source.id)
        let level = try await stage.receiver.level(of: stage.source.id)
        XCTAssertEqual(level.volumeInDecibels, -40, accuracy: 1e-12)
    }

    /// As the tools print them, each as one word of a shell or as two.
    func testAVolumeMayHaveASpaceBeforeItsUnit() async throws {
        let stage = try await makeStage()
        let names = [stage.source.nodeName, stage.receiver.nodeName]
        for (typed, shown) in [
            (["-6 dB"], "0.501187"), (["50 %"], "0.5"), (["-6.0 dB"], "0.501187"), (["-∞ dB"], "0"),
            (["-20", "dB"], "0.1"), (["--", "-6dB"], "0.501187"), (["25", "%"], "0.25"), (["--", "-20", "dB"], "0.1"),
            (["0.0 dB"], "1"),
        ] {
            let after = try await value(["volume"] + names + typed, at: stage.daemon)
            XCTAssertEqual(after, "volume=\(shown)", "\(typed)")
        }
        let pan = try await value(["pan"] + names + ["--", "-30 %"], at: stage.daemon)
        XCTAssertEqual(pan, "pan=-0.3")
        for typed in ["-6  dB", " dB", "dB", "%", "-1 %"] {
            let process = try await pipebus(["volume"] + names + [typed], at: stage.daemon)
            try await assertOneSentence(process, from: "pipebus", status: 64, saying: "-6dB, not \"\(typed)\"")
        }
    }

    /// A person at a terminal reads levels as in `graph`, `list` and `watch`.
    func testATerminalShowsLevelsAsTheGraphDoes() async throws {
        let stage = try await makeStage()
        let tool = Programs.path(of: "pipebus")
        let names = "\(stage.source.nodeName) \(stage.receiver.nodeName)"
        for (command, typed, shown) in [
            ("volume", "0.1", "volume -20.0 dB"), ("volume", "-3dB", "volume -3.0 dB"), ("volume", "0", "volume -∞ dB"),
            ("pan", "-0.5", "pan L50"), ("pan", "30%", "pan R30"), ("pan", "c", "pan C"),
        ] {
            let script = try start(
                "pipebus", [], at: stage.daemon.environment(),
                through: [
                    "/bin/sh", "-c", "exec script -qec 'exec \(tool) \(command) \(names) \(typed)' /dev/null", "sh",
                ])
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
        XCTAssertTrue(process.errors.text.contains("keeps no levels of its sources"), process.errors.text)
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// An impossible request is answered with one sentence and an exit status other than 0, and nothing else.
final class BadInputTests: ToolTestCase {
    private static let long = String(repeating: "x", count: 10_240)
    private static let control = "a\u{1B}[31m\nb\u{7}"

    func testACommandLineThatCannotBeUsed() async throws {
        let file = "/nonexistent.wav"
        let cases: [(tool: String, arguments: [String], words: String)] = [
            ("tone-sender", [], "--frequency"),
            ("tone-sender", ["--bogus"], "Unknown option '--bogus'; see tone-sender --help."),
            ("tone-sender", ["440"], "Unexpected argument '440'; see tone-sender --help."),
            ("tone-sender", ["--frequency", "440", "--file", file], "and not both"),
            ("tone-sender", ["--frequency", "440", "--loop"], "--loop is for --file; leave it out"),
            ("tone-sender", ["--frequency", "-5"], "not -5"),
            ("tone-sender", ["--frequency", "0"], "not 0"),
            ("tone-sender", ["--frequency", "nan"], "not nan"),
            ("tone-sender", ["--frequency", "inf"], "not inf"),
            ("tone-sender", ["--frequency", "1e300"], "not 1e+300"),
            (
                "tone-sender", ["--frequency", "loud"],
                "--frequency takes a number, not 'loud'; see tone-sender --help."
            ),
            ("tone-sender", ["--frequency", "440", "--gain", "nan"], "--gain"),
            ("tone-sender", ["--frequency", "440", "--gain", "1000"], "--gain"),
            ("tone-sender", ["--frequency", "440", "--gain", "6dBFS"], "-6dB"),
            ("tone-sender", ["--frequency", "440", "--gain", "-infdB"], "-6dB"),
            ("tone-sender", ["--frequency", "440", "--latency", "-1"], "--latency"),
            ("tone-sender", ["--frequency", "440", "--latency", "99999999999999999999"], "--latency"),
            ("tone-sender", ["--frequency", "440", "--duration", "-1"], "--duration"),
            ("tone-sender", ["--frequency", "440", Self.control], "Unexpected"),
            ("tone-sender", ["--frequency", "440", "--\(Self.long)"], "Unknown option"),
            (
                "tone-sender", ["--frequency", "440", "--name", Self.control],
                "control characters or marks that turn the direction of text; use printable ones only."
            ),
            ("tone-sender", ["--frequency", "440", "--name", Self.long], "has 10240 bytes; shorten it to 128."),
            ("tone-sender", ["--frequency", "440", "--name", ""], "may not be empty; give one that can be seen."),
            ("tone-sender", ["--frequency", "440", "--remote", Self.long], "daemon"),
            ("echo-filter", ["--channels", "0"], "not 0"),
            ("echo-filter", ["--channels", "1000"], "not 1000"),
            ("echo-filter", ["--delay", "-1"], "--delay"),
            ("echo-filter", ["--delay", "1000000000000"], "--delay"),
            ("echo-filter", ["--feedback", "1"], "--feedback"),
            ("echo-filter", ["--feedback", "nan"], "not nan"),
            ("echo-filter", ["--delay", "0"], "--delay"),
            ("echo-filter", ["--delay", "0", "--bogus"], "Unknown option '--bogus'"),
            (
                "echo-filter", ["--name", "a/b"],
                "may not contain : or /, which separate names in PipeWire's tools; leave them out."
            ),
            ("echo-filter", ["--channels", "3", "--ping-pong"], "give --channels 2, or leave it out."),
            (
                "echo-filter", ["--dry=1"],
                "'--dry' does not take any value, but '1' was specified; see echo-filter --help."
            ),
            ("echo-filter", ["--delay", "1.5"], "--delay takes a whole number in digits, not '1.5'"),
            (
                "echo-filter", ["--delay", "99999999999999999999"],
                "--delay takes a smaller number, not '99999999999999999999'"
            ),
            ("tone-sender", ["--file", ""], "--file is empty; name a sound file"),
            ("tone-sender", ["--file", "-"], "which streaming-player plays; name one, or ./- if it is called so."),
            ("tone-sender", ["--frequency", "440", "--remote", ""], "The name of a daemon may not be empty; give"),
            ("tone-sender", ["440", "441"], "'440', '441'; see tone-sender --help."),
            ("track-mixer", ["--levels", ""], "is empty; name a file, such as levels.json."),
            ("streaming-player", ["--rate", ""], "--rate takes a number, not ''; see streaming-player --help."),
            (
                "streaming-player", ["--sample", "x"],
                "--sample takes 'int16', 'int24', 'int32' or 'float32', not 'x'; see"
            ),
            ("track-recorder", [], "--output"),
            ("track-recorder", ["--output", "x.wav", "--lanes", "0"], "not 0"),
            ("track-recorder", ["--output", "x.wav", "--lanes", "1000"], "not 1000"),
            ("track-recorder", ["--output", "x.wav", "--channels", "0"], "not 0"),
            ("track-recorder", ["--output", "x.wav", "--channels", "1000"], "not 1000"),
            ("track-recorder", ["--output", "x.wav", "--bits", "17"], "not 17"),
            ("track-recorder", ["--output", "x.wav", "--rate", "7999"], "--rate takes 8000 to 384000 Hz, not 7999"),
            ("track-recorder", ["--output", "x.wav", "--rate", "384001"], "not 384001"),
            ("track-recorder", ["--output", "x.wav", "--rate", "-1"], "not -1"),
            ("track-recorder", ["--output", "x.wav", "--rate", "cd"], "--rate takes a number, not 'cd'"),
            ("track-recorder", ["--output", "x.wav", "--rate", "99999999999999999999"], "--rate"),
            ("track-recorder", ["--output", ""], "--output is empty"),
            ("track-recorder", ["--separate", "--output", ""], "name a folder"),
            ("track-recorder", ["--output", "slash/"], "names the folder slash/; name a file, such as slash/take.wav"),
            (
                "track-recorder", ["--output", "a.wav/z.mp3"],
                "track-recorder writes WAV, FLAC and RF64 files; end the name in"
            ),
            (
                "track-recorder", ["--output", "z.wav.FLAC", "--format", "wav"],
                "writes WAV files; end the name in .wav"
            ),
            ("track-recorder", ["--output", "z.wav", "--format", "flac"], "end the name in .flac"),
            ("track-recorder", ["--output", "z.flac", "--format", "rf64"], "end the name in .rf64"),
            (
                "track-recorder", ["--output", "z.wav", "--format", "mp3"],
                "--format takes 'wav', 'flac' or 'rf64', not 'mp3'; see"
            ),
            ("track-recorder", ["--output", "z.flac", "--bits", "32"], "16 or 24 for a FLAC file"),
            ("track-recorder", ["--separate", "--output", "z", "--format", "flac", "--bits", "32"], "integers only"),
            (
                "track-recorder", ["--output", "z.flac", "--rate", "65537"],
                "ends in 0, unlike 65537; give another --rate"
            ),
            ("track-recorder", ["--output", "z.flac", "--channels", "9"], "at most 8 channels, not 9"),
            ("pipebus", ["demo", "--output", "z.ogg"], "pipebus demo writes WAV files; end the name in .wav"),
            ("pipebus", ["demo", "--output", "slash/"], "such as slash/take.wav"),
            ("track-recorder", ["--output", "x.wav", "--from", ""], "by an empty name"),
            ("track-recorder", ["--output", "x.wav", "--from", "One", "--from", " "], "with --from"),
            (
                "track-recorder", ["--output", "x.wav", "--lanes", "1", "--from", "One", "--from", "Two"],
                "give --lanes 2"
            ),
            ("track-recorder", ["--output", "-"], "standard output"),
            ("track-recorder", ["--separate", "--output", "-"], "standard output"),
            ("track-recorder", ["--output", "x.wav", "--lanes", "64", "--channels", "17"], "not 64 × 17"),
            ("track-recorder", ["--separate", "--output", "x", "--lanes", "64", "--channels", "64"], "at most 1024"),
            ("track-recorder", ["--output", "x.wav", "--duration", "nan"], "not nan"),
            ("pipebus", ["conect"], "conect"),
            ("pipebus", ["dir"], "\"dir\" is no command; the commands are list, graph, watch, connect, disconnect"),
            ("pipebus", ["con", "one", "two"], "\"con\" is no command; the commands"),
            (
                "pipebus", ["conect", "one", "two"],
                "\"conect\" is no command; is \"connect\" meant? The commands are list,"
            ),
            ("pipebus", ["help", "nonsense"], "\"nonsense\" is no command"),
            ("pipebus", [Self.long, "--json"], "demo and completion."),
            ("pipebus", [""], "\"\" is no command"),
            ("pipebus", ["--bogus"], "Unknown option '--bogus'"),
            ("pipebus", ["connect", "one"], "'<destination>'; see pipebus connect --help."),
            ("pipebus", ["connect", "one", "two", "--timeout", "-1"], "--timeout"),
            ("pipebus", ["connect", "one", "two", "--timeout", "nan"], "not nan"),
            ("pipebus", ["graph", ""], "The name is empty"),
            ("pipebus", ["graph", "--svg", ""], "name a file after --svg"),
            ("pipebus", ["graph", "--svg", "x.svg", "--dot"], "--dot prints text; give one of them."),
            ("pipebus", ["volume"], "'<source>'"),
            ("pipebus", ["volume", "one", "-6dB"], "name the source, then the receiver, then the value."),
            ("pipebus", ["volume", "one", "two", "loud"], "not \"loud\""),
            ("pipebus", ["pan", "one", "two", "--left"], "not \"--left\""),
            ("pipebus", ["mute", "one", "two", "perhaps"], "not \"perhaps\""),
            ("pipebus", ["solo", "one", "two", "on", "off"], "off"),
        ]
        for (tool, arguments, words) in cases {
            let process = try start(tool, arguments)
            try await assertOneSentence(process, from: tool, status: 64, saying: words)
            XCTAssertEqual(process.output.text, "")
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: "x.wav"))
    }

    func testAnUnknownOptionLikeAKnownOneIsNamed() async throws {
        let process = try start("tone-sender", ["--freq", "440"])
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(64))
        // The parser asks back, with an option that looks like it.
        XCTAssertTrue(process.errors.text.contains("Unknown option '--freq', where '--f"), process.errors.text)
    }

    func testNoDaemonIsReportedWithThePlacesThatWereTried() async throws {
        let cases: [(tool: String, arguments: [String])] = [
            ("tone-sender", ["--frequency", "440"]), ("echo-filter", []),
            ("track-recorder", ["--output", "\(folder)/x.wav"]), ("pipebus", ["list"]),
            ("pipebus", ["connect", "one", "two"]), ("pipebus", ["disconnect", "one", "two"]),
        ]
        for (tool, arguments) in cases {
            try await assertOneSentence(
                start(tool, arguments), from: tool, status: 1, saying: "/nonexistent/pipebus/pipewire-0")
            try await assertOneSentence(
                start(tool, arguments + ["--remote", "other"]), from: tool, status: 1,
                saying: "/nonexistent/pipebus/other")
        }
        try await assertOneSentence(
            start("pipebus", ["demo", "--remote", "other"]), from: "pipebus", status: 1, saying: "other")
        XCTAssertFalse(FileManager.default.fileExists(atPath: "\(folder)/x.wav"))
    }

    func testFilesThatAreNoSound() async throws {
        let text = "\(folder)/text.wav"
        try String(repeating: "no sound at all\n", count: 100).write(toFile: text, atomically: false, encoding: .utf8)
        let empty = "\(folder)/empty.wav"
        try Data().write(to: URL(fileURLWithPath: empty))
        let silent = "\(folder)/silent.wav"
        try WaveFile.write([], channelCount: 2, sampleRate: 48_000, to: silent)
        let wide = "\(folder)/wide.wav"
        try WaveFile.write([Float](repeating: 0, count: 65), channelCount: 65, sampleRate: 48_000, to: wide)
        let truncated = "\(folder)/truncated.wav"
        try WaveFile.write([], channelCount: 1, sampleRate: 48_000, claiming: 1000, to: truncated)
        let pipe = "\(folder)/pipe.wav"
        XCTAssertEqual(unsafe mkfifo(pipe, 0o600), 0)
        let cases = [
            (text, "not a sound file"), (empty, "is empty; use a file that holds sound."), (silent, "holds no sound"),
            (truncated, "holds no sound"), (wide, "65 channels"),
            (pipe, "not a file"), (folder, "is a folder; name a sound file in it."),
            ("\(folder)/none.wav", "No such file"),
        ]
        for (path, words) in cases {
            let sentence = try await assertOneSentence(
                start("tone-sender", ["--file", path]), from: "tone-sender", status: 1, saying: words)
            XCTAssertTrue(sentence.contains(path), sentence)
            try await assertOneSentence(
                start("pipebus", ["demo", "--file", path]), from: "pipebus", status: 1, saying: words)
        }
    }

    /// At once, and not when something is connected.
    func testFilesOfARateThatNoStreamHas() async throws {
        for rate in [1, 7999, 384_001, 1 << 30] {
            let path = "\(folder)/\(rate).wav"
            try WaveFile.write([0.5], channelCount: 1, sampleRate: rate, to: path)
            let sentence = try await assertOneSentence(
                start("tone-sender", ["--file", path]), from: "tone-sender", status: 1, saying: "\(rate) Hz")
            XCTAssertTrue(sentence.contains("8000 to 384000"), sentence)
        }
    }

    func testFilesThatMayNotBeUsed() async throws {
        try XCTSkipUnless(getuid() == 0, "takes root, to become somebody who may not")
        let daemon = try await startDaemon()
        let sound = "\(folder)/sound.wav"
        try WaveFile.write([0.5], channelCount: 1, sampleRate: 48_000, to: sound)
        unsafe chmod(sound, 0o600)
        unsafe chmod(folder, 0o755)
        let nobody = ["setpriv", "--reuid=nobody", "--clear-groups"]
        let ending = try await start("tone-sender", ["--help"], through: nobody).waitForEnd()
        try XCTSkipUnless(ending == .exited(0), "nobody may not run what is built here")
        try await assertOneSentence(
            start("tone-sender", ["--file", sound], through: nobody), from: "tone-sender", status: 1,
            saying: "Permission denied")
        // The private daemon's directory is not for others either.
        try await assertOneSentence(
            start("tone-sender", ["--frequency", "440", "--remote", daemon.remote], through: nobody),
            from: "tone-sender", status: 1, saying: "may not use")
    }

    func testPlacesWhereNoRecordingCanBe() async throws {
        let daemon = try await startDaemon()
        let cases = [
            (folder, "Is a directory; name a file in that folder"),
            ("\(folder)/none/track.wav", "No such file or directory; check the name and its folder"),
            ("/dev/full", "not a file"),
            ("\(folder)/\(Self.long).wav", "File name too long"),
        ]
        for (path, words) in cases {
            try await assertOneSentence(
                start("track-recorder", ["--output", path], at: daemon.environment()), from: "track-recorder",
                status: 1, saying: words)
        }
    }

    func testANodeThatPipeWireGivesAnotherName() async throws {
        let daemon = try await startDaemon()
        try await assertOneSentence(
            start(
                "tone-sender", ["--frequency", "440"], at: daemon.environment(),
                adding: ["PIPEWIRE_PROPS": "{ node.name = other }"]), from: "tone-sender", status: 1,
            saying: "node.name")
    }

    func testPortsThatAreNotThere() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .channels(3))
        let (port, _) = try await bus.keeper(channels: .stereo)
        for name in ["Nobody", Self.control, Self.long, "", " "] {
            let isEmpty = name.allSatisfy(\.isWhitespace)
            let words = isEmpty ? "empty name" : "no port or app"
            // A port with an empty name never appears, so the command does not wait for it.
            let connect = try start(
                "pipebus", ["connect", name, port.nodeName, "--timeout", isEmpty ? "600" : "0.1"],
                at: daemon.environment())
            try await assertOneSentence(connect, from: "pipebus", status: 1, saying: words)
            let disconnect = try start("pipebus", ["disconnect", name, port.nodeName], at: daemon.environment())
            try await assertOneSentence(disconnect, from: "pipebus", status: 1, saying: words)
        }
        let mismatch = try start("pipebus", ["connect", source.nodeName, port.nodeName], at: daemon.environment())
        try await assertOneSentence(mismatch, from: "pipebus", status: 1, saying: "3 channels")
    }
}

// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import RealtimeKit
import ToolSupport
import XCTest

/// Where `track-recorder` writes, and what it leaves alone.
final class TrackRecorderOutputTests: ToolTestCase {
    func testWithoutSoundAFileStaysAsItWas() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        for contents in [nil, "", "RIFFxxxxWAVE an earlier take"] {
            let path = "\(folder)/track.wav"
            try contents?.write(toFile: path, atomically: false, encoding: .utf8)
            let tool = try start("track-recorder", ["--output", path], at: daemon.environment())
            try await waitForPort("Recorder.in", of: tool, seenBy: bus)
            tool.signal(SIGINT)
            let figures = try await figures(of: tool)
            XCTAssertEqual(figures["frames"], "0")
            XCTAssertEqual(figures["first_position"], "none")
            XCTAssertEqual(try? String(contentsOfFile: path, encoding: .utf8), contents)
        }
    }

    /// A recorder that is killed leaves a file that programs open, at any time.
    func testANewFileIsValidBeforeAnythingIsConnected() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        for (name, isThere) in [("a.wav", false), ("b.flac", false), ("c.rf64", false), ("d.wav", true)] {
            let path = "\(folder)/\(name)"
            if isThere { try Data().write(to: URL(fileURLWithPath: path)) }
            let tool = try start(
                "track-recorder", ["--output", path, "--channels", "3", "--rate", "96000"], at: daemon.environment())
            try await waitForPort("Recorder.in", of: tool, seenBy: bus)
            tool.signal(SIGKILL)
            try await tool.waitForEnd()
            let file = try SoundFileReader(path: path)
            XCTAssertEqual(file.channelCount, 3, name)
            XCTAssertEqual(file.sampleRate, 96_000, name)
            XCTAssertEqual(try file.read(upTo: 1), [], name)
            if !name.hasSuffix("flac") { XCTAssertEqual(try WaveFile.read(path).channels, [[], [], []], name) }
            try await eventually("its port to go") {
                await !bus.graph.ports.contains { $0.nodeName == "Recorder.in" }
            }
        }
    }

    /// A take is lost at the first sound only: not by a connection, nor by the end of a take of silence.
    func testAnEarlierTakeIsReplacedAtTheFirstSound() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let level = Parameter<Float>(0)
        let source = try await bus.sender("out", channels: .mono, state: level.makeReader()) { level, _, output in
            let sample = level.value
            output.fill(0) { _ in sample }
        }
        let path = "\(folder)/track.wav"
        let earlier = Data("RIFFxxxxWAVE an earlier take".utf8)
        try earlier.write(to: URL(fileURLWithPath: path))
        for sound: Float in [0, 0.5] {
            let tool = try start(
                "track-recorder", ["--output", path, "--channels", "1"], at: stepper.environment())
            try await waitForPort("Recorder.in", of: tool, seenBy: bus)
            try await bus.connect(source, to: "Recorder")
            try await stepper.settle()
            let position = await stepper.position
            try await stepper.step(1024, cycles: 4)
            // The end of the silence is written before the first sound, if it is written.
            XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), earlier)
            level.value = sound
            try await stepper.step(1024, cycles: 2)
            tool.signal(SIGINT)
            let figures = try await figures(of: tool)
            if sound == 0 {
                XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), earlier)
                XCTAssertEqual(figures["files"], "0")
                XCTAssertEqual(figures["frames"], "0")
                XCTAssertEqual(figures["first_position"], "none")
                try await eventually("its port to go") {
                    await !bus.graph.ports.contains { $0.nodeName == "Recorder.in" }
                }
                continue
            }
            // It begins with the connection, as any other.
            XCTAssertEqual(figures["first_position"], "\(position)")
            let silence = [Float](repeating: 0, count: 4096)
            assertSamples(
                try WaveFile.read(path).channels[0], equal: silence + [Float](repeating: sound, count: 2048))
        }
    }

    func testAFileThatIsNoWAVFileIsLeftAlone() async throws {
        let daemon = try await startDaemon()
        let path = "\(folder)/notes"
        for contents in ["precious", "RIFF", "RIFFxxxxAVI precious"] {
            try contents.write(toFile: path, atomically: false, encoding: .utf8)
            let tool = try start("track-recorder", ["--output", path], at: daemon.environment())
            try await assertOneSentence(tool, from: "track-recorder", status: 1, saying: "is no WAV file")
            XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), contents)
        }
    }

    /// A person sees at once that the path is of no use, not when a daemon comes.
    func testThePathIsCheckedBeforeADaemonIsWaitedFor() async throws {
        let daemon = try await startDaemon()
        try await daemon.kill()
        for options in [[], ["--separate"]] {
            let useless = try start(
                "track-recorder", ["--wait", "--output", "\(folder)/missing/take.wav"] + options,
                at: daemon.environment())
            try await assertOneSentence(
                useless, from: "track-recorder", status: 1, saying: "missing/take.wav cannot be")
            let path = "\(folder)/take.wav"
            let tool = try start(
                "track-recorder", ["--wait", "--output", path] + options, at: daemon.environment())
            try await eventually("it to wait") { tool.errors.text.contains("Waiting for it") }
            tool.signal(SIGINT)
            let ending = try await tool.waitForEnd()
            XCTAssertEqual(ending, .exited(0), tool.errors.text)
            XCTAssertFalse(FileManager.default.fileExists(atPath: path))
        }
    }

    /// The end takes its time while the daemon does not answer.
    func testAnEmptyFileIsGoneBeforeASecondSignal() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let path = "\(folder)/track.wav"
        let tool = try start("track-recorder", ["--output", path], at: daemon.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        XCTAssertTrue(FileManager.default.fileExists(atPath: path))
        daemon.signal(SIGSTOP)
        tool.signal(SIGINT)
        try await eventually("the file to be gone") { !FileManager.default.fileExists(atPath: path) }
        XCTAssertNil(tool.ending)
        // Another one, since a second SIGINT that comes so soon may be an echo.
        tool.signal(SIGTERM)
        let ending = try await tool.waitForEnd()
        XCTAssertEqual(ending, .killed(signal: SIGTERM))
        daemon.signal(SIGCONT)
    }

    /// Nobody reads what the recorder prints: the take counts.
    func testAClosedOutputCostsNoTake() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        let status = "\(folder)/status"
        for command in [
            "\"$@\" >&-; echo $? > \(status)", "{ \"$@\"; echo $? > \(status); } | head -n 1",
            "{ \"$@\"; echo $? > \(status); } | true", "\"$@\" >&- 2>&- <&-; echo $? > \(status)",
        ] {
            let path = "\(folder)/track.wav"
            let shell = try start(
                "track-recorder", ["--output", path], at: daemon.environment(),
                through: ["/bin/sh", "-c", command, "sh"])
            try await waitForPort("Recorder.in", of: shell, seenBy: bus, isSaid: false)
            try await bus.connect(source, to: "Recorder")
            try await eventually("sound") { ((try? WaveFile.read(path).channels[0].count) ?? 0) > 4800 }
            let recorder = await bus.graph.peers.first { $0.name == "Recorder" }?.processID
            kill(try XCTUnwrap(recorder), SIGINT)
            try await shell.waitForEnd()
            XCTAssertEqual(shell.errors.text, "", command)
            XCTAssertEqual(try String(contentsOfFile: status, encoding: .utf8), "0\n", command)
            XCTAssertTrue(try WaveFile.read(path).channels[0].contains { $0 != 0 }, command)
            try await eventually("its port to go") {
                await !bus.graph.ports.contains { $0.nodeName == "Recorder.in" }
            }
            for name in [path, status] { try FileManager.default.removeItem(atPath: name) }
        }
    }

    /// The file comes back with all that was recorded, and that is said.
    func testAFileThatIsRemovedWhileItIsRecordedIsWrittenAgain() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        let path = "\(folder)/track.wav"
        let tool = try start("track-recorder", ["--output", path], at: daemon.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        try await bus.connect(source, to: "Recorder")
        try await eventually("sound") { ((try? WaveFile.read(path).channels[0].count) ?? 0) > 4800 }
        try FileManager.default.removeItem(atPath: path)
        try await eventually("the file") { FileManager.default.fileExists(atPath: path) }
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["frames"], "\(try WaveFile.read(path).channels[0].count)")
        XCTAssertEqual(figures["lost_frames"], "0")
        XCTAssertEqual(
            tool.errors.lines,
            [
                "track-recorder: track.wav was removed while it was recorded; it was written again, with all of its sound."
            ])
    }

    func testTheFolderOfTheOnlyFileIsMadeAgainInTheEnd() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        let path = "\(folder)/take/track.wav"
        try FileManager.default.createDirectory(atPath: "\(folder)/take", withIntermediateDirectories: false)
        let tool = try start("track-recorder", ["--output", path], at: daemon.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        try await bus.connect(source, to: "Recorder")
        try await eventually("sound") { ((try? WaveFile.read(path).channels[0].count) ?? 0) > 4800 }
        try FileManager.default.removeItem(atPath: "\(folder)/take")
        try await eventually("the file to be missed") { tool.errors.text.contains("was removed") }
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["lost_frames"], "0")
        let content = try WaveFile.read(path)
        XCTAssertEqual(figures["frames"], "\(content.channels[0].count)")
        XCTAssertTrue(content.channels[0].contains { $0 != 0 })
    }

    func testARecorderOfAThousandChannelsTakesNoGigabytes() async throws {
        let daemon = try await startDaemon()
        let tool = try start(
            "track-recorder",
            ["--separate", "--lanes", "16", "--channels", "64", "--output", "\(folder)/wide"],
            at: daemon.environment())
        try await tool.nextLine(within: .seconds(60)) { $0 == "port=Recorder.in" }
        let status = try String(contentsOfFile: "/proc/\(tool.pid)/status", encoding: .utf8)
        let line = try XCTUnwrap(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        let kilobytes = try XCTUnwrap(Int(line.split { !$0.isNumber }.first ?? ""))
        XCTAssertLessThan(kilobytes, 600_000, "\(line)")
        tool.signal(SIGINT)
        _ = try await figures(of: tool)
    }

    func testTextNeverMixesIntoSound() async throws {
        let daemon = try await startDaemon()
        let file = "\(folder)/out.wav"
        for path in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", file] {
            let tool = try start(
                "track-recorder", ["--output", path], at: daemon.environment(),
                through: ["sh", "-c", "exec \"$0\" \"$@\" >> \(file)"])
            try await assertOneSentence(tool, from: "track-recorder", status: 1, saying: "tool's own output")
            XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: file)), Data())
        }
        // A pipe is no place for a file that is written here and there.
        for path in ["/dev/stdout", "/dev/fd/1"] {
            try await assertOneSentence(
                start("track-recorder", ["--output", path], at: daemon.environment()), from: "track-recorder",
                status: 1, saying: "not a file")
        }
        let tool = try start(
            "track-recorder", ["--output", "/dev/stderr"], at: daemon.environment(),
            through: ["sh", "-c", "exec \"$0\" \"$@\" 2> \(folder)/errors.txt"])
        let ending = try await tool.waitForEnd()
        XCTAssertEqual(ending, .exited(1))
        let errors = try String(contentsOfFile: "\(folder)/errors.txt", encoding: .utf8)
        XCTAssertTrue(errors.contains("own error output"), errors)
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

@testable import PipeBusCommand

final class DemoTests: ToolTestCase {
    private let signal = TestSignal(.noise(seed: 21), gain: 0.3)

    /// In real time, on a machine that may be busy: what lost cycles spoil is tried again.
    private func demo(_ arguments: [String]) async throws -> ChildProcess {
        var process: ChildProcess
        var attempts = 5
        repeat {
            attempts -= 1
            process = try start(
                "pipebus", ["demo", "--output", "\(folder)/demo.wav"] + arguments, adding: ["TMPDIR": folder])
            try await process.waitForEnd(within: .seconds(60))
        } while attempts > 0 && hasLostFrames(process)
        return process
    }

    /// They may be lost where they spoil nothing that the demo looks for, but the recording is not whole then.
    private func hasLostFrames(_ process: ChildProcess) -> Bool {
        let text = process.output.text
        return process.errors.text.contains("frames were lost")
            || text.contains("lost: ") && !text.contains("lost: 0 cycles")
    }

    /// Makes a sound and the recording that it must lead to: y(n) = x(n) + 0.4 · y(n − 12000).
    private func makeFile(
        channels: Int, sampleRate: Int, seconds: Int = 1
    ) throws -> (path: String, echoes: [[Float]]) {
        let frames = seconds * sampleRate
        let planar = (0..<channels).map { signal.samples(count: frames, channel: $0) }
        let path = "\(folder)/sound.wav"
        try WaveFile.write(
            (0..<frames).flatMap { frame in planar.map { $0[frame] } }, channelCount: channels, sampleRate: sampleRate,
            to: path)
        let echoes = planar.map { samples -> [Float] in
            var output = samples + [Float](repeating: 0, count: 24_000)
            for frame in output.indices.dropFirst(12_000) { output[frame] += 0.4 * output[frame - 12_000] }
            return output
        }
        return (path, echoes)
    }

    func testTheRecordingIsTheSoundWithItsEchoesBitForBit() async throws {
        for (channels, sampleRate) in [(1, 48_000), (2, 44_100)] {
            let (path, echoes) = try makeFile(channels: channels, sampleRate: sampleRate)
            let process = try await demo(["--file", path])
            XCTAssertEqual(process.ending, .exited(0), process.errors.text)
            let text = process.output.text
            for words in [
                "Voice → Echo → Recorder", "latency: 0 frames", "lost: 0 cycles", "12000 frames later (gain 0.400)",
                "24000 frames later (gain 0.160)",
            ] {
                XCTAssertTrue(text.contains(words), "\"\(words)\" is not in:\n\(text)")
            }
            // Whoever waits knows for what, in this order.
            var rest = text[...]
            for step in [
                "Starting a private one …", "Starting a recorder, an echo and a voice …",
                "Pressing the trigger of Recorder: it records until the next press …",
                "Recording the voice and its echoes, for ",
                "Recording the voice once more …", "Killing the daemon", "Looking for the voice and its echoes in ",
                "latency: ",
            ] {
                let place = try XCTUnwrap(rest.range(of: step), "\"\(step)\" is not in its place in:\n\(text)")
                rest = rest[place.upperBound...]
            }
            try assertRestart(text)
            // Independent of what the demo says.
            let recording = try WaveFile.read("\(folder)/demo.wav")
            XCTAssertEqual(recording.sampleRate, sampleRate)
            for (channel, samples) in recording.channels.enumerated() {
                let start = try XCTUnwrap(samples.firstIndex { $0 != 0 })
                let expected = echoes[min(channel, channels - 1)]
                assertSamples(Array(samples[start...].prefix(expected.count)), equal: expected, channel: channel)
            }
        }
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted(),
            ["demo-restart.wav", "demo.wav", "sound.wav"])
    }

    /// Compares what the demo says of the restart with the recording that it leaves.
    private func assertRestart(_ text: String) throws {
        let sentence =
            #/
            restart:\ the\ PipeWire\ daemon\ was\ killed,\ and\ started\ again\ half\ a\ second\ later;
            \ the\ voice\ was\ back\ (\d+)\ ms\ after\ its\ socket,
            \ and\ the\ silence\ in\ (.+)\ is\ (\d+)\ frames,\ (\d+)\ ms
            /#
        let words = try XCTUnwrap(text.firstMatch(of: sentence), text).output
        XCTAssertEqual(String(words.2), "\(folder)/demo-restart.wav")
        let (back, silence, milliseconds) = (Int(words.1) ?? 0, Int(words.3) ?? 0, Int(words.4) ?? 0)
        XCTAssertGreaterThan(back, 0, text)
        XCTAssertLessThan(back, 20_000, text)
        // Less than half a second by at most the cycle in which it ended.
        XCTAssertGreaterThan(milliseconds, 450, text)
        XCTAssertLessThan(milliseconds, 30_000, text)

        let recording = try WaveFile.read("\(folder)/demo-restart.wav")
        XCTAssertEqual(milliseconds, 1000 * silence / recording.sampleRate, text)
        let sounds = recording.channels[0].indices.filter { frame in recording.channels.contains { $0[frame] != 0 } }
        let gaps = zip(sounds, sounds.dropFirst()).map { $1 - $0 - 1 }
        let found = try XCTUnwrap(gaps.max(), "nothing was recorded")
        // Within a cycle.
        XCTAssertEqual(Double(silence), Double(found), accuracy: 2048, text)
        // The voice was heard for a second before it and after it.
        let before = try XCTUnwrap(gaps.firstIndex(of: found))
        XCTAssertGreaterThan(before, recording.sampleRate / 2, text)
        XCTAssertGreaterThan(sounds.count - before, recording.sampleRate / 2, text)
    }

    /// A pause in the words is not taken for the time without a daemon.
    func testTheSoundOfTheSecondRecordingHasNoSilence() throws {
        let path = "\(folder)/sound.wav"
        let samples = signal.samples(count: 4800, channel: 0) + [Float](repeating: 0, count: 4800)
        try WaveFile.write(samples, channelCount: 2, sampleRate: 48_000, to: path)
        let sound = try DemoSound(path: path)
        let copy = try sound.withoutSilence()
        let content = try WaveFile.read(copy.path)
        XCTAssertEqual(content.sampleRate, 48_000)
        XCTAssertEqual(content.channels.map(\.count), [4800, 4800])
        for (channel, copied) in content.channels.enumerated() {
            let original = stride(from: channel, to: samples.count, by: 2).map { samples[$0] }
            XCTAssertFalse(copied.contains(0))
            XCTAssertTrue(zip(original, copied).allSatisfy { $0 == $1 || $0 == 0 && abs($1) < 1 / 65_536 })
        }
        copy.remove()
        sound.remove()
        XCTAssertFalse(FileManager.default.fileExists(atPath: copy.path))
        XCTAssertTrue(FileManager.default.fileExists(atPath: path), "it is not the demo's")
    }

    func testTheRecordedVoiceIsFoundOnARunningDaemonToo() async throws {
        try XCTSkipUnless(
            FileManager.default.fileExists(atPath: "/usr/share/sounds/alsa/Front_Center.wav"), "alsa-utils is not there"
        )
        // Cycles long enough that a machine which stands still for a moment does not lose one.
        let daemon = try await startDaemon(.init(quantum: 4096))
        let process = try await demo(["--remote", daemon.remote])
        XCTAssertEqual(process.ending, .exited(0), process.errors.text)
        XCTAssertTrue(process.output.text.contains("the running PipeWire daemon"), process.output.text)
        XCTAssertFalse(process.output.text.contains("restart:"), "another's daemon is left alone")
        let bus = try await connectClient(to: daemon.remote)
        let ports = await bus.graph.ports
        XCTAssertEqual(ports, [])
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), ["demo.wav"])
    }

    func testASignalEndsAllOfIt() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let process = try start(
            "pipebus", ["demo", "--output", "\(folder)/demo.wav", "--remote", daemon.remote], adding: ["TMPDIR": folder]
        )
        try await process.nextLine { $0.contains("Voice") }
        process.signal(SIGINT)
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: "before it was done")
        try await eventually("the graph to be empty") { await bus.graph.ports.isEmpty }
    }

    /// By a person who has lost patience, or for want of memory.
    func testNothingGoesOnAfterTheDemoIsKilled() async throws {
        for isPrivate in [false, true] {
            let daemon = try await startDaemon()
            let bus = try await connectClient(to: daemon.remote)
            let remote = isPrivate ? [] : ["--remote", daemon.remote]
            let process = try start(
                "pipebus", ["demo", "--output", "\(folder)/demo.wav"] + remote, adding: ["TMPDIR": folder])
            try await eventually("a part of the recording", within: .seconds(30)) {
                ((try? WaveFile.read("\(folder)/demo.wav").channels[0].count) ?? 0) > 4800
            }
            XCTAssertTrue(try programs().isSuperset(of: ["pipebus", "tone-sender", "echo-filter", "track-recorder"]))
            process.signal(SIGKILL)
            try await eventually("the end of all of it", within: .seconds(20)) { try programs().isEmpty }
            try await eventually("the graph to be empty") { await bus.graph.ports.isEmpty }
            XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), ["demo.wav"])
            // What was recorded so far is a whole file.
            XCTAssertGreaterThan(try WaveFile.read("\(folder)/demo.wav").channels[0].count, 4800)
            try FileManager.default.removeItem(atPath: "\(folder)/demo.wav")
        }
    }

    /// The names of the running programs of this test: those with its folder in their environment.
    private func programs() throws -> Set<String> {
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        return Set(
            processes.compactMap { process in
                let environment = try? String(contentsOfFile: "/proc/\(process)/environ", encoding: .utf8)
                guard environment?.contains("TMPDIR=\(folder)\0") == true else { return nil }
                let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
                return name?.trimmingCharacters(in: .whitespacesAndNewlines)
            })
    }

    func testTheSoundItselfIsNotOverwritten() async throws {
        let (path, _) = try makeFile(channels: 1, sampleRate: 48_000)
        let content = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/symbolic.wav", withDestinationPath: path)
        try FileManager.default.linkItem(atPath: path, toPath: "\(folder)/hard.wav")
        // The name of the second recording.
        try FileManager.default.linkItem(atPath: path, toPath: "\(folder)/take-restart.wav")
        for name in ["sound.wav", "./sound.wav", "symbolic.wav", "hard.wav", "take.wav"] {
            let process = try start("pipebus", ["demo", "--file", path, "--output", "\(folder)/\(name)"])
            try await assertOneSentence(process, from: "pipebus", status: 1, saying: "is the sound itself")
        }
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), content)
    }

    func testAFailedDemoLeavesNoFileOfItsOwn() async throws {
        let daemon = try await startDaemon()
        let (path, _) = try makeFile(channels: 1, sampleRate: 48_000, seconds: 15)
        let output = "\(folder)/demo.wav"
        for wasThere in [false, true] {
            if wasThere { XCTAssertTrue(FileManager.default.createFile(atPath: output, contents: nil)) }
            let process = try start(
                "pipebus", ["demo", "--file", path, "--output", output, "--remote", daemon.remote])
            try await eventually("a part of the recording", within: .seconds(30)) {
                if process.ending != nil { throw process.failure("ended before it recorded") }
                return ((try? WaveFile.read(output).channels[0].count) ?? 0) > 4800
            }
            process.signal(SIGINT)
            try await assertOneSentence(process, from: "pipebus", status: 1, saying: "before it was done")
            XCTAssertEqual(FileManager.default.fileExists(atPath: output), wasThere)
        }
    }

    func testARateThatTheRunningGraphHasNotIsReported() async throws {
        let daemon = try await startDaemon()
        let (path, _) = try makeFile(channels: 1, sampleRate: 44_100)
        let process = try await demo(["--file", path, "--remote", daemon.remote])
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: "clock.force-rate 44100")
    }

    /// Its echoes are not missing: no search could tell them apart.
    func testASoundThatRepeatsItselfIsSaidToBeOne() async throws {
        let path = "\(folder)/tone.wav"
        let tone = (0..<48_000).map { 0.3 * Float(sin(2 * .pi * 440 * Double($0) / 48_000)) }
        try WaveFile.write(tone, channelCount: 1, sampleRate: 48_000, to: path)
        let process = try await demo(["--file", path])
        XCTAssertEqual(process.ending, .exited(1))
        XCTAssertEqual(process.errors.lines.count, 1, process.errors.text)
        XCTAssertTrue(process.errors.text.contains("tone.wav repeats itself, as a tone does"), process.errors.text)
    }
}

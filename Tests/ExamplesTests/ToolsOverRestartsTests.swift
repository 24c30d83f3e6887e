// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The tools as a musician uses them, while the daemon ends and comes back.
final class ToolsOverRestartsTests: ToolTestCase {
    func testATakeGoesOnAndItsGapIsSilenceOfTheTrueLength() async throws {
        try await record(.system)
    }

    func testATakeGoesOnWithANewerPipeWire() async throws {
        try await record(try PipeWireInstallation.newer())
    }

    private func record(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let environment = daemon.environment(client: installation)
        let path = "\(folder)/take.wav"
        let recorder = try start("track-recorder", ["--output", path], at: environment)
        let tone = try start("tone-sender", ["--frequency", "440"], at: environment)
        // By a program that ends at once, so that only the recorder can make the connection again.
        let patchbay = try start("pipebus", ["connect", "Tone", "Recorder"], at: environment)
        let ending = try await patchbay.waitForEnd()
        XCTAssertEqual(ending, .exited(0), patchbay.errors.text)
        try await wait(for: 1.5, after: .now)
        var leaks = try await LeakCheck([("track-recorder", recorder.pid), ("tone-sender", tone.pid)], at: daemon)

        var (lengths, absences): ([Double], [Double]) = ([], [])
        for round in 1...2 {
            let size = try fileSize(path)
            let killed = ContinuousClock.now
            try await daemon.kill()
            try await eventually("both to be interrupted") {
                recorder.errors.lines.count == 2 * round - 1 && tone.errors.lines.count == 2 * round - 1
            }
            try await wait(for: 0.4, after: killed)
            try daemon.startAgain()
            try await daemon.waitUntilItListens()
            absences.append((ContinuousClock.now - killed) / .seconds(1))
            try await eventually("both to be back") {
                recorder.errors.lines.count == 2 * round && tone.errors.lines.count == 2 * round
            }
            try await eventually("sound in the file") { try fileSize(path) > size + 48_000 * 8 }
            lengths.append((ContinuousClock.now - killed) / .seconds(1))
            try await wait(for: 1.2, after: .now)
            try leaks.measure()
        }
        try await leaks.assertNothingIsLeft(by: "daemon killed, app recording")
        recorder.signal(SIGINT)
        tone.signal(SIGINT)
        let figures = try await figures(of: recorder)
        _ = try await self.figures(of: tone)

        let channels = try WaveFile.read(path).channels
        let samples = channels[0]
        let gaps = silences(in: samples).map { Double($0) / 48_000 }
        let sounds = channels.map { channel in
            (channel.count, channel.firstIndex { $0 != 0 }, channel.lastIndex { $0 != 0 }, channel.count { $0 != 0 })
        }
        XCTAssertEqual(gaps.count, 2, "\(gaps), \(sounds), \(recorder.errors.text)\(recorder.output.text)")
        for (gap, upper) in zip(gaps, lengths) {
            XCTAssertGreaterThan(gap, 0.35, "the daemon was away for 0.4 s")
            XCTAssertLessThan(gap, upper)
        }
        // The report has both gaps, with the cycles that the recorder missed beside them.
        let silent = ["gap_frames", "missed_frames"].map { figures[$0].flatMap { Double($0) } ?? 0 }
        let gapTime = silent.reduce(0, +) / 48_000
        XCTAssertEqual(gapTime, gaps.reduce(0, +), accuracy: 0.4, "\(gaps)")
        XCTAssertGreaterThan(gapTime, 0.7, "the daemon was away for 0.4 s twice")
        let backs = zip(gaps, absences).map { "\(Int(($0 - $1) * 1000))" }
        FaultTable.shared.add(
            FaultTable.Row(
                "daemon killed, app recording", saw: ["interrupted daemonGone", "running"],
                back: backs.joined(separator: " and "), lost: "none: silence of the true length", kept: leaks.words,
                on: installation))
    }

    /// One descriptor is free while the daemon comes back, which is not enough. The tool comes back when there are more, and ends
    /// on a signal before that.
    ///
    /// Without that one, libdispatch ends the process on a busy machine: it reads the states of its threads in `/proc`.
    func testAToolWithoutADescriptorWaitsForThem() async throws {
        for isLiftedInTime in [true, false] {
            let daemon = try await startDaemon()
            let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
            try await tone.nextLine { $0.hasPrefix("port=") }
            try await daemon.kill()
            try await eventually("the interruption") { !tone.errors.lines.isEmpty }
            try await limitDescriptors(of: tone, to: firstFreeDescriptor(of: tone) + 1)
            try daemon.startAgain()
            try await daemon.waitUntilItListens()
            if isLiftedInTime {
                try await limitDescriptors(of: tone, to: 1024)
                try await eventually("it to be back") { tone.errors.text.contains("Connected to PipeWire again") }
            }
            XCTAssertEqual(tone.errors.text.contains("Connected to PipeWire again"), isLiftedInTime)
            tone.signal(SIGTERM)
            _ = try await figures(of: tone)
        }
    }

    private func firstFreeDescriptor(of tool: ChildProcess) throws -> Int {
        let used = Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(tool.pid)/fd"))
        return try XCTUnwrap((0...used.count).first { !used.contains("\($0)") })
    }

    private func limitDescriptors(of tool: ChildProcess, to limit: Int) async throws {
        let process = try ChildProcess("prlimit", ["--pid", "\(tool.pid)", "--nofile=\(limit):4096"], environment: [:])
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), process.errors.text)
    }

    func testEveryToolWaitsForADaemonWithWait() async throws {
        let daemon = try await startDaemon()
        try await daemon.kill()
        let environment = daemon.environment()
        let recorder = try start("track-recorder", ["--wait", "--output", "\(folder)/take.wav"], at: environment)
        let tone = try start("tone-sender", ["--wait", "--frequency", "440"], at: environment)
        let echo = try start("echo-filter", ["--wait"], at: environment)
        let mixer = try start("track-mixer", ["--wait", "--levels", "\(folder)/levels.json"], at: environment)
        let patchbay = try start("pipebus", ["connect", "--wait", "Tone", "Recorder"], at: environment)
        let processes = [recorder, tone, echo, mixer, patchbay]
        try await eventually("all to wait") { processes.allSatisfy { $0.errors.text.contains("Waiting for it") } }
        // Without the option none waits.
        let hasty = try start("echo-filter", [], at: environment)
        try await assertOneSentence(hasty, from: "echo-filter", status: 1, saying: "No PipeWire daemon answers at")
        try daemon.startAgain()
        let ending = try await patchbay.waitForEnd()
        XCTAssertEqual(ending, .exited(0), patchbay.errors.text)
        try await eventually("sound in the file") { try fileSize("\(folder)/take.wav") > 48_000 }
        // All of them survive the next end of the daemon, too.
        let tools = [recorder, tone, echo, mixer]
        try await eventually("their ports") { tools.allSatisfy { $0.output.text.contains("port=") } }
        try await daemon.kill()
        try daemon.startAgain()
        try await eventually("all to be back") {
            tools.allSatisfy { $0.errors.text.contains("Connected to PipeWire again") }
        }
        for tool in tools {
            tool.signal(SIGINT)
            _ = try await figures(of: tool)
        }
    }

    /// An empty variable is none, for libpipewire and for the search of a new daemon.
    func testAnEmptyRemote() async throws {
        let daemon = try await startDaemon()
        let process = try start(
            "tone-sender", ["--frequency", "440"], at: daemon.environment(), adding: ["PIPEWIRE_REMOTE": ""])
        try await eventually("its port") { !process.output.lines.isEmpty }
        try await daemon.kill()
        try await eventually("the interruption") { !process.errors.lines.isEmpty }
        try daemon.startAgain()
        try await eventually("the connection") { process.errors.text.contains("Connected to PipeWire again") }
    }

    func testASignalEndsAToolThatWaits() async throws {
        let daemon = try await startDaemon()
        try await daemon.kill()
        for number in [SIGINT, SIGTERM] {
            let tone = try start("tone-sender", ["--wait", "--frequency", "440"], at: daemon.environment())
            try await eventually("it to wait") { tone.errors.text.contains("Waiting for it") }
            tone.signal(number)
            let ending = try await tone.waitForEnd()
            XCTAssertEqual(ending, .exited(0), tone.errors.text)
            XCTAssertEqual(tone.errors.lines.count, 1, tone.errors.text)
            XCTAssertEqual(tone.output.text, "", "there never was a port")
        }
    }

    private func wait(for seconds: Double, after start: ContinuousClock.Instant) async throws {
        try await eventually("time to pass") { ContinuousClock.now - start > .seconds(seconds) }
    }

    private func fileSize(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    /// The lengths of the silences of more than 0.1 s between sound, in frames.
    private func silences(in samples: [Float]) -> [Int] {
        var (found, run, isSound) = ([Int](), 0, false)
        for sample in samples {
            guard sample != 0 else {
                run += 1
                continue
            }
            if isSound, run > 4800 { found.append(run) }
            (run, isSound) = (0, true)
        }
        return found
    }
}

// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Completion at a shell's prompt.
final class CompletionTests: LevelCommandTestCase {
    /// What bash's own completion function replies. The tool is found by its path, as a person may have typed it.
    private func bash(_ line: String, at daemon: HeadlessPipeWire) async throws -> [String] {
        let script = """
            source <("$1" completion bash)
            COMP_LINE=$2 COMP_POINT=${#2}
            _pipebus "$1"
            [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
            """
        let tool = Programs.path(of: "pipebus")
        let process = try start("/bin/bash", ["-c", script, "bash", tool, line], at: daemon.environment())
        try await process.waitForEnd()
        XCTAssertEqual(process.errors.text, "")
        return process.output.lines
    }

    private func complete(_ line: String, at daemon: HeadlessPipeWire) async throws -> [String] {
        let process = try await pipebus(["complete", "fish", line], at: daemon)
        XCTAssertEqual(process.ending, .exited(0))
        XCTAssertEqual(process.errors.text, "")
        return process.output.lines
    }

    func testTheNamesOfPortsThatAreThereAreCompleted() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote, as: "Recorder")
        let (receiver, _) = try await bus.keeper(channels: .stereo)
        for name in ["Grand Piano", "Tone"] {
            let app = try await connectClient(to: daemon.remote, as: name)
            _ = try await app.source("main", of: .counting, channels: .stereo)
        }
        let echo = try await connectClient(to: daemon.remote, as: "Echo")
        _ = try await echo.filter("echo", state: ()) { _, _, _, _ in }
        try await bus.connect("Grand Piano", to: receiver)
        for (line, candidates) in [
            ("pipebus connect ", ["Echo", "Grand Piano", "Tone"]), ("pipebus connect gr", ["Grand Piano"]),
            ("pipebus connect Tone ", ["Echo", "Recorder"]), ("pipebus connect Tone:", ["Tone:main"]),
            ("pipebus connect Tone.", ["Tone.main"]), ("pipebus disconnect ", ["Grand Piano", "Recorder"]),
            ("pipebus list gr", ["Grand Piano"]), ("pipebus ls T", ["Tone"]),
            ("pipebus disconnect \"Grand Piano\" ", ["Recorder"]), ("pipebus disconnect Tone ", []),
            ("pipebus connect Tone Echo R", ["Recorder"]), ("pipebus volume Recorder ", ["Grand Piano"]),
            ("pipebus watch gr", ["Grand Piano"]), ("pipebus graph ", ["Echo", "Grand Piano", "Recorder", "Tone"]),
            ("pipebus volume ", ["Grand Piano", "Recorder"]), ("pipebus solo Grand\\ Piano R", ["Recorder"]),
            ("pipebus bypass ", ["Echo"]), ("pipebus bypass Echo t", ["toggle"]), ("pipebus dis", ["disconnect"]),
            ("pipebus wat", ["watch"]), ("pipebus watch --no", ["--no-meters"]),
            ("pipebus connect --ti", ["--timeout"]), ("pipebus connect x", []),
            ("pipebus connect --remote /nonexistent/x ", []),
        ] {
            let lines = try await complete(line, at: daemon)
            XCTAssertEqual(lines.sorted(), candidates, line)
        }
    }

    func testAppsAndTriggersAreCompleted() async throws {
        let daemon = try await startDaemon()
        let voice = try await connectClient(to: daemon.remote, as: "Voice Synth")
        for (id, title) in [("next-vowel", "Sing on"), ("o", "O")] {
            try await voice.addTrigger(.button, id: id, face: TriggerFace(title: title)) { _ in }
        }
        _ = try await voice.sender("out", channels: .mono, state: ()) { _, _, _ in }
        let bus = try await connectClient(to: daemon.remote)
        for port in ["Recorder.in", "Recorder.in-2"] {
            let tool = try start(
                "track-recorder", ["--armed", "--output", "\(folder)/\(port).wav"], at: daemon.environment())
            try await waitForPort(port, of: tool, seenBy: bus)
        }
        let hung = try start(
            "track-recorder", ["--armed", "--name", "Hung", "--output", "\(folder)/hung.wav"],
            at: daemon.environment())
        try await waitForPort("Hung.in", of: hung, seenBy: bus)
        _ = try await trigger(of: "Hung", seenBy: bus)
        hung.signal(SIGSTOP)
        let recorders = ["Recorder.in", "Recorder.in-2"]
        let triggers = ["Recorder.in-2:record", "Recorder.in:record"]
        for (line, candidates) in [
            ("pipebus sw", ["switch"]), ("pipebus s", ["solo", "save", "show"]),
            ("pipebus quit ", ["Hung"] + recorders + ["Voice Synth"]),
            ("pipebus triggers v", ["Voice Synth"]), ("pipebus switch V", ["Voice Synth"]),
            ("pipebus trigger ", triggers + ["Voice Synth:next-vowel", "Voice Synth:o"]),
            ("pipebus trigger rec", triggers), ("pipebus trigger ne", ["next-vowel"]),
            ("pipebus trigger Voice\\ Synth:n", ["Voice Synth:next-vowel"]),
            ("pipebus trigger voice ", ["next-vowel", "o"]), ("pipebus trigger Recorder ", []),
            ("pipebus trigger Recorder.in ", ["record"]),
            ("pipebus trigger Nobody ", []), ("pipebus trigger Voice\\ Synth o ", []),
        ] {
            // An app that has no time to answer is left out.
            try await eventually("\(line): \(candidates)") {
                try await self.complete(line, at: daemon) == candidates
            }
        }
        try await eventually("bash") {
            try await self.bash("pipebus trigger Recorder.in:", at: daemon) == ["record"]
        }
        hung.signal(SIGCONT)
        hung.signal(SIGKILL)
        try await hung.waitForEnd()
    }

    /// Names come from other processes. Bash evaluates the line that it is given.
    func testAShellReadsEachNameAsItIs() async throws {
        let daemon = try await startDaemon()
        let file = "\(folder)/made"
        let names = [
            "x $(touch \(file))", "x`touch \(file)`", "x;touch \(file)", "x it's it", "x *", "x \\ !y", "x:y z:w",
            "x;\u{301}",
        ]
        let ports = try names.map { try ForeignFilter($0, at: daemon.remote, hasInput: false, latency: 0) }
        defer { _ = ports }
        let bus = try await connectClient(to: daemon.remote)
        try await eventually("all") { await bus.graph.ports.count == names.count }
        for opening in ["", "\"", "'"] {
            let replies = try await bash("pipebus connect \(opening)x", at: daemon)
            XCTAssertEqual(replies.count, opening == "" ? names.count : names.count - 1, "\(replies)")
            for reply in replies {
                let echo = try start("/bin/bash", ["-c", "eval 'printf %s '\"$1\"", "bash", opening + reply + opening])
                try await echo.waitForEnd()
                XCTAssertTrue(names.contains(echo.output.text), "\(reply) is read as \(echo.output.text)")
            }
        }
        // Behind a colon bash has begun another word.
        let rest = try await bash("pipebus connect x:y\\ z:", at: daemon)
        XCTAssertEqual(rest, ["w"])
        XCTAssertFalse(FileManager.default.fileExists(atPath: file))
    }

    func testWithoutADaemonThereIsNothingToSay() async throws {
        let process = try start("pipebus", ["complete", "bash", "pipebus connect "])
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0))
        XCTAssertEqual(process.output.text + process.errors.text, "")
    }

    /// A person waits at the prompt.
    func testADaemonThatDoesNotAnswerIsNotWaitedFor() async throws {
        let daemon = try await startDaemon()
        daemon.signal(SIGSTOP)
        let replies = try await bash("pipebus connect ", at: daemon)
        XCTAssertEqual(replies, [])
        daemon.signal(SIGCONT)
    }

    func testEveryShellHasAScript() async throws {
        for (shell, words) in [
            ("bash", "complete -F _pipebus pipebus"), ("zsh", "compdef _pipebus pipebus"),
            ("fish", "complete -c pipebus"),
        ] {
            let process = try start("pipebus", ["completion", shell])
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(0))
            XCTAssertTrue(process.output.text.contains(words), process.output.text)
        }
        let process = try start("pipebus", ["completion", "tcsh"])
        try await assertOneSentence(process, from: "pipebus", status: 64, saying: "tcsh")
    }
}

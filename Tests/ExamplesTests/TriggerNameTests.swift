// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// The names by which `pipebus trigger` finds a trigger.
final class TriggerNameTests: ToolTestCase {
    private func pipebus(_ arguments: [String], at daemon: HeadlessPipeWire, line: UInt = #line) async throws -> String
    {
        let process = try start("pipebus", arguments, at: daemon.environment())
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), process.errors.text, line: line)
        return process.output.text
    }

    @discardableResult
    private func assertFailure(
        _ arguments: [String], at daemon: HeadlessPipeWire, saying words: String, line: UInt = #line
    ) async throws -> String {
        let process = try start("pipebus", arguments, at: daemon.environment())
        return try await assertOneSentence(process, from: "pipebus", status: 1, saying: words, line: line)
    }

    /// Starts an armed recorder, and waits until its trigger can be pressed.
    private func startRecorder(
        _ port: String, named name: String = "Recorder", at daemon: HeadlessPipeWire, seenBy bus: BusClient
    ) async throws -> ChildProcess {
        let tool = try start(
            "track-recorder", ["--armed", "--name", name, "--output", "\(folder)/\(port).wav"],
            at: daemon.environment())
        try await waitForPort(port, of: tool, seenBy: bus)
        try await eventually("the trigger of \(port)") { try await self.titles(of: port, seenBy: bus).count == 1 }
        return tool
    }

    private func titles(of port: String, seenBy bus: BusClient) async throws -> [String] {
        let peer = await bus.graph.ports.first { $0.nodeName == port }?.peer
        return try await bus.triggers(of: try XCTUnwrap(peer)).map(\.face.title)
    }

    func testTheTriggersOfTwoAppsOfOneNameAreEachPressed() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        for port in ["Recorder.in", "Recorder.in-2"] { _ = try await startRecorder(port, at: daemon, seenBy: bus) }
        let list = try await pipebus(["triggers"], at: daemon)
        XCTAssertEqual(
            list.split(separator: "\n").compactMap { $0.split(separator: " ").first },
            ["Recorder.in:record", "Recorder.in-2:record"], list)
        let one = try await pipebus(["triggers", "Recorder.in-2"], at: daemon)
        XCTAssertTrue(one.hasPrefix("Recorder.in-2:record  "), one)
        let json = try await pipebus(["triggers", "--json"], at: daemon)
        XCTAssertTrue(json.contains("\"name\" : \"Recorder.in-2:record\""), json)
        for arguments in [["Recorder:record"], ["Recorder", "record"], ["recorder:REC"]] {
            try await assertFailure(
                ["trigger"] + arguments, at: daemon, saying: "\"Recorder.in:record\", \"Recorder.in-2:record\"")
        }
        let (idle, waiting) = (try await titles(of: "Recorder.in", seenBy: bus), ["Waiting for sound"])
        XCTAssertNotEqual(idle, waiting)
        let second = try await pipebus(["trigger", "Recorder.in-2:record"], at: daemon)
        XCTAssertEqual(second, "pressed=Recorder.in-2:record")
        try await eventually("the second one") { try await self.titles(of: "Recorder.in-2", seenBy: bus) == waiting }
        let untouched = try await titles(of: "Recorder.in", seenBy: bus)
        XCTAssertEqual(untouched, idle)
        let first = try await pipebus(["trigger", "recorder.IN", "record"], at: daemon)
        XCTAssertEqual(first, "pressed=Recorder.in:record")
        try await eventually("the first one") { try await self.titles(of: "Recorder.in", seenBy: bus) == waiting }
    }

    func testAnAppThatHangsConcernsNobodyElse() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        _ = try await startRecorder("Recorder.in", at: daemon, seenBy: bus)
        let deck = try await startRecorder("Deck.in", named: "Deck", at: daemon, seenBy: bus)
        deck.signal(SIGSTOP)
        // An app that is asked is in the sentence.
        let any = try await assertFailure(
            ["trigger", "nothing"], at: daemon, saying: "There is no trigger called \"nothing\"")
        XCTAssertTrue(any.contains("Deck does not answer"), any)
        let named = try await assertFailure(
            ["trigger", "Recorder:nothing"], at: daemon,
            saying: "There is no trigger called \"Recorder:nothing\"; there is \"Recorder:record\".")
        XCTAssertFalse(named.contains("Deck"), named)
        for arguments in [["Deck:record"], ["deck", "rec"], ["Deck.in"], ["dec"]] {
            let sentence = try await assertFailure(
                ["trigger"] + arguments, at: daemon, saying: "pipebus: Deck does not answer; it may be stopped.")
            XCTAssertFalse(sentence.contains("no trigger"), sentence)
        }
        let pressed = try await pipebus(["trigger", "Recorder:record"], at: daemon)
        XCTAssertEqual(pressed, "pressed=Recorder:record")
        deck.signal(SIGCONT)
        deck.signal(SIGKILL)
        try await deck.waitForEnd()
    }

    /// Of two apps of one name the one that answers need not be meant.
    func testATwinThatHangsIsNotPassedOver() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        _ = try await startRecorder("Recorder.in", at: daemon, seenBy: bus)
        let twin = try await startRecorder("Recorder.in-2", at: daemon, seenBy: bus)
        twin.signal(SIGSTOP)
        for name in ["Recorder:record", "Recorder", "rec"] {
            try await assertFailure(
                ["trigger", name], at: daemon,
                saying: "may be the name of another trigger than \"Recorder.in:record\"; name that one so. "
                    + "Recorder does not answer")
        }
        let pressed = try await pipebus(["trigger", "Recorder.in:record"], at: daemon)
        XCTAssertEqual(pressed, "pressed=Recorder.in:record")
        twin.signal(SIGCONT)
        twin.signal(SIGKILL)
        try await twin.waitForEnd()
    }

    func testABeginningIsEnough() async throws {
        let daemon = try await startDaemon()
        let voice = try await connectClient(to: daemon.remote, as: "Voice Synth")
        let pressed = Mutex<[String]>([])
        for id in ["next-vowel", "a", "e", "o"] {
            try await voice.addTrigger(.button, id: id, face: TriggerFace(title: id.uppercased())) { press in
                pressed.withLock { $0.append(press.triggerID) }
            }
        }
        let tape = try await connectClient(to: daemon.remote, as: "Tape")
        try await tape.addTrigger(.record) { _ in }
        for bus in [voice, tape] { _ = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in } }
        for (arguments, name) in [
            (["voice", "o"], "Voice Synth:o"), (["voice:e"], "Voice Synth:e"),
            (["Voice Synth", "nex"], "Voice Synth:next-vowel"), (["VOICE", "Next"], "Voice Synth:next-vowel"),
            (["nex"], "Voice Synth:next-vowel"), (["rec"], "Tape:record"), (["ta"], "Tape:record"),
            (["tape.o", "r"], "Tape:record"),
        ] {
            let text = try await pipebus(["trigger"] + arguments, at: daemon)
            XCTAssertEqual(text, name.contains(" ") ? "pressed='\(name)'" : "pressed=\(name)")
        }
        try await eventually("the presses") {
            pressed.withLock { $0 } == ["o", "e", "next-vowel", "next-vowel", "next-vowel"]
        }
        try await assertFailure(
            ["trigger", "voice"], at: daemon,
            saying: "\"voice\" could be any of \"Voice Synth:next-vowel\", \"Voice Synth:a\"")
    }

    func testANearNameIsLookedForInTheAppThatIsNamed() async throws {
        let daemon = try await startDaemon()
        let voice = try await connectClient(to: daemon.remote, as: "Voice Synth")
        for (id, title) in [("next-vowel", "Sing on"), ("a", "A"), ("e", "E")] {
            try await voice.addTrigger(.button, id: id, face: TriggerFace(title: title)) { _ in }
        }
        let other = try await connectClient(to: daemon.remote, as: "Other")
        try await other.addTrigger(.button, id: "next-level", face: TriggerFace(title: "Next level")) { _ in }
        for bus in [voice, other] { _ = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in } }
        for (arguments, suggestion) in [
            (["Voice Synth", "nxt-vowl"], "; is \"Voice Synth:next-vowel\" meant? \"pipebus triggers\" shows all."),
            (["voice:next-leve"], "; is \"Voice Synth:next-vowel\" meant? \"pipebus triggers\" shows all."),
            (["voice", "sign on"], "; is \"Voice Synth:next-vowel\" meant? \"pipebus triggers\" shows all."),
            (["Voice Synth:x"], "; there is \"Voice Synth:next-vowel\", \"Voice Synth:a\", \"Voice Synth:e\"."),
            (["Voise Synth:e"], "; is \"Voice Synth:e\" meant? \"pipebus triggers\" shows all."),
        ] {
            try await assertFailure(["trigger"] + arguments, at: daemon, saying: suggestion)
        }
        try await assertFailure(
            ["trigger", "Voise Synth", "e"], at: daemon,
            saying: "There is no app called \"Voise Synth\"; is \"Voice Synth\" meant?")
    }
}

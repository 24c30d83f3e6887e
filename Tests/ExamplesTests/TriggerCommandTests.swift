// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// `pipebus triggers`, `trigger` and `quit`.
final class TriggerCommandTests: ToolTestCase {
    private func pipebus(_ arguments: [String], at daemon: HeadlessPipeWire) async throws -> String {
        let process = try start("pipebus", arguments, at: daemon.environment())
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        return process.output.text
    }

    private func assertFailure(
        _ arguments: [String], at daemon: HeadlessPipeWire, saying words: String, line: UInt = #line
    ) async throws {
        let process = try start("pipebus", arguments, at: daemon.environment())
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: words)
    }

    func testTriggersAreShownAndPressed() async throws {
        let daemon = try await startDaemon()
        let (deck, tape) = (
            try await connectClient(to: daemon.remote, as: "Deck"),
            try await connectClient(to: daemon.remote, as: "Tape")
        )
        let empty = try await pipebus(["triggers"], at: daemon)
        XCTAssertEqual(empty, "")
        try await assertFailure(["trigger", "play"], at: daemon, saying: "No app has a trigger.")
        for bus in [deck, tape] { _ = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in } }
        let pressed = Mutex<[String]>([])
        @Sendable func note(_ app: String) -> @Sendable (TriggerPress) async -> Void {
            { press in pressed.withLock { $0.append("\(app) \(press.triggerID) \(press.ports)") } }
        }
        let play = try await deck.addTrigger(.play, perform: note("Deck"))
        try await tape.addTrigger(.play, perform: note("Tape"))
        try await tape.addTrigger(
            .button, id: "next-verse",
            face: TriggerFace(title: "Next verse", iconName: "go-next", color: TriggerColor("#ff8000")),
            state: .disabled,
            perform: note("Tape"))
        let list = try await pipebus(["triggers"], at: daemon)
        XCTAssertEqual(
            list,
            """
            Deck:play        Play
            Tape:play        Play
            Tape:next-verse  Next verse  disabled
            """)
        try await play.setState(.selected)
        let one = try await pipebus(["triggers", "deck"], at: daemon)
        XCTAssertEqual(one, "Deck:play  Play  selected")
        let json = try await pipebus(["triggers", "--json"], at: daemon)
        XCTAssertTrue(json.contains("\"color\" : \"#ff8000\""), json)
        XCTAssertTrue(json.contains("\"state\" : \"disabled\""), json)

        for arguments in [["Deck:play"], ["deck", "PLAY"], ["Deck"]] {
            let text = try await pipebus(["trigger"] + arguments, at: daemon)
            XCTAssertEqual(text, "pressed=Deck:play")
        }
        try await eventually("three presses") {
            pressed.withLock { $0 } == [String](repeating: "Deck play []", count: 3)
        }
        try await assertFailure(
            ["trigger", "play"], at: daemon, saying: "\"play\" is the name of 2 triggers: \"Deck:play\", \"Tape:play\"."
        )
        try await assertFailure(
            ["trigger", "next verse"], at: daemon, saying: "Tape refused that: the trigger is disabled.")
        try await assertFailure(
            ["trigger", "plax"], at: daemon, saying: "There is no trigger called \"plax\"; is \"play\" meant?")
        try await assertFailure(
            ["triggers", "Dack"], at: daemon, saying: "There is no app called \"Dack\"; is \"Deck\" meant?")
    }

    func testAnAppIsEnded() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let bus = try await connectClient(to: daemon.remote)
        let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
        try await waitForPort("Tone.out", of: tone, seenBy: bus)
        let text = try await pipebus(["quit", "tone"], at: daemon)
        XCTAssertEqual(text, "ended=Tone")
        let ending = try await tone.waitForEnd()
        XCTAssertEqual(ending, .exited(0), tone.errors.text)
        XCTAssertEqual(tone.errors.text, "")
        try await assertFailure(
            ["quit", "tone"], at: daemon,
            saying: "There is no app called \"tone\"; \"pipebus list\" shows those that run")

        let other = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
        try await waitForPort("Tone.out", of: other, seenBy: bus)
        other.signal(SIGSTOP)
        try await assertFailure(
            ["quit", "Tone.out"], at: daemon,
            saying: "does not answer; it may be stopped. If it goes on, it takes the request then.")
        other.signal(SIGCONT)
        try await other.waitForEnd()
        let player = try daemon.run("pw-jack", ["jack_midisine"])
        try await eventually("the player") { await bus.graph.ports.contains { $0.nodeName == "midisine" } }
        try await assertFailure(
            ["quit", "midisine"], at: daemon, saying: "\"pipebus quit midisine --force\" ends its process.")
        let forced = try await pipebus(["quit", "midisine", "--force"], at: daemon)
        XCTAssertTrue(forced.hasPrefix("ended="), forced)
        try await player.waitForEnd()
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Names as musicians type them at the patchbay.
final class TypedNameCommandTests: LevelCommandTestCase {
    /// A sender and a receiver by themselves, as two programs have them.
    private func makeApps(
        _ senders: [String], at daemon: HeadlessPipeWire
    ) async throws -> (bus: BusClient, receiver: ReceiverPort) {
        let bus = try await connectClient(to: daemon.remote, as: "Recorder")
        let (receiver, _) = try await bus.keeper(channels: .stereo)
        for name in senders {
            let app = try await connectClient(to: daemon.remote, as: name)
            _ = try await app.source("main", of: .counting, channels: .stereo)
        }
        try await eventually("all") { await bus.graph.ports.count { $0.isPipeBus } == senders.count + 1 }
        return (bus, receiver)
    }

    /// A command that a person types leads its process group; `script` gives it a terminal.
    private func typed(_ arguments: String, at daemon: HeadlessPipeWire) async throws -> ChildProcess {
        let tool = Programs.path(of: "pipebus")
        let process = try start(
            "pipebus", [], at: daemon.environment(),
            through: ["/bin/sh", "-c", "exec script -qec 'exec \(tool) \(arguments)' /dev/null", "sh"])
        try await process.waitForEnd()
        return process
    }

    func testConnectTakesABeginningAtAPromptAndWaitsInAScript() async throws {
        let daemon = try await startDaemon()
        let (bus, receiver) = try await makeApps(["Grand Piano", "Tone 2"], at: daemon)
        let script = try await pipebus(["connect", "Tone", "Recorder", "--timeout", "0.2"], at: daemon)
        XCTAssertEqual(script.ending, .exited(1))
        XCTAssertEqual(script.errors.lines.count, 2, script.errors.text)
        // At once, for whoever reads it: the port is there, under another name.
        XCTAssertEqual(
            script.errors.lines.first,
            "pipebus: Waiting up to 0.2 s for \"Tone\", by exactly that name; \"Tone 2.main\" is there: type that, or --timeout 0."
        )
        let sentence = script.errors.lines.last ?? ""
        XCTAssertTrue(sentence.contains("; is \"Tone 2.main\" meant? There is "), sentence)
        XCTAssertTrue(sentence.hasSuffix("Waited 200 ms for it."), sentence)
        let path = try await pipebus(["connect", "grand", "Echo", "recorder", "--timeout", "0.2"], at: daemon)
        XCTAssertEqual(
            path.errors.lines.first,
            "pipebus: Waiting up to 0.2 s for \"grand\" and \"recorder\", by exactly these names; "
                + "\"Grand Piano.main\" and \"Recorder.in\" are there: type those, or --timeout 0.")
        // So does a person who says how long to wait.
        let waiting = try await typed("connect Tone Recorder --timeout 0.2", at: daemon)
        XCTAssertTrue(waiting.output.text.contains("for \"Tone\" (is \"Tone 2.main\" meant?)"), waiting.output.text)
        XCTAssertTrue(waiting.output.text.contains("Waited 200 ms for it."), waiting.output.text)
        let none = await bus.graph.connections
        XCTAssertEqual(none, [])
        let person = try await typed("connect gra REC", at: daemon)
        XCTAssertTrue(person.output.text.contains("Grand Piano.main → Recorder.in, 2 links"), person.output.text)
        let now = try await value(["connect", "tone", "rec", "--timeout", "0"], at: daemon)
        XCTAssertEqual(now, "source='Tone 2.main' destination=Recorder.in links=2")
        let sources = await bus.graph.sources(of: receiver.id).map(\.nodeName)
        XCTAssertEqual(Set(sources), ["Grand Piano.main", "Tone 2.main"])
    }

    func testOfTwoOfOneNameTheConnectedOneIsMeant() async throws {
        let daemon = try await startDaemon()
        let (bus, receiver) = try await makeApps(["Pad", "Pad"], at: daemon)
        let pads = await bus.graph.ports.filter { $0.outputs.count == 2 }
        let ambiguous = try await pipebus(["volume", "Pad", "Recorder", "-6dB"], at: daemon)
        try await assertOneSentence(ambiguous, from: "pipebus", status: 1, saying: "could be any of \"Pad.main")
        try await bus.connect(pads[1], to: receiver)
        for (arguments, answer) in [
            (["volume", "Pad", "Recorder", "-20dB"], "volume=0.1"), (["mute", "pad", "rec", "toggle"], "mute=on"),
            (["mute", "pad", "rec", "toggle"], "mute=off"), (["solo", "Pad:main", "Recorder:in", "toggle"], "solo=on"),
        ] {
            let text = try await value(arguments, at: daemon)
            XCTAssertEqual(text, answer)
        }
        let level = try await receiver.level(of: pads[1].id)
        XCTAssertEqual(level, Source.Level(volume: 0.1, isSoloed: true))
        let text = try await value(["disconnect", "Pad", "Recorder"], at: daemon)
        XCTAssertEqual(text, "source=\(pads[1].nodeName) destination=Recorder.in links=2")
        let again = try await pipebus(["disconnect", "Pad", "Recorder"], at: daemon)
        try await assertOneSentence(again, from: "pipebus", status: 1, saying: "could be any of")
    }

    func testOfSeveralThatFitEachIsNamedAsItCanBeTyped() async throws {
        let daemon = try await startDaemon()
        _ = try await makeApps(["Pad 2", "Pad 1"], at: daemon)
        for arguments in [["disconnect", "pad"], ["disconnect", "pad", "rec"], ["insert", "pad", "pad", "rec"]] {
            let process = try await pipebus(arguments, at: daemon)
            try await assertOneSentence(
                process, from: "pipebus", status: 1,
                saying: "\"pad\" could be any of \"Pad 1.main\", \"Pad 2.main\"; say which.")
        }
    }

    func testAReceiverAloneListsAllItsSources() async throws {
        let daemon = try await startDaemon()
        let (bus, receiver) = try await makeApps(["Grand Piano", "Pad"], at: daemon)
        let nobody = try await pipebus(["volume", "Recorder"], at: daemon)
        XCTAssertEqual(nobody.ending, .exited(0), nobody.errors.text)
        XCTAssertEqual(nobody.output.text + nobody.errors.text, "")
        try await bus.connect("Grand Piano", to: receiver)
        try await bus.connect("Pad", to: receiver)
        try await bus.setLevel(.volume(0.5), of: "Pad", at: receiver)
        try await bus.setLevel(.muted(true), of: "Grand Piano", at: receiver)
        for (command, values) in [("volume", ["1", "0.5"]), ("pan", ["0", "0"]), ("mute", ["on", "off"])] {
            let process = try await pipebus([command, "rec"], at: daemon)
            let lines = zip(["'Grand Piano.main'", "Pad.main"], values).map { "\(command)=\($1) source=\($0)" }
            XCTAssertEqual(Set(process.output.lines), Set(lines), process.errors.text)
        }
        let terminal = try await typed("volume Recorder", at: daemon)
        XCTAssertTrue(terminal.output.text.contains("Pad.main: volume -6.0 dB"), terminal.output.text)
    }

    func testAPortOfTheWrongDirectionIsNamedAsSuch() async throws {
        let daemon = try await startDaemon()
        _ = try await makeApps(["Pad"], at: daemon)
        for (arguments, status, words) in [
            (
                ["connect", "Recorder", "Nobody", "--timeout", "0"], 64,
                "\"Recorder\" only takes sound; name a port that gives sound as the source, such as \"Pad.main\"."
            ),
            (["connect", "Recorder.in", "Nobody"], 64, "Recorder in only takes sound"),
            (["connect", "rec", "Nobody", "--timeout", "0"], 64, "\"Recorder.in\" only takes sound"),
            (
                ["disconnect", "Pad", "Pad"], 64,
                "\"Pad\" only gives sound; name a port that takes sound as the destination"
            ),
            (["disconnect", "Recorder", "Pad"], 1, "name them the other way round"),
            (["mute", "Pad"], 64, "name a port that takes sound as the destination, such as \"Recorder.in\"."),
        ] {
            let process = try await pipebus(arguments, at: daemon)
            try await assertOneSentence(process, from: "pipebus", status: Int32(status), saying: words)
        }
        // A person who has given no time is not kept waiting for what cannot come.
        let person = try await typed("connect Recorder Pad:main", at: daemon)
        XCTAssertTrue(person.output.text.contains("name them the other way round"), person.output.text)
    }
}

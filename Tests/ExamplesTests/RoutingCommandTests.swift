// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus save` and `load`.
final class RoutingCommandTests: RoutingCommandTestCase {
    func testASavedRoutingIsLoaded() async throws {
        let daemon = try await startDaemon()
        let (bus, sender, other, receiver) = try await scene(daemon)
        try await bus.connect(sender, to: receiver)
        try await bus.connect(other, to: receiver, channels: .crossed)
        try await receiver.setVolume(0.5, for: sender.id)
        let path = "\(folder)/a b.json"
        let save = try await run(["save", path], at: daemon)
        XCTAssertEqual(save.output.text, "connections=2 bypasses=0 leftOut=0 states=0 file='\(path)'")
        // What is there once more, to the standard output.
        let printed = try await run(["save", "-"], at: daemon)
        XCTAssertEqual(printed.output.text + "\n", try String(contentsOfFile: path, encoding: .utf8))
        XCTAssertTrue(printed.output.text.contains(#""channels": [["FL", "FR"], ["FR", "FL"]]"#), printed.output.text)

        let again = try await run(["load", path], at: daemon)
        XCTAssertEqual(
            again.output.lines,
            ["state=there source=App.one destination=App.in", "state=there source=App.two destination=App.in"])
        try await bus.disconnect(other, from: receiver)
        try await receiver.setVolume(1, for: sender.id)
        let load = try await run(["load", path], at: daemon)
        XCTAssertEqual(
            load.output.lines,
            ["state=there source=App.one destination=App.in", "state=made source=App.two destination=App.in"])
        let graph = await bus.graph
        let links = graph.connection(from: other.id, to: receiver.id)?.links.map { [$0.output, $0.input % 2] }
        XCTAssertEqual(links, [[0, 1], [1, 0]])
        let level = try await bus.level(of: sender, at: receiver)
        XCTAssertEqual(level.volume, 0.5)
        // Not one more link, whoever loads it how often.
        _ = try await run(["load", path, "--exclusive"], at: daemon)
        let all = await bus.graph.connections
        XCTAssertEqual(all.map(\.links.count), [2, 2])
    }

    /// A link that names no file yet stays one, as one that names a file does.
    func testALinkStaysALink() async throws {
        let daemon = try await startDaemon()
        let (bus, sender, _, receiver) = try await scene(daemon)
        try await bus.connect(sender, to: receiver)
        let links = [("first", "second"), ("second", "\(folder)/third"), ("loop", "loop")]
        for (link, target) in links { XCTAssertEqual(unsafe symlink(target, "\(folder)/\(link)"), 0) }
        for _ in 0..<2 {
            _ = try await run(["save", "\(folder)/first"], at: daemon)
            _ = try await run(["load", "\(folder)/third"], at: daemon)
        }
        let loop = try await run(["save", "\(folder)/loop"], at: daemon, status: 1)
        try await assertOneSentence(loop, from: "pipebus", status: 1, saying: "cannot be written")
        for (link, target) in links {
            XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(link)"), target)
        }
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted(), ["first", "loop", "second", "third"])
    }

    func testALoadIsUndone() async throws {
        let daemon = try await startDaemon()
        let (bus, sender, other, receiver) = try await scene(daemon)
        let path = try routing([["from": end("App.one"), "to": end("App.in")]])
        try await bus.connect(other, to: receiver, channels: .crossed)
        _ = try await run(["load", path, "--exclusive"], at: daemon)
        let loaded = await bus.graph
        XCTAssertNotNil(loaded.connection(from: sender.id, to: receiver.id))
        XCTAssertNil(loaded.connection(from: other.id, to: receiver.id))
        _ = try await run(["undo"], at: daemon)
        let undone = await bus.graph
        XCTAssertNil(undone.connection(from: sender.id, to: receiver.id))
        let links = undone.connection(from: other.id, to: receiver.id)?.links.map { [$0.output, $0.input % 2] }
        XCTAssertEqual(links, [[0, 1], [1, 0]])
        _ = try await run(["redo"], at: daemon)
        try await eventually("the routing again") {
            let graph = await bus.graph
            return graph.connections.count == 1 && graph.connection(from: sender.id, to: receiver.id) != nil
        }
        // Nothing was made, so there is nothing more to undo than before.
        _ = try await run(["load", path], at: daemon)
        _ = try await run(["undo"], at: daemon)
        let end = try await run(["undo"], at: daemon, status: 1)
        try await assertOneSentence(end, from: "pipebus", status: 1, saying: "There is nothing to undo.")
        // One of two can be made.
        let partly = try routing([
            ["from": self.end("App.one"), "to": self.end("App.in")],
            ["from": self.end("Late.out"), "to": self.end("App.in")],
        ])
        _ = try await run(["load", partly], at: daemon, status: 1)
        _ = try await run(["undo"], at: daemon)
        let rest = await bus.graph.connection(from: sender.id, to: receiver.id)
        XCTAssertNil(rest)
    }

    func testWhatIsMissingIsSaidAndWaitedFor() async throws {
        let daemon = try await startDaemon()
        let (bus, sender, _, receiver) = try await scene(daemon)
        let path = try routing([
            ["from": end("App.one"), "to": end("App.in")],
            ["from": end("Late.out", app: "org.pipebus.tone-sender"), "to": end("App.in")],
        ])
        let load = try await run(["load", path], at: daemon, status: 1)
        XCTAssertEqual(
            load.output.lines,
            [
                "state=made source=App.one destination=App.in",
                "state=waiting source=Late.out destination=App.in reason='Late.out of org.pipebus.tone-sender'",
            ])
        XCTAssertEqual(load.errors.lines.count, 1)
        XCTAssertTrue(load.errors.text.hasPrefix("pipebus: 1 of 2 connections are not as in"), load.errors.text)
        let tool = Programs.path(of: "pipebus")
        let terminal = try start(
            "pipebus", [], at: daemon.environment(),
            through: ["/bin/sh", "-c", "exec script -qec 'exec \(tool) load \(path)' /dev/null", "sh"])
        try await terminal.waitForEnd()
        let shown = terminal.output.lines.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        XCTAssertEqual(
            Array(shown.prefix(2)),
            [
                "App.one → App.in: connected already",
                "Late.out of org.pipebus.tone-sender: missing, for 1 connection",
            ])
        XCTAssertEqual(shown.count { $0.contains("Late") }, 1, terminal.output.text)
        let waiting = try start("pipebus", ["load", path, "--timeout", "20"], at: daemon.environment())
        try await eventually("it to wait") { (try? await self.clientID(of: "PipeBus patchbay", at: daemon)) != nil }
        let tone = try start("tone-sender", ["--name", "Late", "--frequency", "440"], at: daemon.environment())
        let ending = try await waiting.waitForEnd(within: .seconds(30))
        XCTAssertEqual(ending, .exited(0), waiting.errors.text)
        XCTAssertEqual(waiting.output.lines.last, "state=made source=Late.out destination=App.in")
        let sources = await bus.graph.sources(of: receiver.id).map(\.nodeName)
        XCTAssertEqual(Set(sources), [sender.nodeName, "Late.out"])
        XCTAssertNil(tone.ending)
    }

    func testExclusiveRemovesTheOtherConnectionsOfItsPortsAlone() async throws {
        let daemon = try await startDaemon()
        let (bus, sender, other, receiver) = try await scene(daemon)
        let second = try await bus.receiver("second", channels: .stereo, state: ()) { _, _, _ in }
        let third = try await bus.receiver("third", channels: .stereo, state: ()) { _, _, _ in }
        try await bus.connect(sender, to: receiver, channels: .crossed)
        try await bus.connect(sender, to: second)
        try await bus.connect(other, to: receiver)
        try await bus.connect(other, to: third)
        let path = try routing([["from": end("App.one"), "to": end("App.in")]])
        let plain = try await run(["load", path], at: daemon, status: 1)
        XCTAssertTrue(
            plain.output.text.contains(
                "state=failed source=App.one destination=App.in reason='The two are connected with other"),
            plain.output.text)
        let load = try await run(["load", path, "--exclusive"], at: daemon)
        XCTAssertEqual(
            Set(load.output.lines),
            [
                "state=disconnected source=App.one destination=App.in links=2",
                "state=disconnected source=App.one destination=App.second links=2",
                "state=disconnected source=App.two destination=App.in links=2",
                "state=made source=App.one destination=App.in",
            ])
        let graph = await bus.graph
        XCTAssertEqual(
            graph.connections.map { [$0.source, $0.destination] }, [[sender.id, receiver.id], [other.id, third.id]])
        // The same two ports with other channels are two changes.
        for _ in 0..<2 { _ = try await run(["undo"], at: daemon) }
        try await eventually("what was there before") { await bus.graph.connections.count == 4 }
        let before = await bus.graph.connection(from: sender.id, to: receiver.id)?.links
        XCTAssertEqual(before?.map { [$0.output, $0.input % 2] }, [[0, 1], [1, 0]])
    }

    /// MIDI, and the monitor with which a receiver plays its mix by itself.
    func testWhatCannotBeMadeAgainIsCounted() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let (bus, sender, _, receiver) = try await scene(daemon)
        try await bus.connect(sender, to: receiver)
        let sequencer = try daemon.run("pw-jack", ["jack_midiseq", "keys", "24000", "0", "60", "8000"])
        let synthesizer = try daemon.run("pw-jack", ["jack_midisine"])
        try await eventually("two MIDI apps") {
            let names = Set(await bus.graph.ports.map(\.nodeName))
            return names.isSuperset(of: ["keys", "midisine"])
        }
        let link = try daemon.run("pw-link", ["keys:out", "midisine:midi_in"])
        let ending = try await link.waitForEnd()
        XCTAssertEqual(ending, .exited(0), link.errors.text)
        try await bus.connect("midisine", to: "null-sink", channels: .single(output: "1", input: "FR"))
        let save = try await run(["save", "\(folder)/r.json"], at: daemon)
        XCTAssertTrue(save.output.text.hasPrefix("connections=2 bypasses=0 leftOut=1 "), save.output.text)
        let text = try String(contentsOfFile: "\(folder)/r.json", encoding: .utf8)
        XCTAssertTrue(text.contains(#""channels": [["audio_out", "FR"]]"#), text)
        let printed = try start("pipebus", ["save", "-"], at: daemon.environment())
        try await printed.waitForEnd()
        XCTAssertEqual(printed.errors.text, "pipebus: Left out: 1 of MIDI or pictures.")
        _ = (sequencer, synthesizer)
    }

    /// What a person has is not lost.
    func testAFileThatIsNoRoutingIsNotReplaced() async throws {
        let daemon = try await startDaemon()
        for text in ["a song", "{\"format\": \"x\"}"] {
            let path = "\(folder)/song"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let process = try start("pipebus", ["save", path, "--remote", daemon.remote])
            try await assertOneSentence(process, from: "pipebus", status: 1, saying: "would be replaced")
            XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), text)
        }
        for (path, words) in [("", "empty"), (folder, "is a folder"), ("\(folder)/none/x", "cannot be written")] {
            let process = try start("pipebus", ["save", path, "--remote", daemon.remote])
            try await assertOneSentence(process, from: "pipebus", status: 1, saying: words)
        }
        // Neither half a file nor another one is left.
        let path = "\(folder)/r.json"
        _ = try await run(["save", path], at: daemon)
        _ = try await run(["save", path], at: daemon)
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder).sorted(), ["r.json", "song"])
    }

    func testBadFilesAreOneSentenceWithThePlace() async throws {
        let head = "{\"format\": \"pipebus-routing\",\n\"version\": "
        let tooLong = Data(repeating: 0x20, count: 101_000_000)
        for (name, data, words) in [
            ("empty", Data(), "is empty; \"pipebus save\" writes one."),
            ("other", Data("hello".utf8), "is no saved routing, at line 1, column 1: "),
            ("version", Data("\(head)2, \"connections\": []}".utf8), "line 2 (version): the file is of version 2"),
            (
                "volume",
                Data(
                    "\(head)1, \"connections\": [{\"from\": {\"app\": \"a\"}, \"to\": {\"app\": \"b\"},\n\"level\": {\"volume\": 1e999}}]}"
                        .utf8), "line 3 (connections[0].level.volume)"
            ),
            ("bytes", Data([0x7B, 0xFF, 0x1B, 0x5B]), "line 1, column 2"),
            ("long", tooLong, "longer than 96 MB"),
            ("deep", Data(repeating: UInt8(ascii: "["), count: 1_000_000), "line 1, column 17"),
        ] {
            let path = "\(folder)/\(name)"
            try data.write(to: URL(fileURLWithPath: path))
            for command in ["load", "run"] {
                let process = try start("pipebus", [command, path])
                try await assertOneSentence(process, from: "pipebus", status: 1, saying: words)
            }
        }
        for (path, words) in [
            ("\(folder)/none", "cannot be read"), (folder, "cannot be read"), ("", "empty"),
            ("/dev/zero", "longer than 96 MB"),
        ] {
            let process = try start("pipebus", ["load", path])
            try await assertOneSentence(process, from: "pipebus", status: 1, saying: words)
        }
    }
}

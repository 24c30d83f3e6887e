// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus save`, `load` and `run`.
final class RoutingCommandTests: ToolTestCase {
    private func run(
        _ arguments: [String], at daemon: HeadlessPipeWire, status: Int32 = 0, file: StaticString = #filePath,
        line: UInt = #line
    ) async throws -> ChildProcess {
        let process = try start("pipebus", arguments, at: daemon.environment())
        let ending = try await process.waitForEnd(within: .seconds(30))
        XCTAssertEqual(
            ending, .exited(status), "\(process.output.text)\n\(process.errors.text)", file: file, line: line)
        return process
    }

    /// Two senders and a receiver of one client.
    private func scene(_ daemon: HeadlessPipeWire) async throws -> (
        bus: BusClient, sender: SenderPort, other: SenderPort, receiver: ReceiverPort
    ) {
        let bus = try await connectClient(to: daemon.remote, as: "App")
        let sender = try await bus.sender("one", channels: .stereo, state: ()) { _, _, _ in }
        let other = try await bus.sender("two", channels: .stereo, state: ()) { _, _, _ in }
        let receiver = try await bus.receiver("in", channels: .stereo, lanes: 4, state: ()) { _, _, _ in }
        return (bus, sender, other, receiver)
    }

    private func routing(_ connections: [[String: Any]], bypasses: [[String: Any]] = []) throws -> String {
        let object: [String: Any] = [
            "format": "pipebus-routing", "version": 1, "connections": connections, "bypasses": bypasses,
        ]
        let path = "\(folder)/\(connections.count)-\(bypasses.count)-\(Int.random(in: 0..<1_000_000)).json"
        try JSONSerialization.data(withJSONObject: object).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func end(_ node: String, app: String = "org.pipebus.test") -> [String: Any] { ["app": app, "node": node] }

    func testASavedRoutingIsLoaded() async throws {
        let daemon = try await startDaemon()
        let (bus, sender, other, receiver) = try await scene(daemon)
        try await bus.connect(sender, to: receiver)
        try await bus.connect(other, to: receiver, channels: .crossed)
        try await receiver.setVolume(0.5, for: sender.id)
        let path = "\(folder)/a b.json"
        let save = try await run(["save", path], at: daemon)
        XCTAssertEqual(save.output.text, "connections=2 bypasses=0 leftOut=0 file=\(path)")
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
                "state=waiting source=Late.out of org.pipebus.tone-sender destination=App.in reason=Late.out of org.pipebus.tone-sender",
            ])
        XCTAssertEqual(load.errors.lines.count, 1)
        XCTAssertTrue(load.errors.text.hasPrefix("pipebus: 1 of 2 connections are not as in"), load.errors.text)
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
                "state=failed source=App.one destination=App.in reason=The two are connected with other"),
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
        let tooLong = Data(repeating: 0x20, count: 100_000_000)
        for (name, data, words) in [
            ("empty", Data(), "line 1, column 1: a value must be here"),
            ("version", Data("\(head)2, \"connections\": []}".utf8), "line 2 (version): the file is of version 2"),
            (
                "volume",
                Data(
                    "\(head)1, \"connections\": [{\"from\": {\"app\": \"a\"}, \"to\": {\"app\": \"b\"},\n\"level\": {\"volume\": 1e999}}]}"
                        .utf8), "line 3 (connections[0].level.volume)"
            ),
            ("bytes", Data([0x7B, 0xFF, 0x1B, 0x5B]), "line 1, column 2"),
            ("long", tooLong, "longer than 8 MB"),
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
            ("/dev/zero", "longer than 8 MB"),
        ] {
            let process = try start("pipebus", ["load", path])
            try await assertOneSentence(process, from: "pipebus", status: 1, saying: words)
        }
    }

    // MARK: Keeping

    /// Removes all links from one port to another, as a foreign patchbay does.
    private func unlink(_ source: String, _ destination: String, _ bus: BusClient, at daemon: HeadlessPipeWire)
        async throws
    {
        let graph = await bus.graph
        let from = try XCTUnwrap(graph.ports.first { $0.nodeName == source })
        let to = try XCTUnwrap(graph.ports.first { $0.nodeName == destination })
        for link in try XCTUnwrap(graph.connection(from: from.id, to: to.id)).links {
            let tool = try daemon.run(
                "pw-link",
                ["-d", "\(source):\(from.outputs[link.output].name)", "\(destination):\(to.inputs[link.input].name)"])
            let ending = try await tool.waitForEnd()
            XCTAssertEqual(ending, .exited(0), tool.errors.text)
        }
    }

    func testAForeignToolHasTheLastWord() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let (bus, _, _, receiver) = try await scene(daemon)
            let path = try routing([
                [
                    "from": end("Tone.out", app: "org.pipebus.tone-sender"), "to": end("App.in"),
                    "level": ["volume": 0.5],
                ]
            ])
            let keeper = try start("pipebus", ["run", path, "--json"], at: daemon.environment())
            func next() async throws -> [String: Any] {
                let line = try await keeper.nextLine { _ in true }
                return try XCTUnwrap(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
            let waiting = try await next()
            XCTAssertEqual(waiting["event"] as? String, "waiting")
            XCTAssertEqual(waiting["reason"] as? String, "Tone.out of org.pipebus.tone-sender")
            for last in ["removed", "stopped"] {
                let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
                let made = try await next()
                XCTAssertEqual(made["event"] as? String, "made")
                XCTAssertEqual(made["source"] as? String, "Tone.out")
                XCTAssertEqual(made["destination"] as? String, "App.in")
                XCTAssertGreaterThan(made["time"] as? Double ?? 0, 1e9)
                try await eventually("the level") {
                    let graph = await bus.graph
                    guard let source = graph.ports.first(where: { $0.nodeName == "Tone.out" }) else { return false }
                    return try await bus.level(of: source, at: receiver).volume == 0.5
                }
                try await unlink("Tone.out", "App.in", bus, at: daemon)
                let removed = try await next()
                XCTAssertEqual(removed["event"] as? String, last)
                let sources = await bus.graph.sources(of: receiver.id)
                XCTAssertEqual(sources, [])
                tone.signal(SIGTERM)
                try await tone.waitForEnd()
                let gone = try await next()
                XCTAssertEqual(gone["event"] as? String, "waiting")
            }
            // For good.
            let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
            let stopped = try await next()
            XCTAssertEqual(stopped["event"] as? String, "stopped")
            XCTAssertNil(tone.ending)
            keeper.signal(SIGINT)
            let ending = try await keeper.waitForEnd()
            XCTAssertEqual(ending, .exited(0), keeper.errors.text)
        }
    }

    /// A reader that has gone, as `head`, ends the lines and not the routing.
    func testARoutingGoesOnWithoutAReader() async throws {
        let daemon = try await startDaemon()
        let (bus, _, _, receiver) = try await scene(daemon)
        let path = try routing([["from": end("Tone.out", app: "org.pipebus.tone-sender"), "to": end("App.in")]])
        let keeper = try start(
            "/bin/bash", ["-c", "exec \"$0\" run \"$1\" > >(:)", Programs.path(of: "pipebus"), path],
            at: daemon.environment())
        try await eventually("it to be there") { (try? await self.clientID(of: "PipeBus patchbay", at: daemon)) != nil }
        for _ in 0..<2 {
            let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
            try await eventually("the connection") { await bus.graph.sources(of: receiver.id).count == 1 }
            tone.signal(SIGKILL)
            try await tone.waitForEnd()
            try await eventually("its end") { await bus.graph.sources(of: receiver.id).isEmpty }
        }
        _ = keeper
    }

    func testFilesAreCompleted() async throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/sets", withIntermediateDirectories: true)
        for name in ["show.json", "s t.json", ".hidden"] {
            try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        for (line, expected) in [
            ("load \(folder)/s", ["\(folder)/s t.json", "\(folder)/sets/", "\(folder)/show.json"]),
            ("run \(folder)/.h", ["\(folder)/.hidden"]), ("save \(folder)/none/", []), ("load x y", []),
        ] {
            let process = try start("pipebus", ["complete", "zsh", "pipebus \(line)"])
            try await process.waitForEnd()
            XCTAssertEqual(process.output.lines, expected, line)
        }
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Ports of one name, and names that are meant to mislead, at the patchbay.
final class UniqueNameCommandTests: ToolTestCase {
    private func run(_ arguments: [String], at daemon: HeadlessPipeWire) async throws -> ChildProcess {
        let process = try start("pipebus", arguments, at: daemon.environment())
        try await process.waitForEnd()
        return process
    }

    private func names(in sentence: String) -> [String] {
        sentence.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }

    /// Two windows of one player: each can be connected, looked at and disconnected, by the names in the answers.
    func testEveryNameInAnAmbiguousAnswerAndInTheListWorks() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let windows = [
            try ForeignFilter("twin", at: daemon.remote, hasInput: false, latency: 0),
            try ForeignFilter("twin", at: daemon.remote, hasInput: false, latency: 0),
        ]
        defer { _ = windows }
        let (receiver, _) = try await bus.keeper(channels: .stereo)
        try await eventually("both") { await bus.graph.ports.count { $0.nodeName == "twin" } == 2 }
        let answer = try await run(["connect", "twin", receiver.nodeName], at: daemon)
        XCTAssertEqual(answer.ending, .exited(1))
        let offered = Array(names(in: answer.errors.text).dropFirst())
        let twins = await bus.graph.ports.filter { $0.nodeName == "twin" }.sorted { $0.id < $1.id }
        XCTAssertEqual(offered, twins.map { "twin:\($0.id.serial)" }, answer.errors.text)
        for name in offered {
            let connect = try await run(["connect", name, receiver.nodeName], at: daemon)
            XCTAssertEqual(connect.ending, .exited(0), connect.errors.text)
            XCTAssertEqual(connect.output.text, "source=\(name) destination=\(receiver.nodeName) links=2")
        }
        // By the first name too, each source is one.
        let ambiguous = try await run(["volume", "twin", receiver.nodeName, "0.5"], at: daemon)
        XCTAssertEqual(names(in: ambiguous.errors.text).dropFirst(), offered[...], ambiguous.errors.text)
        for (name, volume) in zip(offered, ["0.25", "0.75"]) {
            let set = try await run(["volume", name, receiver.nodeName, volume], at: daemon)
            XCTAssertEqual(set.output.text, "volume=\(volume)", set.errors.text)
        }
        let list = try await run(["list"], at: daemon).output.text
        XCTAssertTrue(list.contains("← \(offered[0])  -12.0 dB, C"), list)
        XCTAssertTrue(list.contains("← \(offered[1])  -2.5 dB, C"), list)
        for twin in twins {
            let level = try await receiver.level(of: twin.id)
            XCTAssertEqual(level.volume, twin.id == twins[0].id ? 0.25 : 0.75)
        }
        let json = Data(try await run(["list", "--json"], at: daemon).output.text.utf8)
        let apps = (try JSONSerialization.jsonObject(with: json) as? [String: Any])?["apps"] as? [[String: Any]]
        let ports = try XCTUnwrap(apps).flatMap { $0["ports"] as? [[String: Any]] ?? [] }
        XCTAssertEqual(
            Set(ports.filter { $0["node"] as? String == "twin" }.compactMap { $0["uniqueName"] as? String }),
            Set(offered))
        let shown = try XCTUnwrap(ports.compactMap { $0["sources"] as? [[String: Any]] }.first)
        XCTAssertEqual(shown.compactMap { $0["uniqueName"] as? String }, offered)
        XCTAssertEqual(Set((ports.compactMap { $0["levels"] as? [String: Any] }.first ?? [:]).keys), Set(offered))
        for name in offered {
            let disconnect = try await run(["disconnect", name, ":\(receiver.id.serial)"], at: daemon)
            XCTAssertEqual(disconnect.ending, .exited(0), disconnect.errors.text)
        }
        let left = await bus.graph.connections
        XCTAssertEqual(left, [])
    }

    /// One lane, and two sources that another client links to it.
    func testSourcesThatShareALaneAreListed() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let windows = [
            try ForeignFilter("twin", at: daemon.remote, hasInput: false, latency: 0),
            try ForeignFilter("twin", at: daemon.remote, hasInput: false, latency: 0),
        ]
        defer { _ = windows }
        let receiver = try await bus.receiver("in", channels: .stereo, lanes: 1, state: ()) { _, _, _ in }
        try await eventually("both") { await bus.graph.ports.count { $0.nodeName == "twin" } == 2 }
        let graph = await bus.graph
        let twins = graph.ports.filter { $0.nodeName == "twin" }
        let inputs = try XCTUnwrap(graph.port(receiver.id)).inputs
        for output in twins.flatMap(\.outputs) {
            for input in inputs {
                let link = try daemon.run("pw-link", ["\(output.id)", "\(input.id)"])
                let ending = try await link.waitForEnd()
                XCTAssertEqual(ending, .exited(0), link.errors.text)
            }
        }
        try await eventually("all links") { await bus.graph.connections.flatMap(\.links).count == 4 }
        let list = try await run(["list"], at: daemon).output.text
        let names = twins.map { "twin:\($0.id.serial)" }
        XCTAssertTrue(list.contains("← \(names[0])  0.0 dB, C, shares lane 1 with \(names[1])"), list)
        XCTAssertTrue(list.contains("← \(names[1])  shares lane 1 with \(names[0])"), list)
    }

    /// A name in the list, and in the answer about one that is missing, can be pasted into a shell.
    func testANameWithQuotationMarksIsShownAsAShellReadsIt() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let names = ["say \"hi\"", "12\" it's $HOME", "alsa:pcm:1"]
        let ports = try names.map { try ForeignFilter($0, at: daemon.remote, hasInput: false, latency: 0) }
        defer { _ = ports }
        let (receiver, _) = try await bus.keeper(channels: .stereo)
        try await eventually("all") { await bus.graph.ports.count == 4 }
        let list = try await run(["list"], at: daemon).output.text
        let missing = try await run(["connect", "Nobody", receiver.nodeName, "--timeout", "0"], at: daemon).errors.text
        for (name, shown) in zip(names, ["'say \"hi\"'", "'12\" it'\\''s $HOME'", "alsa:pcm:1"]) {
            XCTAssertTrue(list.contains("sender  \(shown)  "), list)
            XCTAssertTrue(missing.contains(name == names[2] ? "\"\(shown)\"" : shown), missing)
            let line = "\"$0\" connect \(shown) \(receiver.nodeName)"
            let shell = try start("/bin/sh", ["-c", line, Programs.path(of: "pipebus")], at: daemon.environment())
            let ending = try await shell.waitForEnd()
            XCTAssertEqual(ending, .exited(0), shell.errors.text)
            XCTAssertEqual(shell.output.text, "source=\(shown) destination=\(receiver.nodeName) links=2")
        }
        let connected = try await run(["list"], at: daemon).output.text
        XCTAssertTrue(connected.contains("← 'say \"hi\"'  "), connected)
    }

    func testNothingThatIsListedTurnsATerminalOrItsText() async throws {
        let daemon = try await startDaemon()
        let name = "evil\u{1B}[2J\u{202E}\u{9B}name"
        let nasty = try ForeignFilter(name, at: daemon.remote, hasInput: false, latency: 0)
        defer { _ = nasty }
        let bus = try await connectClient(to: daemon.remote)
        try await eventually("it") { await !bus.graph.ports.isEmpty }
        for arguments in [["list"], ["list", "--json"], ["connect", "Nobody", "No one", "--timeout", "0"]] {
            let process = try await run(arguments, at: daemon)
            let text = process.output.text + process.errors.text
            XCTAssertTrue(text.contains("evil\u{FFFD}[2J"), text)
            for scalar in text.unicodeScalars where scalar != "\n" { XCTAssertTrue(scalar.isPrintable, text) }
        }
    }

    func testWhoIsLeftOutIsCounted() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        for number in 0..<50 {
            _ = try await bus.sender("out\(number)", channels: .mono, state: ()) { _, _, _ in }
        }
        let process = try await run(["connect", "Nobody", "Test", "--timeout", "0.25"], at: daemon)
        let sentence = try await assertOneSentence(process, from: "pipebus", status: 1, saying: " … and 38 more.")
        XCTAssertEqual(names(in: sentence).count, 1 + 12, sentence)
        XCTAssertTrue(sentence.hasSuffix(" Waited 250 ms for it."), sentence)
    }
}

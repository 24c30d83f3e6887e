// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Changes of connections at the patchbay, and their history.
final class ChangeCommandTests: LevelCommandTestCase {
    /// A sender, two filters and a receiver, each an app of its own.
    private func makeApps(at daemon: HeadlessPipeWire) async throws -> BusClient {
        let pad = try await connectClient(to: daemon.remote, as: "Pad")
        _ = try await pad.source("main", of: .counting, channels: .stereo)
        for name in ["Echo", "Filter"] {
            let app = try await connectClient(to: daemon.remote, as: name)
            _ = try await app.filter("fx", state: ()) { _, _, input, output in
                for channel in 0..<output.count {
                    let from = input[channel]
                    var to = output[channel]
                    for frame in from.indices { to[frame] = from[frame] }
                }
            }
        }
        let recorder = try await connectClient(to: daemon.remote, as: "Recorder")
        _ = try await recorder.keeper(channels: .stereo)
        let bus = try await connectClient(to: daemon.remote, as: "Watcher")
        try await eventually("all") { await bus.graph.ports.count == 4 }
        return bus
    }

    private func assertConnections(
        _ expected: Set<String>, seenBy bus: BusClient
    ) async throws {
        try await eventually("\(expected.sorted())") {
            let graph = await bus.graph
            return expected
                == Set(
                    graph.connections.map {
                        "\(graph.port($0.source)?.nodeName ?? "") > \(graph.port($0.destination)?.nodeName ?? "")"
                    })
        }
    }

    /// Two patchbays at once: one of them succeeds and says so, and its filter is the one that is there.
    func testTwoInsertionsAtOnce() async throws {
        let daemon = try await startDaemon()
        let bus = try await makeApps(at: daemon)
        let direct: Set = ["Pad.main > Recorder.in"]
        _ = try await value(["connect", "Pad", "Recorder", "--timeout", "0"], at: daemon)
        for round in 0..<12 {
            let filters = ["Echo", "Filter"]
            let processes = try filters.map {
                try start("pipebus", ["insert", $0, "Pad", "Recorder"], at: daemon.environment())
            }
            for process in processes { try await process.waitForEnd() }
            let winners = zip(filters, processes).filter { $0.1.ending == .exited(0) }.map(\.0)
            XCTAssertEqual(winners.count, 1, "round \(round): \(processes.map(\.errors.text))")
            guard let winner = winners.first else { return }
            try await assertConnections(["Pad.main > \(winner).fx", "\(winner).fx > Recorder.in"], seenBy: bus)
            _ = try await value(["remove", winner], at: daemon)
            try await assertConnections(direct, seenBy: bus)
        }
    }

    func testInsertUndoRedoRemove() async throws {
        let daemon = try await startDaemon()
        let bus = try await makeApps(at: daemon)
        let nothing = try await pipebus(["undo"], at: daemon)
        try await assertOneSentence(nothing, from: "pipebus", status: 1, saying: "There is nothing to undo.")

        let direct: Set = ["Pad.main > Recorder.in"]
        let inserted: Set = ["Pad.main > Echo.fx", "Echo.fx > Recorder.in"]
        _ = try await value(["connect", "Pad", "Recorder", "--timeout", "0"], at: daemon)
        try await assertConnections(direct, seenBy: bus)
        let text = try await value(["insert", "echo", "pad", "rec"], at: daemon)
        XCTAssertEqual(text, "source=Pad.main filter=Echo.fx destination=Recorder.in")
        try await assertConnections(inserted, seenBy: bus)
        let undone = try await value(["undo"], at: daemon)
        XCTAssertTrue(undone.contains("change=connected source=Pad.main destination=Recorder.in"), undone)
        try await assertConnections(direct, seenBy: bus)
        _ = try await value(["redo"], at: daemon)
        try await assertConnections(inserted, seenBy: bus)
        _ = try await value(["remove", "Echo"], at: daemon)
        try await assertConnections(direct, seenBy: bus)
        for expected in [inserted, direct, []] {
            _ = try await value(["undo"], at: daemon)
            try await assertConnections(expected, seenBy: bus)
        }
        let end = try await pipebus(["undo"], at: daemon)
        try await assertOneSentence(end, from: "pipebus", status: 1, saying: "There is nothing to undo.")
        _ = try await value(["redo"], at: daemon)
        _ = try await value(["disconnect", "Pad", "Recorder"], at: daemon)
        try await assertConnections([], seenBy: bus)
        let later = try await pipebus(["redo"], at: daemon)
        try await assertOneSentence(later, from: "pipebus", status: 1, saying: "There is nothing to redo.")
        _ = try await value(["undo"], at: daemon)
        try await assertConnections(direct, seenBy: bus)
    }

    func testAPathIsConnected() async throws {
        let daemon = try await startDaemon()
        let bus = try await makeApps(at: daemon)
        _ = try await value(["connect", "Pad", "Echo", "Filter", "Recorder", "--timeout", "5"], at: daemon)
        let path: Set = ["Pad.main > Echo.fx", "Echo.fx > Filter.fx", "Filter.fx > Recorder.in"]
        try await assertConnections(path, seenBy: bus)
        let again = try await value(["connect", "Pad", "Echo", "Filter", "Recorder"], at: daemon)
        XCTAssertEqual(again, "change=none")
        _ = try await value(["undo"], at: daemon)
        try await assertConnections([], seenBy: bus)
        // The last port is missing.
        let waiting = try await pipebus(["connect", "Pad", "Echo", "Nobody", "--timeout", "0.2"], at: daemon)
        try await assertOneSentence(waiting, from: "pipebus", status: 1, saying: "Nobody")
        let through = try await pipebus(["connect", "Pad", "Recorder", "Echo"], at: daemon)
        try await assertOneSentence(
            through, from: "pipebus", status: 1, saying: "\"pipebus connect Pad Recorder.in\" connects up to it.")
        let channels = try await pipebus(["connect", "Pad", "Echo", "Recorder", "--downmix"], at: daemon)
        try await assertOneSentence(channels, from: "pipebus", status: 64, saying: "connect two ports at a time")
        try await assertConnections([], seenBy: bus)
    }

    func testOneNameDisconnectsAllOfIt() async throws {
        let daemon = try await startDaemon()
        let bus = try await makeApps(at: daemon)
        for path in [["Pad", "Echo", "Recorder"], ["Pad", "Recorder"]] {
            _ = try await value(["connect"] + path + ["--timeout", "5"], at: daemon)
        }
        let all: Set = ["Pad.main > Echo.fx", "Echo.fx > Recorder.in", "Pad.main > Recorder.in"]
        try await assertConnections(all, seenBy: bus)
        let lines = try await value(["disconnect", "echo"], at: daemon)
        XCTAssertEqual(
            lines, "source=Echo.fx destination=Recorder.in links=2\nsource=Pad.main destination=Echo.fx links=2")
        try await assertConnections(["Pad.main > Recorder.in"], seenBy: bus)
        // All of it is one change.
        _ = try await value(["undo"], at: daemon)
        try await assertConnections(all, seenBy: bus)
        _ = try await value(["disconnect", "Recorder.in"], at: daemon)
        try await assertConnections(["Pad.main > Echo.fx"], seenBy: bus)
        for (name, words) in [
            ("Recorder", "Recorder.in has no connections"), ("Nobody", "There is no port or app called \"Nobody\""),
            ("Pad:FL", "name them without one"),
        ] {
            let process = try await pipebus(["disconnect", name], at: daemon)
            try await assertOneSentence(process, from: "pipebus", status: 1, saying: words)
        }
        try await assertConnections(["Pad.main > Echo.fx"], seenBy: bus)
    }

    func testTheListOfAName() async throws {
        let daemon = try await startDaemon()
        _ = try await makeApps(at: daemon)
        _ = try await value(["connect", "Pad", "Recorder", "--timeout", "0"], at: daemon)
        for command in ["list", "ls"] {
            let text = try await value([command, "PAD"], at: daemon)
            XCTAssertTrue(text.contains("sender  Pad.main"), text)
            XCTAssertTrue(text.contains("→ Recorder.in"), text)
            XCTAssertFalse(text.contains("Echo.fx") || text.contains("receiver"), text)
        }
        let json = Data(try await value(["ls", "fx", "--json"], at: daemon).utf8)
        let apps = (try JSONSerialization.jsonObject(with: json) as? [String: Any])?["apps"] as? [[String: Any]]
        let ports = apps?.flatMap { $0["ports"] as? [[String: Any]] ?? [] }
        XCTAssertEqual(ports?.compactMap { $0["uniqueName"] as? String }, ["Echo.fx", "Filter.fx"])
        let nobody = try await pipebus(["list", "Nobody"], at: daemon)
        try await assertOneSentence(nobody, from: "pipebus", status: 1, saying: "whose name contains \"Nobody\"")
        let empty = try await pipebus(["list", ""], at: daemon)
        try await assertOneSentence(empty, from: "pipebus", status: 64, saying: "The name is empty")
    }

    func testWhatCannotBeInserted() async throws {
        let daemon = try await startDaemon()
        let bus = try await makeApps(at: daemon)
        for (arguments, words) in [
            (
                ["insert", "Echo", "Pad", "Recorder"],
                "\"pipebus connect Pad.main Echo.fx Recorder.in\" connects all three."
            ),
            (
                ["insert", "Recorder", "Pad", "Echo"],
                "which needs both inputs and outputs for that; name the filter first"
            ),
            (["insert", "Ekho", "Pad", "Recorder"], "Echo"),
            (["remove", "Echo"], "\"pipebus connect SOURCE Echo.fx DESTINATION\" puts it into a path."),
            (["remove", "Pad"], "which needs both inputs and outputs for that; \"pipebus disconnect Pad\" ends all"),
            (["insert", "Echo", "Recorder", "Pad"], "the other way round"),
        ] {
            let process = try await pipebus(arguments, at: daemon)
            // A port that can never be a filter is bad usage, and another state of the graph is not.
            let status: Int32 = words.hasPrefix("which needs") ? 64 : 1
            try await assertOneSentence(process, from: "pipebus", status: status, saying: words)
        }
        try await assertConnections([], seenBy: bus)
        let nothing = try await pipebus(["undo"], at: daemon)
        try await assertOneSentence(nothing, from: "pipebus", status: 1, saying: "There is nothing to undo.")
    }

    /// Of a change that cannot be undone any more the next command does not speak again.
    func testAHistoryThatNoLongerFits() async throws {
        let daemon = try await startDaemon()
        let bus = try await makeApps(at: daemon)
        _ = try await value(["connect", "Pad", "Recorder"], at: daemon)
        let folder = try XCTUnwrap(daemon.environment()["XDG_STATE_HOME"]) + "/pipebus"
        let file = try XCTUnwrap(
            FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".json") })
        let path = "\(folder)/\(file)"
        let text = try String(contentsOfFile: path, encoding: .utf8)

        _ = try await value(["disconnect", "Pad", "Recorder"], at: daemon)
        let gone = text.replacingOccurrences(of: "Pad.main", with: "Gone.main").replacingOccurrences(
            of: "\"connected\"", with: "\"x\""
        ).replacingOccurrences(of: "\"disconnected\"", with: "\"connected\"")
            .replacingOccurrences(of: "\"x\"", with: "\"disconnected\"")
        try gone.write(toFile: path, atomically: true, encoding: .utf8)
        let missing = try await pipebus(["undo"], at: daemon)
        try await assertOneSentence(missing, from: "pipebus", status: 1, saying: "Gone.main is not in the graph")
        // Its app may come back.
        let again = try await pipebus(["undo"], at: daemon)
        try await assertOneSentence(
            again, from: "pipebus", status: 1,
            saying: "start its app and try again, or pass over that change with \"pipebus undo --skip\".")
        let skipped = try await value(["undo", "--skip"], at: daemon)
        XCTAssertTrue(skipped.contains("Gone.main → Recorder.in"), skipped)
        for command in ["undo", "redo"] {
            let empty = try await pipebus([command, "--skip"], at: daemon)
            try await assertOneSentence(empty, from: "pipebus", status: 1, saying: "There is nothing to \(command).")
        }

        let hostile = [
            "", "{", "[]", "null", text.replacingOccurrences(of: "\"version\":1", with: "\"version\":2"),
            String(repeating: "[", count: 100_000), "{\"version\":1,\"done\":[{}],\"undone\":[]}",
            String(text.dropLast(3)), "\u{0}\u{FFFD}",
        ]
        for content in hostile {
            try content.write(toFile: path, atomically: true, encoding: .utf8)
            let process = try await pipebus(["undo"], at: daemon)
            try await assertOneSentence(process, from: "pipebus", status: 1, saying: "There is nothing to undo.")
        }
        // Where there can be no file, the change is made all the same.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.removeItem(atPath: folder)
        try "".write(toFile: folder, atomically: true, encoding: .utf8)
        let noted = try await pipebus(["connect", "Pad", "Recorder"], at: daemon)
        XCTAssertEqual(noted.ending, .exited(0), noted.errors.text)
        try await assertConnections(["Pad.main > Recorder.in"], seenBy: bus)
    }

    func testManyCommandsAtOnceLoseNothing() async throws {
        let daemon = try await startDaemon()
        let bus = try await makeApps(at: daemon)
        let pairs = [
            ("Pad", "Recorder"), ("Echo", "Recorder"), ("Filter", "Recorder"), ("Pad", "Echo"), ("Pad", "Filter"),
        ]
        let tools = try pairs.map { try start("pipebus", ["connect", $0.0, $0.1], at: daemon.environment()) }
        for tool in tools {
            let ending = try await tool.waitForEnd()
            XCTAssertEqual(ending, .exited(0), tool.errors.text)
        }
        for _ in pairs { _ = try await value(["undo"], at: daemon) }
        try await assertConnections([], seenBy: bus)
    }
}

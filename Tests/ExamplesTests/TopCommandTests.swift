// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

@testable import ToolSupport

/// `pipebus top`, as a process.
final class TopCommandTests: ToolTestCase {
    private struct Table: Decodable {
        struct Node: Decodable {
            var name: String?
            var title: String
            var app: String?
            var isPipeBus: Bool
            var state: String
            var isDriver: Bool
            var driver: String?
            var quantum: Int?
            var rate: Int?
            var waiting: Double?
            var load: Double?
            var maximumLoad: Double?
            var xruns: Int
            var culprit: String?
            var isCulprit: Bool
            var latency: Double?
        }
        var state: String
        var isMeasured: Bool
        var nodes: [Node]
        var note: String?

        subscript(name: String) -> Node? { nodes.first { $0.name == name } }
    }

    private func tables(_ process: ChildProcess) throws -> [Table] {
        try process.output.lines.map { try JSONDecoder().decode(Table.self, from: Data($0.utf8)) }
    }

    /// A sender of some latency into a receiver.
    private func startPorts(_ remote: String, title: String = "Loud") async throws -> BusClient {
        let bus = try await connectClient(to: remote, as: "Giver")
        let sender = try await bus.sender("out", title: title, channels: .mono, latency: .frames(480), state: ()) {
            _, _, output in output.fill(0) { _ in 0.5 }
        }
        let taker = try await connectClient(to: remote, as: "Taker")
        let receiver = try await taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        try await taker.connect(sender.nodeName, to: receiver.nodeName)
        return bus
    }

    func testItsJSONHasTheCyclesOfEachPort() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 512), installation: installation)
            _ = try await startPorts(daemon.remote)
            // In a process of its own: a port of an app that runs would run with it.
            let tone = try start(
                "tone-sender", ["--frequency", "440"], at: daemon.environment(client: installation))
            let top = try start(
                "pipebus", ["top", "--json", "--interval", "0.5"], at: daemon.environment(client: installation))
            let table = try await eventualResult("a whole table", within: .seconds(20)) {
                try tables(top).last {
                    $0["Giver.out"]?.load != nil && $0["Taker.in"]?.load != nil && $0["Tone.out"] != nil
                }
            }
            XCTAssertTrue(table.isMeasured)
            XCTAssertEqual(table.state, "running")
            let giver = try XCTUnwrap(table["Giver.out"])
            XCTAssertEqual(giver.title, "Loud")
            XCTAssertEqual(giver.app, "Giver")
            XCTAssertEqual(giver.state, "running")
            XCTAssertEqual(giver.quantum, 512)
            XCTAssertEqual(giver.rate, 48_000)
            XCTAssertEqual(giver.driver, "Dummy-Driver")
            XCTAssertTrue(giver.isPipeBus)
            XCTAssertEqual(giver.latency, 10)
            XCTAssertEqual(table["Taker.in"]?.latency, 10)
            XCTAssertGreaterThanOrEqual(giver.maximumLoad ?? -1, giver.load ?? 0)
            XCTAssertEqual(table["Tone.out"]?.state, "idle")
            XCTAssertNil(table["Tone.out"]?.load)
            let driver = try XCTUnwrap(table.nodes.first)
            XCTAssertTrue(driver.isDriver)
            XCTAssertEqual(driver.title, "Dummy-Driver")
            XCTAssertEqual(table.nodes.count(where: \.isDriver), 1)
            for process in [top, tone] { process.signal(SIGINT) }
            let ending = try await top.waitForEnd()
            XCTAssertEqual(ending, .exited(0), top.errors.text)
        }
    }

    func testItNamesWhoeverIsLate() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let environment = daemon.environment(client: installation)
            let tone = try start("tone-sender", ["--frequency", "440"], at: environment)
            let bus = try await connectClient(to: daemon.remote, as: "Taker")
            try await waitForPort("Tone.out", of: tone, seenBy: bus)
            let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
            try await bus.connect("Tone", to: receiver)
            let top = try start("pipebus", ["top", "--json", "--interval", "0.3"], at: environment)
            try await eventually("a table", within: .seconds(20)) {
                try tables(top).last?["Tone.out"]?.load != nil
            }
            tone.signal(SIGSTOP)
            try await eventually("the culprit", within: .seconds(20)) {
                let table = try tables(top).last
                return table?["Tone.out"]?.isCulprit == true && table?["Taker.in"]?.culprit == "Tone out"
                    && table?["Taker.in"]?.xruns ?? 0 > 0
            }
            tone.signal(SIGCONT)
            for process in [top, tone] { process.signal(SIGINT) }
            let ending = try await top.waitForEnd()
            XCTAssertEqual(ending, .exited(0), top.errors.text)
        }
    }

    func testInAPipeItPrintsABlockForEachInterval() async throws {
        let daemon = try await startDaemon()
        _ = try await startPorts(daemon.remote, title: "音")
        // A name that PipeBus would refuse.
        let hostile = try ForeignFilter("a\u{1B}[2J\u{202E}x", at: daemon.remote, latency: 0)
        defer { withExtendedLifetime(hostile) {} }
        let top = try start("pipebus", ["top", "--interval", "0.3", "--count", "3"], at: daemon.environment())
        let ending = try await top.waitForEnd()
        XCTAssertEqual(ending, .exited(0), top.errors.text)
        let blocks = top.output.text.components(separatedBy: "\n\n").filter { !$0.isEmpty && $0 != "\n" }
        XCTAssertEqual(blocks.count, 3, top.output.text)
        for block in blocks {
            let lines = block.split(separator: "\n")
            XCTAssertTrue(lines[0].contains("XRUNS") && lines[0].contains("LATENCY"), block)
            let end = try XCTUnwrap(lines[0].range(of: "NAME"))
            let column = lines[0].distance(from: lines[0].startIndex, to: end.lowerBound)
            let line = try XCTUnwrap(lines.first { $0.contains("(Giver.out)") })
            XCTAssertTrue(line.dropFirst(column).contains("音"), block)
            XCTAssertTrue(block.contains("a\u{FFFD}[2J\u{FFFD}x"), block)
            for scalar in block.unicodeScalars where scalar != "\n" {
                XCTAssertNotEqual(scalar.properties.generalCategory, .control, block)
                XCTAssertFalse(scalar.properties.isBidiControl, block)
            }
        }
    }

    func testADaemonWithoutAProfiler() async throws {
        let daemon = try await startDaemon(.init(hasProfiler: false))
        _ = try await startPorts(daemon.remote)
        let top = try start("pipebus", ["top", "--interval", "0.2", "--count", "2"], at: daemon.environment())
        let ending = try await top.waitForEnd()
        XCTAssertEqual(ending, .exited(0), top.errors.text)
        XCTAssertTrue(top.output.lines[0].hasPrefix("This daemon has no profiler"), top.output.text)
        XCTAssertTrue(top.output.text.contains("Loud (Giver.out)"), top.output.text)
    }

    func testItOutlivesItsDaemonAndItsReaders() async throws {
        let daemon = try await startDaemon()
        let top = try start("pipebus", ["top", "--json", "--interval", "0.2"], at: daemon.environment())
        try await eventually("a table") { try tables(top).last?.state == "running" }
        try await daemon.kill()
        try await eventually("its end") { try tables(top).last?.state == "daemonGone" }
        XCTAssertEqual(try tables(top).last?.nodes.count, 0)
        try daemon.startAgain()
        try await eventually("the next one") { try tables(top).last?.state == "running" }
        _ = try await startPorts(daemon.remote)
        try await eventually("its ports", within: .seconds(20)) { try tables(top).last?["Giver.out"]?.load != nil }
        top.signal(SIGTERM)
        let ending = try await top.waitForEnd()
        XCTAssertEqual(ending, .exited(0), top.errors.text)
        let piped = try start(
            "pipebus", ["top", "--interval", "0.1"], at: daemon.environment(),
            through: ["/bin/sh", "-c", "{ \"$@\"; echo $? > \(folder)/status; } | exec head -1", "sh"])
        try await piped.waitForEnd(within: .seconds(20))
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
        XCTAssertEqual(status, "0\n", "its reader has what it wanted")
        XCTAssertEqual(piped.errors.text, "")
    }

    func testBadOptions() async throws {
        for (options, words) in [
            (["--interval", "0"], "--interval takes 0.1 to 3600 seconds, not 0"),
            (["--interval", "nan"], "--interval takes"), (["--count", "0"], "--count takes 1 to"),
            (["--duration", "-1"], "--duration takes 0.1 to"), (["--duration", "0"], "--duration takes 0.1 to"),
            (["--duration", "0.5"], "before the first table, which comes after 1 s"),
            (["--duration", "3", "--interval", "3.5"], "before the first table, which comes after 3.5 s"),
        ] {
            let top = try start("pipebus", ["top"] + options)
            try await assertOneSentence(top, from: "pipebus", status: 64, saying: words)
        }
    }

    // MARK: Terminals

    private func startOnTerminal(
        _ arguments: String, at daemon: HeadlessPipeWire, locale: String
    ) throws -> ChildProcess {
        let command = "ulimit -c 0; stty cols 100 rows 6; exec \(Programs.path(of: "pipebus")) top \(arguments)"
        return try start(
            "pipebus", [], at: daemon.environment(),
            through: ["/bin/sh", "-c", "exec script -qec '\(command)' /dev/null", "sh"], adding: ["LC_ALL": locale])
    }

    func testOnATerminalItFillsTheScreenAndGivesItBack() async throws {
        let daemon = try await startDaemon()
        // The first in the order of the table, whose end does not fit.
        let bus = try await startPorts(daemon.remote, title: "A 音")
        for number in 0..<4 { _ = try await bus.sender("s\(number)", channels: .mono, state: ()) { _, _, _ in } }
        for (locale, name) in [("C.UTF-8", "A 音 (Giver.out)"), ("C", "A ?? (Giver.out)")] {
            let script = try startOnTerminal("--interval 0.2", at: daemon, locale: locale)
            try await eventually("the table", within: .seconds(20)) {
                let text = script.output.text
                return text.contains(name) && text.contains("and ") && text.contains("\u{1B}[H")
            }
            XCTAssertTrue(script.output.text.hasPrefix("\u{1B}[?1049h\u{1B}[?25l"), script.output.text)
            script.send("q")
            let ending = try await script.waitForEnd()
            XCTAssertEqual(ending, .exited(0), script.output.text)
            let text = script.output.text.trimmingCharacters(in: .newlines)
            XCTAssertTrue(text.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"), String(text.suffix(200)))
        }
    }

    func testControlCGivesTheTerminalBack() async throws {
        let daemon = try await startDaemon()
        let script = try startOnTerminal("--interval 0.2", at: daemon, locale: "C")
        try await eventually("a table") { script.output.text.contains("XRUNS") }
        script.send("\u{3}")
        let ending = try await script.waitForEnd()
        XCTAssertEqual(ending, .exited(0), script.output.text)
        XCTAssertTrue(script.output.text.contains("\u{1B}[?1049l"))
    }

    /// It ends the tool at once, as it ends any program.
    func testControlBackslashGivesTheTerminalBack() async throws {
        let daemon = try await startDaemon()
        let script = try startOnTerminal("--interval 0.2", at: daemon, locale: "C")
        try await eventually("a table") { script.output.text.contains("XRUNS") }
        script.send("\u{1C}")
        let ending = try await script.waitForEnd()
        XCTAssertEqual(ending, .exited(128 + SIGQUIT), script.output.text)
        let text = script.output.text
        XCTAssertTrue(text.contains("\u{1B}[?25h\u{1B}[?1049l"), String(text.suffix(200)))
    }

    func testPaintedLinesFitWhateverTheyHold() {
        let lines = [
            String(repeating: "音", count: 50), "a\u{1B}[2Jb\nc", "e\u{301}" + String(repeating: "x", count: 99), "4",
        ]
        let text = FullScreen.painting(lines, columns: 9, rows: 3, isUnicode: true)
        XCTAssertEqual(
            text,
            "\u{1B}[H\u{1B}[?7l音音音音\u{1B}[K\r\na\u{FFFD}[2Jb\u{FFFD}c\u{1B}[K\r\ne\u{301}xxxxxxxx\u{1B}[K\u{1B}[J\u{1B}[?7h"
        )
        XCTAssertEqual(
            FullScreen.painting(["音é"], columns: 9, rows: 3, isUnicode: false),
            "\u{1B}[H\u{1B}[?7l???\u{1B}[K\u{1B}[J\u{1B}[?7h")
        let endless = "a" + String(repeating: "\u{301}", count: 100_000)
        XCTAssertLessThan(FullScreen.painting([endless], columns: 80, rows: 2, isUnicode: true).utf8.count, 100)
    }

    func testTheColumnsOfText() {
        for (text, columns) in [
            ("", 0), ("abc", 3), ("音楽", 4), ("e\u{301}", 1), ("한국", 4), ("ｶﾅ", 2), ("Ａ", 2), ("🎻", 2), ("❤\u{FE0F}", 2),
            ("é–…", 3), ("👩‍🎤", 2),
        ] { XCTAssertEqual(TextColumns.count(text), columns, text) }
        XCTAssertEqual(TextColumns.fit("音楽", to: 6), "音楽  ")
        XCTAssertEqual(TextColumns.fit("音楽", to: 6, isRight: true), "  音楽")
        XCTAssertEqual(TextColumns.fit("音楽家", to: 5), "音楽…")
        XCTAssertEqual(TextColumns.fit("音楽家", to: 4), "音… ")
        XCTAssertEqual(TextColumns.fit("abcdef", to: 4), "abc…")
    }
}

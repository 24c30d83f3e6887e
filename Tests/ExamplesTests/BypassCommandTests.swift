// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus bypass`, on the example filter in a process of its own.
final class BypassCommandTests: ToolTestCase {
    private func pipebus(_ arguments: [String], at daemon: HeadlessPipeWire) async throws -> String {
        let process = try start("pipebus", arguments, at: daemon.environment())
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        return process.output.text
    }

    func testTheToolShowsAndSetsIt() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let filter = try start("echo-filter", ["--delay", "480", "--feedback", "0"], at: daemon.environment())
        try await waitForPort("Echo.echo", of: filter, seenBy: bus)
        for (arguments, answer) in [
            ([], "off"), (["on"], "on"), ([], "on"), (["on"], "on"), (["off"], "off"), ([], "off"), (["on"], "on"),
            (["toggle"], "off"), (["TOGGLE"], "on"),
        ] {
            let text = try await pipebus(["bypass", "Echo"] + arguments, at: daemon)
            XCTAssertEqual(text, "bypass=\(answer)")
        }
        let list = try await pipebus(["list"], at: daemon)
        XCTAssertTrue(list.contains("stereo out, bypassed"), list)
        let json = try await pipebus(["list", "--json"], at: daemon)
        XCTAssertTrue(json.contains("\"isBypassed\" : true"), json)
    }

    func testWhatCannotBeBypassedIsSaidInOneSentence() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let bus = try await connectClient(to: daemon.remote)
        _ = try await bus.keeper(channels: .stereo)
        let echo = try await connectClient(to: daemon.remote, as: "Echo")
        _ = try await echo.filter("echo", state: ()) { _, _, _, _ in }
        for (name, words) in [
            ("null-sink", "no filter"), ("Test.in", "no filter"), ("Test", "Test has no filter"),
            ("Nobody", "no port or app called \"Nobody\""), ("Ecko", "; is \"Echo\" meant? There is \"Echo.echo\"."),
        ] {
            let process = try start("pipebus", ["bypass", name, "on"], at: daemon.environment())
            try await assertOneSentence(process, from: "pipebus", status: 1, saying: words)
        }
        let nonsense = try start("pipebus", ["bypass", "Test.in", "maybe"], at: daemon.environment())
        let ending = try await nonsense.waitForEnd()
        XCTAssertEqual(ending, .exited(64))
        XCTAssertTrue(
            nonsense.errors.text.contains("bypass takes on, off or toggle, not \"maybe\""), nonsense.errors.text)
    }

    func testAFilterThatStandsStillIsSaidSo() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let filter = try start("echo-filter", [], at: daemon.environment())
        try await waitForPort("Echo.echo", of: filter, seenBy: bus)
        filter.signal(SIGSTOP)
        let process = try start("pipebus", ["bypass", "Echo", "on"], at: daemon.environment())
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: "does not answer")
        filter.signal(SIGCONT)
        try await eventually("it to be done after all") { try await bus.isBypassed("Echo") }
    }
}

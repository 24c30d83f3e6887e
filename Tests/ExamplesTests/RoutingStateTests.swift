// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `save --state`, and what `load` and `run` do with it, with apps in processes of their own.
final class RoutingStateTests: RoutingStateTestCase {
    private func assertRoundTrip(of size: Int) async throws {
        let (session, bus, _) = try await scene(mode: "message", size: size)
        let save = try await pipebus(["save", "\(folder)/my song.json", "--state"], in: session)
        XCTAssertEqual(save.ending, .exited(0), save.errors.text)
        XCTAssertEqual(save.errors.text, "")
        XCTAssertTrue(save.output.text.contains("states=1"), save.output.text)
        try await session.endHosts(Self.id)
        try await eventually("an empty graph") { await bus.graph.connections.isEmpty }
        let load = try await pipebus(["load", "\(folder)/my song.json"], in: session)
        XCTAssertEqual(load.ending, .exited(0), load.errors.text)
        XCTAssertTrue(
            load.output.text.contains(
                "state=stateRestored source=org.example.synth reason='2 samples are\u{FFFD} missing'")
                || load.output.text.contains("2 samples are"), load.output.text)
        XCTAssertFalse(load.output.text.contains("\u{1B}"))
        let loads = session.events(of: Self.id).filter { $0.hasPrefix("load") }
        XCTAssertEqual(loads, ["load org.example.synth.state 7 \(size) true my song"])
    }

    func testNothing() async throws { try await assertRoundTrip(of: 0) }
    func testAByte() async throws { try await assertRoundTrip(of: 1) }
    func testTwentyMegabytes() async throws { try await assertRoundTrip(of: 20_000_000) }

    private func assertNotSaved(mode: String = "well", size: Int? = nil, saying words: String, line: UInt = #line)
        async throws
    {
        let (session, _, _) = try await scene(mode: mode, size: size)
        let save = try await pipebus(["save", "\(folder)/song.json", "--state"], in: session)
        // The rest is saved.
        XCTAssertEqual(save.ending, .exited(0), save.errors.text, line: line)
        XCTAssertTrue(save.output.text.contains("connections=1"), save.output.text, line: line)
        XCTAssertTrue(save.output.text.contains("states=0"), save.output.text, line: line)
        XCTAssertTrue(save.errors.text.contains(words), save.errors.text, line: line)
    }

    func testAByteTooMuch() async throws {
        try await assertNotSaved(size: 20_000_001, saying: "20000001 bytes; at most 20000000 (20 MB)")
    }
    func testAnAppThatHangs() async throws {
        try await assertNotSaved(mode: "slow", saying: "org.example.synth did not answer within 2")
    }
    func testAnAppThatRefuses() async throws {
        try await assertNotSaved(mode: "refuse", saying: "refused: The song is being written.")
    }
    func testAnAppThatCrashes() async throws {
        try await assertNotSaved(mode: "crash", saying: "The state of org.example.synth is not saved")
    }

    /// What a file has is kept: the state of an app that hangs, whether its receiver has disconnected it or not, and all of it when nothing
    /// is connected.
    func testASavedSongIsNotLost() async throws {
        let (session, bus, _) = try await scene(size: 100)
        let path = "\(folder)/song.json"
        _ = try await pipebus(["save", path, "--state"], in: session)
        let song = try String(contentsOfFile: path, encoding: .utf8)
        let app = try XCTUnwrap(session.processes(of: Self.id).first)
        kill(app, SIGSTOP)
        for isDisconnected in [false, true] {
            if isDisconnected {
                try await eventually("the mark") { await bus.graph.ports.contains { !$0.stalledSources.isEmpty } }
            }
            let save = try await pipebus(["save", path, "--state"], in: session)
            XCTAssertTrue(save.output.text.contains("connections=1"), save.output.text)
            XCTAssertTrue(save.output.text.contains("states=1"), save.output.text)
            XCTAssertTrue(
                save.errors.text.contains(
                    "did not answer within 2 s; it may hang. The one that \"\(path)\" has is kept."),
                save.errors.text)
            XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), song)
        }
        try await session.endHosts(Self.id)
        try await eventually("an empty graph") { await !bus.graph.peers.contains { $0.name == "Voice Synth" } }
        let save = try await pipebus(["save", path], in: session)
        XCTAssertEqual(save.ending, .exited(1))
        XCTAssertTrue(save.errors.text.contains("Nothing is connected, so there is nothing to save"), save.errors.text)
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), song)
    }

    func testSeveralProcessesOfAnApp() async throws {
        let (session, _, daemon) = try await scene(size: 100)
        let second = try start(
            "app-host", [Self.id, "Voice Synth", "\(folder)/second.log", "well", "out"], at: session.environment)
        let observer = try await connectClient(to: daemon.remote, as: "Observer")
        try await eventually("the second") {
            await observer.graph.ports.contains { $0.nodeName == "Voice Synth.out-2" }
        }
        _ = try await pipebus(["connect", "Voice Synth.out-2", "Test"], in: session)
        let save = try await pipebus(["save", "\(folder)/song.json", "--state"], in: session)
        XCTAssertTrue(save.errors.text.contains("Several processes of \(Self.id) are connected"), save.errors.text)
        XCTAssertTrue(save.output.text.contains("states=1"), save.output.text)
        second.signal(SIGTERM)
        try await second.waitForEnd()
    }

    func testAnAppThatKeepsNone() async throws {
        let (session, _, _) = try await scene(mode: "forgetful")
        let save = try await pipebus(["save", "\(folder)/song.json", "--state"], in: session)
        XCTAssertEqual(save.errors.text, "")
        XCTAssertTrue(save.output.text.contains("states=0"), save.output.text)
        // A file with a state of it is loaded but for that.
        let text = try String(contentsOfFile: "\(folder)/song.json", encoding: .utf8)
        let states =
            "\"states\": [{\"app\": \"org.example.synth\", \"type\": \"t\", \"version\": 1, \"data\": \"AAEC\"}],"
        try text.replacing("\"connections\"", with: "\(states) \"connections\"")
            .write(toFile: "\(folder)/with.json", atomically: true, encoding: .utf8)
        let load = try await pipebus(["load", "\(folder)/with.json"], in: session)
        XCTAssertEqual(load.ending, .exited(1))
        XCTAssertTrue(load.output.text.contains("state=stateFailed source=org.example.synth"), load.output.text)
        XCTAssertTrue(load.output.text.contains("keeps no state"), load.output.text)
        XCTAssertTrue(load.errors.text.contains("1 of 1 states"), load.errors.text)
        let bad = text.replacing("\"connections\"", with: states.replacing("AAEC", with: "AAE") + " \"connections\"")
        try bad.write(toFile: "\(folder)/bad.json", atomically: true, encoding: .utf8)
        let refused = try await pipebus(["load", "\(folder)/bad.json"], in: session)
        XCTAssertTrue(refused.errors.text.contains("(states[0].data)"), refused.errors.text)
    }
}

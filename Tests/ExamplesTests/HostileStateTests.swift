// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// States in messages that an app, or a program that loads, should not send.
final class HostileStateTests: RoutingStateTestCase {
    private static let peer = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("StatePeer/state_peer.py").path
    private static let limits = "sealed memory of at most 20000000 bytes"

    /// The app's ports are those of a process that is on no bus. Another process has its name.
    private func startPeer(_ how: String, in session: DesktopSession) async throws -> ChildProcess {
        let peer = try start("/usr/bin/python3", [Self.peer, "app", Self.id, how], at: session.environment)
        try await PipeBusTesting.eventually("the peer") {
            if peer.ending != nil { throw peer.failure("did not start") }
            return peer.output.lines.contains("ready")
        }
        return peer
    }

    private func end(_ peer: ChildProcess) async throws {
        peer.signal(SIGKILL)
        try await peer.waitForEnd()
    }

    func testWhatAnAppGives() async throws {
        let (session, _, _) = try await scene(mode: "silent")
        let refusals = [
            "unsealed", "shrinkable", "growable", "writable", "unreadable", "large", "huge", "file", "pipe", "device",
            "none", "elsewhere", "form", "empty",
        ].map { ($0, Self.limits) }
        let others = [
            ("nameless", "the name of the type of a state must have 1 to 255 bytes"),
            ("long", "the name of the type of a state must have 1 to 255 bytes"),
            ("unprintable", "the name of the type of a state must have 1 to 255 bytes"),
            ("crash", "ended before it answered"), ("hang", "did not answer within 2"), ("error", "refused: no"),
        ]
        for (how, words) in refusals + others {
            let peer = try await startPeer(how, in: session)
            let path = "\(folder)/\(how).json"
            let save = try await pipebus(["save", path, "--state"], in: session)
            XCTAssertEqual(save.ending, .exited(0), "\(how): \(save.errors.text)")
            XCTAssertTrue(save.output.text.contains("connections=1"), "\(how): \(save.output.text)")
            XCTAssertTrue(save.output.text.contains("states=0"), "\(how): \(save.output.text)")
            XCTAssertEqual(save.errors.lines.count, 1, "\(how): \(save.errors.text)")
            XCTAssertTrue(
                save.errors.text.hasPrefix("pipebus: The state of org.example.synth is not saved: "),
                "\(how): \(save.errors.text)")
            XCTAssertTrue(save.errors.text.contains(words), "\(how): \(save.errors.text)")
            XCTAssertFalse(save.errors.text.contains("\u{1B}"), how)
            XCTAssertLessThan(save.errors.text.utf8.count, 5000, how)
            try await end(peer)
        }
        // Of any version.
        let peer = try await startPeer("newest", in: session)
        let save = try await pipebus(["save", "\(folder)/newest.json", "--state"], in: session)
        XCTAssertTrue(save.output.text.contains("states=1"), save.errors.text)
        let text = try String(contentsOfFile: "\(folder)/newest.json", encoding: .utf8)
        XCTAssertTrue(text.contains("\"version\": 4294967295"), text)
        XCTAssertTrue(text.contains("\"data\": \"c3RhdGU=\""), text)
        try await end(peer)
    }

    func testWhatAnAppAnswersToALoad() async throws {
        let (session, _, _) = try await scene(mode: "silent")
        let path = try await routing(with: ["AAEC"], in: session)
        for (how, words) in [
            ("crash", "ended before it answered"), ("hang", "did not answer within 2"), ("error", "refused: no"),
            ("form", "did not answer in the form"), ("empty", "did not answer in the form"),
        ] {
            let peer = try await startPeer(how, in: session)
            let load = try await pipebus(["load", path], in: session)
            XCTAssertEqual(load.ending, .exited(1), "\(how): \(load.output.text)")
            XCTAssertTrue(load.output.text.contains("state=there"), "\(how): \(load.output.text)")
            XCTAssertTrue(
                load.output.text.contains("state=stateFailed source=org.example.synth"), "\(how): \(load.output.text)")
            XCTAssertTrue(load.output.text.contains(words), "\(how): \(load.output.text)")
            XCTAssertFalse(load.output.text.contains("\u{1B}"), how)
            XCTAssertLessThan(load.output.text.utf8.count, 6000, how)
            XCTAssertTrue(load.errors.text.contains("1 of 1 states"), "\(how): \(load.errors.text)")
            try await end(peer)
        }
        let peer = try await startPeer("message", in: session)
        let load = try await pipebus(["load", path], in: session)
        XCTAssertEqual(load.ending, .exited(0), load.errors.text)
        XCTAssertTrue(load.output.text.contains("state=stateRestored"), load.output.text)
        XCTAssertFalse(load.output.text.contains("\u{1B}"))
        XCTAssertLessThan(load.output.text.utf8.count, 6000)
        try await end(peer)
    }

    /// The app checks by itself, and its closure is not called.
    func testWhatAnAppIsGiven() async throws {
        let (session, _, _) = try await scene()
        func answer(_ how: String) async throws -> String {
            let peer = try start("/usr/bin/python3", [Self.peer, "load", Self.id, how], at: session.environment)
            let ending = try await peer.waitForEnd(within: .seconds(30))
            XCTAssertEqual(ending, .exited(0), peer.errors.text)
            return peer.output.lines.first ?? ""
        }
        for how in [
            "unsealed", "shrinkable", "growable", "writable", "unreadable", "large", "huge", "file", "pipe", "device",
        ] {
            let text = try await answer(how)
            XCTAssertTrue(text.hasPrefix("org.pipebus.Error.InvalidArguments"), "\(how): \(text)")
            XCTAssertTrue(text.contains(Self.limits), "\(how): \(text)")
        }
        for how in ["none", "elsewhere"] {
            let text = try await answer(how)
            XCTAssertTrue(
                text.contains("LoadState takes a type, a version, a descriptor and options."), "\(how): \(text)")
        }
        let form = try await answer("form")
        XCTAssertTrue(form.hasPrefix("org.freedesktop.DBus.Error.InvalidArgs"), form)
        for how in ["nameless", "long", "unprintable"] {
            let text = try await answer(how)
            XCTAssertTrue(text.contains("the name of the type of a state must have 1 to 255 bytes"), "\(how): \(text)")
        }
        XCTAssertEqual(loads(in: session), [])
        for how in ["newest", "option"] {
            let text = try await answer(how)
            XCTAssertEqual(text, "taken ''", how)
        }
        try await eventually("both") { self.loads(in: session).count == 2 }
        XCTAssertEqual(
            loads(in: session),
            [
                "load org.example.state 4294967295 5 false a\u{FFFD}[2J", "load org.example.state 1 5 false -",
            ])
    }

    func testASignalEndsALoad() async throws {
        let (session, _, _) = try await scene(mode: "silent")
        let path = try await routing(with: ["AAEC"], in: session)
        let peer = try await startPeer("hang", in: session)
        let load = try start("pipebus", ["load", path], at: session.environment)
        try await eventually("the call") { peer.output.lines.contains("LoadState") }
        load.signal(SIGINT)
        let ending = try await load.waitForEnd()
        XCTAssertEqual(ending, .exited(130), load.errors.text)
        XCTAssertFalse(load.output.text.contains("stateFailed"), load.output.text)
        try await end(peer)
    }

    func testWithoutABus() async throws {
        let (session, _, _) = try await scene()
        let path = try await routing(with: ["AAEC"], in: session)
        func assertReasons(_ reason: String, _ environment: [String: String]) async throws {
            let save = try start("pipebus", ["save", "\(folder)/bus.json", "--state"], at: environment)
            let saved = try await save.waitForEnd()
            XCTAssertEqual(saved, .exited(0), save.errors.text)
            XCTAssertTrue(save.output.text.contains("connections=1"), save.output.text)
            // For each of the two apps.
            XCTAssertEqual(save.errors.lines.count { $0.contains(reason) }, 2, save.errors.text)
            XCTAssertEqual(save.errors.lines.count, 2, save.errors.text)
            let load = try start("pipebus", ["load", path], at: environment)
            let loaded = try await load.waitForEnd()
            XCTAssertEqual(loaded, .exited(1), load.errors.text)
            XCTAssertTrue(load.output.text.contains("state=stateFailed"), load.output.text)
            XCTAssertTrue(load.output.text.contains(reason), load.output.text)
        }
        var without = session.environment
        without["DBUS_SESSION_BUS_ADDRESS"] = nil
        without["XDG_RUNTIME_DIR"] = folder
        try await assertReasons("There is no session bus (DBUS_SESSION_BUS_ADDRESS is not set)", without)
        session.signalBus(SIGSTOP)
        defer { session.signalBus(SIGCONT) }
        try await assertReasons("There is no session bus (the session bus does not answer)", session.environment)
    }
}

// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus watch` in a pipe: a line for each event.
final class WatchLinesTests: ToolTestCase {
    private struct Event: Decodable {
        struct Links: Decodable { var present: Int, expected: Int? }
        var version: Int
        var time: String
        var event: String
        var isInitial: Bool?
        var port: String?
        var source: String?
        var destination: String?
        var title: String?
        var app: String?
        var kind: String?
        var media: [String]?
        var links: Links?
        var volume: Double?
        var isMuted: Bool?
        var count: Int?
        var total: Int?
        var culprit: String?
        var state: String?
        var message: String?
    }

    private func events(_ process: ChildProcess) throws -> [Event] {
        try process.output.lines.map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
    }

    func testEventsAsJSON() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote, as: "Giver")
        let sender = try await bus.sender("out", title: "Loud", channels: .stereo, state: ()) { _, _, _ in }
        let hostile = try ForeignFilter("x\u{1B}\"\\\n\u{202E}y", at: daemon.remote, latency: 0)
        defer { withExtendedLifetime(hostile) {} }
        let watch = try start("pipebus", ["watch", "--json", "--interval", "0.2"], at: daemon.environment())
        try await eventually("the ports that are there") { try events(watch).count == 2 }
        let first = try events(watch)
        XCTAssertTrue(first.allSatisfy { $0.version == 1 && $0.event == "portAdded" && $0.isInitial == true })
        let port = try XCTUnwrap(first.first { $0.port == "Giver.out" })
        XCTAssertEqual([port.title, port.app, port.kind], ["Loud", "Giver", "sender"])
        XCTAssertEqual(port.media, ["audio"])
        let date = try Date(port.time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        XCTAssertEqual(date.timeIntervalSinceNow, 0, accuracy: 600)

        let taker = try await connectClient(to: daemon.remote, as: "Taker")
        let (receiver, _) = try await taker.keeper(channels: .stereo)
        try await taker.connect(sender.nodeName, to: receiver)
        try await eventually("the connection") { try events(watch).contains { $0.event == "connected" } }
        try await receiver.setVolume(0.5, for: sender.id)
        try await eventually("the level") { try events(watch).contains { $0.event == "level" && $0.volume == 0.5 } }
        try await taker.disconnect(sender.nodeName, from: receiver)
        await sender.close()
        try await eventually("its end") { try events(watch).contains { $0.event == "portRemoved" } }
        let later = try events(watch).dropFirst(2)
        XCTAssertTrue(later.allSatisfy { $0.isInitial == nil })
        XCTAssertEqual(
            later.filter { $0.event != "linksChanged" && $0.event != "xrun" }.map(\.event),
            ["portAdded", "connected", "level", "disconnected", "portRemoved"])
        let connected = try XCTUnwrap(later.first { $0.event == "connected" })
        XCTAssertEqual([connected.source, connected.destination], ["Giver.out", "Taker.in"])
        XCTAssertEqual(connected.links?.expected, 2)

        try await daemon.kill()
        try await eventually("the loss") { try events(watch).last { $0.event == "daemon" }?.state == "daemonGone" }
        try daemon.startAgain()
        try await eventually("the return") { try events(watch).last { $0.event == "daemon" }?.state == "running" }
        watch.signal(SIGTERM)
        let ending = try await watch.waitForEnd()
        XCTAssertEqual(ending, .exited(0), watch.errors.text)
        XCTAssertEqual(watch.errors.text, "")
    }

    func testXrunsNameWhoeverIsLate() async throws {
        let daemon = try await startDaemon()
        let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
        let bus = try await connectClient(to: daemon.remote, as: "Taker")
        try await waitForPort("Tone.out", of: tone, seenBy: bus)
        let (receiver, _) = try await bus.keeper(channels: .mono)
        try await bus.connect("Tone", to: receiver)
        let json = try start("pipebus", ["watch", "--json", "--interval", "0.2"], at: daemon.environment())
        let text = try start("pipebus", ["watch", "--interval", "0.2"], at: daemon.environment())
        try await eventually("the connection") { try events(json).contains { $0.event == "connected" } }
        tone.signal(SIGSTOP)
        try await eventually("the culprit", within: .seconds(20)) {
            try events(json).contains { $0.event == "xrun" && $0.culprit == "Tone out" && $0.port == "Taker.in" }
                && text.output.lines.contains { $0.contains("xrun") && $0.hasSuffix("the fault of Tone out") }
        }
        tone.signal(SIGCONT)
        let xruns = try events(json).filter { $0.event == "xrun" }
        XCTAssertTrue(xruns.allSatisfy { $0.count ?? 0 > 0 && $0.total ?? 0 >= $0.count ?? 0 })
    }

    func testLinesForPeople() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote, as: "Giver")
        _ = try await bus.sender("out", title: "音", channels: .mono, state: ()) { _, _, _ in }
        let hostile = try ForeignFilter("a\u{1B}[2J\u{202E}x", at: daemon.remote, latency: 0)
        defer { withExtendedLifetime(hostile) {} }
        let watch = try start("pipebus", ["watch", "--duration", "1"], at: daemon.environment())
        let ending = try await watch.waitForEnd()
        XCTAssertEqual(ending, .exited(0), watch.errors.text)
        let lines = watch.output.lines.map { $0.replacing(/^\d\d:\d\d:\d\d[ ]+/, with: "") }.sorted()
        XCTAssertEqual(lines.count, 2, watch.output.text)
        XCTAssertEqual(lines.first, "port         Giver.out  sender of Giver  “音”")
        XCTAssertEqual(lines.last?.hasPrefix("port         a\u{FFFD}[2J\u{FFFD}x  filter"), true, watch.output.text)
        let filtered = try start("pipebus", ["watch", "GIVER", "--duration", "1"], at: daemon.environment())
        try await filtered.waitForEnd()
        XCTAssertEqual(filtered.output.lines.count, 1, filtered.output.text)
    }

    func testItEndsWithItsReader() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        _ = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        for options in [[], ["--json"]] {
            let piped = try start(
                "pipebus", ["watch"] + options, at: daemon.environment(),
                through: ["/bin/sh", "-c", "{ \"$@\"; echo $? > \(folder)/status; } | exec head -1", "sh"])
            // It notices without another event.
            try await piped.waitForEnd(within: .seconds(20))
            let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
            XCTAssertEqual(status, "0\n")
            XCTAssertEqual(piped.errors.text, "")
        }
    }

    func testBadOptions() async throws {
        for (options, words) in [
            (["--interval", "0"], "--interval takes 0.1 to 3600 seconds, not 0"),
            (["--interval", "nan"], "--interval takes"), (["--duration", "-1"], "--duration takes 0.1 to"),
            ([""], "The name is empty"), (["a", "b"], "b"),
        ] {
            let watch = try start("pipebus", ["watch"] + options)
            try await assertOneSentence(watch, from: "pipebus", status: 64, saying: words)
        }
        let alone = try start("pipebus", ["watch"])
        try await assertOneSentence(
            alone, from: "pipebus", status: 1,
            saying: "with --wait pipebus waits for one, and \"pipebus daemon\" keeps a private one.")
    }
}

// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// A peer in Python, which uses nothing but Docs/Protocols.md, with real apps.
final class ProtocolTests: ToolTestCase {
    private static let id = "org.example.voice-synth"
    private static let script = URL(fileURLWithPath: #filePath)
        .appending(path: "../../Protocols/pipebus_peer.py").standardizedFileURL.path

    private func startPeer(
        _ arguments: [String], in environment: [String: String], _ installation: PipeWireInstallation
    ) throws -> ChildProcess {
        var environment = environment
        if let root = installation.root {
            environment["PATH"] = "\(root)/usr/bin:\(environment["PATH"] ?? "/usr/bin")"
        }
        // That of the system, which has GIO.
        return try start("/usr/bin/python3", [Self.script] + arguments, at: environment)
    }

    /// The lines that the peer prints.
    private func peer(
        _ arguments: String..., in environment: [String: String], _ installation: PipeWireInstallation = .system
    ) async throws -> [String] {
        let process = try startPeer(arguments, in: environment, installation)
        let ending = try await process.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        return process.output.lines
    }

    private func client(on daemon: HeadlessPipeWire) async throws -> BusClient {
        let bus = try await BusClient.connect(as: "org.example.rig", name: "Rig", remote: daemon.remote)
        addTeardownBlock { await bus.close() }
        _ = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        return bus
    }

    // MARK: Triggers

    func testTriggers() async throws { try await pressTriggers(.system) }
    func testTriggersOn14() async throws { try await pressTriggers(.newer()) }

    private func pressTriggers(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let environment = daemon.environment(client: installation)
        let bus = try await client(on: daemon)
        let before = try await peer("triggers", in: environment, installation)
        XCTAssertEqual(before, [])
        let presses = Mutex<[TriggerPress]>([])
        let record = try await bus.addTrigger(.record) { press in presses.withLock { $0.append(press) } }
        try await bus.addTrigger(.button, id: "next-verse", face: TriggerFace(title: "Don't stop: 'go on'")) { _ in }

        func triggers() async throws -> [String] { try await peer("triggers", in: environment, installation) }
        let next = "org.example.rig\tnext-verse\tbutton\tnormal\tDon't stop: 'go on'"
        let normal = try await triggers()
        XCTAssertEqual(normal, [next, "org.example.rig\trecord\trecord\tnormal\tRecord"])
        let first = try await peer("press", "Rig", "record", in: environment, installation)
        XCTAssertEqual(first, ["taken"])
        try await eventually("the press") { presses.withLock(\.count) == 1 }
        XCTAssertEqual(presses.withLock { $0.first?.triggerID }, "record")
        XCTAssertNil(presses.withLock { $0.first?.peer })

        try await record.setFace(TriggerFace(title: "Stop"), in: .disabled)
        try await record.setState(.disabled)
        let disabled = try await triggers()
        XCTAssertEqual(disabled, [next, "org.example.rig\trecord\trecord\tdisabled\tStop"])
        // Twice: the first refusal is no answer to the second request.
        for trigger in ["record", "record", "none"] {
            let refusal = try await peer("press", "org.example.rig", trigger, in: environment, installation)
            let reason = trigger == "none" ? "there is no such trigger" : "the trigger is disabled"
            XCTAssertEqual(refusal, ["refused: \(reason)"])
        }
        try await record.setState(.normal)
        let second = try await peer("press", "Rig", "record", in: environment, installation)
        XCTAssertEqual(second, ["taken"])
        try await eventually("the other press") { presses.withLock(\.count) == 2 }
    }

    // MARK: Published data

    func testPublishedData() async throws { try await readData(.system) }
    func testPublishedDataOn14() async throws { try await readData(.newer()) }

    private func readData(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let environment = daemon.environment(client: installation)
        let bus = try await client(on: daemon)
        // Bytes whose Base64 looks like a number, every byte, and none.
        let all = (0...255).map { UInt8($0) }
        let values: [(key: String, bytes: [UInt8])] = [
            ("007", [0xD7, 0x6D, 0xF8]), ("all bytes", all), ("icon/out.png", []),
        ]
        for (key, bytes) in values { try await bus.publish(bytes, forKey: key) }
        let keys = try await peer("keys", "Rig", in: environment, installation)
        XCTAssertEqual(keys, values.map(\.key))
        for (key, bytes) in values {
            let read = try await peer("read", "Rig", key, in: environment, installation)
            XCTAssertEqual(read, [Self.text(bytes)], key)
        }
        let follower = try startPeer(["follow", "Rig"], in: environment, installation)
        try await eventually("all keys") { follower.output.lines.count == 3 }
        XCTAssertEqual(Set(follower.output.lines), Set(values.map { "added \($0.key) \(Self.text($0.bytes))" }))
        try await bus.publish([1, 2], forKey: "007")
        try await eventually("the other value") { follower.output.lines.last == "replaced 007 0102" }
        try await bus.unpublish("007")
        try await eventually("the key's going") { follower.output.lines.last == "removed 007" }
        try await bus.publish([3], forKey: "007")
        try await eventually("the key again") { follower.output.lines.last == "added 007 03" }
        XCTAssertEqual(follower.output.lines.count, 6)
        await bus.close()
        // A tool of PipeWire that looks while the app ends waits for ever, and is given up after 5 s.
        let ending = try await follower.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(0), follower.errors.text)
        XCTAssertEqual(follower.output.lines.last, "end")
    }

    private static func text(_ bytes: [UInt8]) -> String {
        bytes.isEmpty ? "nothing" : bytes.map { String(format: "%02x", $0) }.joined()
    }

    // MARK: The end, and the beginning

    func testAnAppStays() async throws { try await askToQuit(.system) }
    func testAnAppStaysOn14() async throws { try await askToQuit(.newer()) }

    private func askToQuit(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let environment = daemon.environment(client: installation)
        let bus = try await client(on: daemon)
        // Twice: the first answer is none to the second request.
        for reason in ["the song is not saved", "the take \"2\" runs"] {
            await bus.answerQuitRequests { _ in .refuse(because: reason) }
            let answer = try await peer("quit", "Rig", in: environment, installation)
            XCTAssertEqual(answer, ["stays: \(reason)"])
        }
    }

    func testAnAppIsLaunchedAndEnds() async throws { try await launchAndQuit(.system) }
    func testAnAppIsLaunchedAndEndsOn14() async throws { try await launchAndQuit(.newer()) }

    private func launchAndQuit(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let session = try await DesktopSession.start(in: folder, daemon: daemon.environment(client: installation))
        addTeardownBlock { try await session.close([Self.id]) }
        try session.install(Self.id, name: "Voice Synth", ports: ["out", "second"], isDBusActivatable: true)
        for port in ["second", "out"] {
            let launched = try await peer("launch", Self.id, port, in: session.environment, installation)
            XCTAssertEqual(launched, ["port Voice Synth.\(port)"])
            try await eventually("the request") {
                session.events(of: Self.id).contains("wanted \(port) by A peer in Python (org.example.peer)")
            }
        }
        XCTAssertEqual(session.events(of: Self.id).first, "started by D-Bus")
        XCTAssertEqual(session.processes(of: Self.id).count, 1)
        let answer = try await peer("quit", "Voice Synth", in: session.environment, installation)
        XCTAssertEqual(answer, ["ended"])
        try await eventually("the app's end") {
            session.events(of: Self.id).last == "ended The app was asked to end."
        }
    }
}

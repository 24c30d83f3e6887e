// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A small app of its own that depends on PipeBus by version, as apps do: the README's two programs, one of them with
/// main-actor default isolation, without experimental or unsafe flags.
final class ConsumerTests: DaemonTestCase {
    func testTheReadmesProgramsBuildAgainstATagAndRun() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let output = FileManager.default.temporaryDirectory.appending(path: "pipebus-consumer-\(getpid())").path
        defer { try? FileManager.default.removeItem(atPath: output) }
        let build = try ChildProcess("/bin/sh", ["\(root)/Scripts/build-consumer.sh", output])
        let ending = try await build.waitForEnd(within: .seconds(600))
        guard ending == .exited(0) else { throw build.failure("the consumer did not build") }

        let daemon = try await startDaemon()
        let environment = daemon.environment()
        let sender = try ChildProcess("\(output)/Sender", environment: environment)
        // The meter prints; stdbuf makes it do so line by line without a terminal.
        let meter = try ChildProcess("/usr/bin/stdbuf", ["-oL", "\(output)/Meter"], environment: environment)
        // The first readings may be of the time before the sound came.
        let line = try await meter.nextLine(within: .seconds(20)) {
            $0.hasPrefix("Tone out 0.") && !$0.hasPrefix("Tone out 0.0 ")
        }
        // Its peak: 0.2, as the README's sender says.
        XCTAssertEqual(Float(line.split(separator: " ")[2]) ?? 0, 0.2, accuracy: 0.001)

        // One with an end of RealtimeKit as its state, between the sender and a receiver of ours.
        let volume = try ChildProcess("\(output)/Volume", environment: environment)
        let bus = try await BusClient.connect(as: "org.example.look", name: "Look", remote: daemon.remote)
        let input = try await bus.receiver("in", fade: .none, state: ()) { _, _, _ in }
        try await bus.connect("Volume", to: input)
        try await bus.connect("Tone", to: "Volume")
        let heard = await input.meters.first { $0.contains { abs($0.meter.peak - 0.16) < 0.001 } }
        XCTAssertNotNil(heard)
        await input.close()

        // One that takes the sound on a thread of its own.
        let count = try ChildProcess("/usr/bin/stdbuf", ["-oL", "\(output)/Count"], environment: environment)
        try await bus.connect("Tone", to: "Count")
        _ = try await count.nextLine(within: .seconds(20)) { $0.contains(" frames, made at ") }
        XCTAssertTrue(count.signal(SIGTERM))
        let countEnding = try await count.waitForEnd()
        XCTAssertEqual(countEnding, .exited(0))

        // All leave cleanly when asked to, and leave nothing behind.
        XCTAssertTrue(sender.signal(SIGINT))
        let senderEnding = try await sender.waitForEnd()
        XCTAssertEqual(senderEnding, .exited(0))
        XCTAssertTrue(meter.signal(SIGTERM))
        let meterEnding = try await meter.waitForEnd()
        XCTAssertEqual(meterEnding, .exited(0))
        XCTAssertTrue(volume.signal(SIGTERM))
        let volumeEnding = try await volume.waitForEnd()
        XCTAssertEqual(volumeEnding, .exited(0))
        let graph = await bus.graph
        XCTAssertEqual(graph.ports.filter(\.isPipeBus), [])

        // They do not end in silence when another program removes them.
        let lost = try ChildProcess("\(output)/Sender", environment: environment)
        // Heard, so that its program has its port and waits for the end.
        let other = try await bus.receiver("other", state: ()) { _, _, _ in }
        try await bus.connect("Tone", to: other)
        let tone = await other.meters.first { $0.contains { $0.meter.peak > 0.1 } }
        XCTAssertNotNil(tone)
        try await daemon.removeClient(named: "Tone")
        let lostEnding = try await lost.waitForEnd()
        XCTAssertEqual(lostEnding, .exited(1))
        XCTAssertEqual(lost.errors.lines.count, 1, lost.errors.text)
        XCTAssertTrue(lost.errors.text.hasPrefix("Sender: "), lost.errors.text)
        await bus.close()
        try await daemon.kill()

        // Nor with a crash report where there is none from the start.
        for program in ["Sender", "Meter"] {
            let alone = try ChildProcess("\(output)/\(program)", environment: environment)
            let aloneEnding = try await alone.waitForEnd()
            XCTAssertEqual(aloneEnding, .exited(1))
            XCTAssertEqual(alone.errors.lines.count, 1, alone.errors.text)
            XCTAssertTrue(alone.errors.text.hasPrefix("\(program): "), alone.errors.text)
        }
    }

    func testTheConsumersProgramsAreThoseOfTheDocumentation() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let threads = try String(contentsOf: root.appending(path: "Docs/Threads.md"), encoding: .utf8)
        let streams = try String(contentsOf: root.appending(path: "Docs/Streams.md"), encoding: .utf8)
        let programs = [("Sender", readme), ("Meter", readme), ("Volume", threads), ("Count", streams)]
        for (program, text) in programs {
            let source = try String(
                contentsOf: root.appending(path: "Tests/Consumer/Sources/\(program)/main.swift"), encoding: .utf8)
            XCTAssertTrue(text.contains(source), "\(program) is not word for word in the documentation")
        }
    }
}

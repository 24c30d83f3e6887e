// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A mono source is a mono file, however its channels are linked and unlinked.
final class MonoSourceTests: ToolTestCase {
    func testLinkedAndUnlinkedChannelByChannel() async throws {
        let bench = try await startBench()
        _ = try await bench.addSource("mono", channels: .mono)
        let plain = try await bench.addSource("plain")
        try await bench.connect(plain)
        let begin = Int(await bench.stepper.position)
        func link(_ channel: String, _ options: [String] = []) async throws {
            let link = try ChildProcess(
                "pw-link", options + ["Test.mono:output_MONO", "Recorder.in:input_2_\(channel)"],
                environment: bench.stepper.environment())
            let ending = try await link.waitForEnd()
            XCTAssertEqual(ending, .exited(0), link.errors.text)
            try await bench.stepper.settle()
        }
        try await link("FL")
        let first = Int(await bench.stepper.position)
        try await bench.stepper.step(1024, cycles: 4)
        // Its file is made before the other channel is linked.
        try await eventually("a file") {
            (try? WaveFile.read("\(bench.path)/Test mono.wav").channels[0].count) ?? 0 > 0
        }
        try await link("FR")
        try await bench.stepper.step(1024, cycles: 4)
        try await link("FL", ["-d"])
        try await bench.stepper.step(1024, cycles: 4)
        let end = Int(await bench.stepper.position)
        try await link("FR", ["-d"])
        try await bench.stepper.step(1024, cycles: 4)
        let result = try await bench.finish()
        XCTAssertEqual(Set(result.files.keys), ["Test plain.wav", "Test mono.wav"])
        let file = try XCTUnwrap(result.files["Test mono.wav"])
        XCTAssertEqual(file.channels.count, 1)
        assertSamples(
            file.channels[0], equal: bench.expected([first..<end], in: result, count: file.channels[0].count))
        XCTAssertEqual(result.start, begin)
    }

    /// In real time, and so many at once that the control side is busy.
    func testManyAtOnce() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let path = "\(folder)/tracks"
        let tool = try start(
            "track-recorder", ["--separate", "--lanes", "48", "--output", path], at: daemon.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        var sources: [SenderPort] = []
        for number in 0..<48 {
            let (source, _) = try await bus.source(
                "s\(number)", of: TestSignal(.constant, gain: 0.5), channels: .mono)
            sources.append(source)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for source in sources {
                group.addTask { try await bus.connect(source, to: "Recorder", timeout: .seconds(60)) }
            }
            try await group.waitForAll()
        }
        try await eventually("all files", within: .seconds(30)) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            return names.count >= sources.count
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for source in sources { group.addTask { try await bus.disconnect(source, from: "Recorder") } }
            try await group.waitForAll()
        }
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["files"], "48")
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            XCTAssertEqual(try WaveFile.read("\(path)/\(name)").channels.count, 1, name)
        }
    }
}

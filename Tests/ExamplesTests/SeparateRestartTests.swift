// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `track-recorder --separate` over restarts of the daemon, in which each port has another serial, and may have one that was another
/// source's before.
final class SeparateRestartTests: ToolTestCase {
    func testEachSourceGoesOnInItsFile() async throws {
        let daemon = try await startDaemon()
        let observer = try await connectClient(to: daemon.remote)
        let take = "\(folder)/take"
        let recorder = try start("track-recorder", ["--separate", "--output", take], at: daemon.environment())
        try await waitForPort("Recorder.in", of: recorder, seenBy: observer)
        var tones: [String: ChildProcess] = [:]
        for name in ["A", "B"] {
            let tone = try start(
                "tone-sender", ["--name", name, "--frequency", "440"], at: daemon.environment())
            try await waitForPort("\(name).out", of: tone, seenBy: observer)
            try await observer.connect("\(name).out", to: "Recorder.in")
            tones[name] = tone
        }
        try await growth(of: ["A out", "B out"], in: take)
        for last in ["B", "A"] {
            // The ports come back in an order that gives one source the serial of the other.
            let late = try XCTUnwrap(tones[last])
            try await daemon.kill()
            late.signal(SIGSTOP)
            recorder.signal(SIGSTOP)
            try daemon.startAgain()
            let first = last == "A" ? "B" : "A"
            try await eventually("\(first) to be back") { await present("\(first).out", seenBy: observer) }
            recorder.signal(SIGCONT)
            try await eventually("the recorder to be back") { await present("Recorder.in", seenBy: observer) }
            try await eventually("\(first) to be connected") { await observer.graph.connections.count == 1 }
            late.signal(SIGCONT)
            try await eventually("both to be connected") { await observer.graph.connections.count == 2 }
            try await growth(of: ["A out", "B out"], in: take)
        }
        recorder.signal(SIGINT)
        let figures = try await figures(of: recorder)
        XCTAssertEqual(figures["files"], "2")
        let files = try FileManager.default.contentsOfDirectory(atPath: take)
        XCTAssertEqual(Set(files), ["A out.wav", "B out.wav"])
        for name in ["A out", "B out"] {
            XCTAssertEqual(try WaveFile.read("\(take)/\(name).wav").channels.count, 1, name)
        }
        for tone in tones.values { tone.signal(SIGINT) }
    }

    private func present(_ name: String, seenBy observer: BusClient) async -> Bool {
        await observer.graph.ports.contains { $0.nodeName == name }
    }

    /// Waits until a second of sound has been added to each file.
    private func growth(of names: [String], in take: String) async throws {
        func sizes() -> [Int] {
            names.map { (try? FileManager.default.attributesOfItem(atPath: "\(take)/\($0).wav")[.size] as? Int) ?? 0 }
        }
        let start = sizes()
        try await eventually("sound in each file") {
            zip(sizes(), start).allSatisfy { $0 > $1 + 48_000 * 4 }
        }
    }
}

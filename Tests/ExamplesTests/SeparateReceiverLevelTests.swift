// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The level commands at a receiver that hands over its sources one by one.
final class SeparateReceiverLevelTests: LevelCommandTestCase {
    /// It does not mix, so a request for levels is refused.
    func testAReceiverOfSeparateStreamsHasNoLevels() async throws {
        let daemon = try await startDaemon()
        let recorder = try start(
            "track-recorder", ["--name", "Rec", "--separate", "--output", "\(folder)/tracks"], at: daemon.environment())
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        try await waitForPort("Rec.in", of: recorder, seenBy: bus)
        try await bus.connect(source, to: "Rec")
        for command in ["volume", "pan", "mute", "solo"] {
            for value in [[], [command == "volume" || command == "pan" ? "0.1" : "on"]] {
                let process = try await pipebus([command, source.nodeName, "Rec"] + value, at: daemon)
                XCTAssertEqual(process.output.text, "")
                try await assertOneSentence(
                    process, from: "pipebus", status: 1, saying: "takes its sources separately and does not mix them")
            }
        }
        let list = try await value(["list"], at: daemon)
        XCTAssertTrue(list.split(separator: "\n").contains { $0.hasSuffix("← \(source.nodeName)") }, list)
        XCTAssertFalse(list.contains("volume"), list)
        let port = await bus.graph.ports.first { $0.nodeName == "Rec.in" }
        XCTAssertEqual(port?.isSeparate, true)
        let levels = try await bus.levels(at: "Rec")
        XCTAssertEqual(levels, [:])
        kill(recorder.pid, SIGINT)
        try await recorder.waitForEnd()
    }
}

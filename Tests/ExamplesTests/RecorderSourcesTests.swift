// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The sources that `track-recorder --from` connects.
final class RecorderSourcesTests: ToolTestCase {
    /// An app with a sender "out".
    private func addApp(_ name: String, to daemon: HeadlessPipeWire, channels: ChannelLayout = .stereo) async throws
        -> BusClient
    {
        let app = try await connectClient(to: daemon.remote, as: name)
        _ = try await app.source(of: .counting, channels: channels)
        return app
    }

    private func sources(of bus: BusClient) async -> Set<String> {
        let graph = await bus.graph
        guard let port = graph.ports.first(where: { $0.nodeName == "Recorder.in" }) else { return [] }
        return Set(graph.sources(of: port.id).map(\.nodeName))
    }

    func testEachSourceIsConnectedWhenItComesAndWhenItComesBack() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        _ = try await addApp("Lead", to: daemon)
        let tool = try start(
            "track-recorder", ["--separate", "--output", "\(folder)/take", "--from", "Lead", "--from", "Pad"],
            at: daemon.environment())
        try await eventually("the first") { await self.sources(of: bus) == ["Lead.out"] }
        for _ in 0..<2 {
            let pad = try await addApp("Pad", to: daemon)
            try await eventually("both") { await self.sources(of: bus) == ["Lead.out", "Pad.out"] }
            try await eventually("its sound") {
                ((try? WaveFile.read("\(self.folder)/take/Pad out.wav").channels[0].count) ?? 0) > 0
            }
            await pad.close()
            try await eventually("it to go") { await self.sources(of: bus) == ["Lead.out"] }
        }
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["files"], "2")
        XCTAssertEqual(tool.errors.text, "")
    }

    /// The library makes the connections again, and another program may have made one.
    func testTheSourcesAreThereAgainAfterARestartOfTheDaemon() async throws {
        let daemon = try await startDaemon()
        let lead = try await addApp("Lead", to: daemon)
        let tool = try start(
            "track-recorder", ["--output", "\(folder)/take.wav", "--from", "Lead"], at: daemon.environment())
        try await eventually("the source") { await self.sources(of: lead) == ["Lead.out"] }
        try await daemon.kill()
        try await eventually("the loss") { await self.sources(of: lead) == [] }
        try await daemon.restart()
        try await eventually("the source again") { await self.sources(of: lead) == ["Lead.out"] }
        tool.signal(SIGINT)
        _ = try await figures(of: tool)
        XCTAssertFalse(tool.errors.text.contains("not connected"), tool.errors.text)
    }

    func testASourceThatSomebodyDisconnectsStaysSo() async throws {
        let daemon = try await startDaemon()
        let lead = try await addApp("Lead", to: daemon)
        let tool = try start(
            "track-recorder", ["--output", "\(folder)/take.wav", "--from", "Lead", "--from", "Pad"],
            at: daemon.environment())
        try await eventually("the source") { await self.sources(of: lead) == ["Lead.out"] }
        try await lead.disconnect("Lead", from: "Recorder")
        _ = try await addApp("Pad", to: daemon)
        try await eventually("the other") { await self.sources(of: lead) == ["Pad.out"] }
        tool.signal(SIGINT)
        _ = try await figures(of: tool)
    }

    func testTheEndOfAWaitIsAnOrderlyOne() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let path = "\(folder)/take.wav"
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let tool = try start("track-recorder", ["--output", path, "--from", "Lead"], at: daemon.environment())
            try await waitForPort("Recorder.in", of: tool, seenBy: bus)
            tool.signal(signal)
            let figures = try await figures(of: tool)
            XCTAssertEqual(figures["frames"], "0")
            XCTAssertEqual(tool.errors.text, "")
            XCTAssertFalse(FileManager.default.fileExists(atPath: path))
            try await eventually("its port to go") {
                await !bus.graph.ports.contains { $0.nodeName == "Recorder.in" }
            }
        }
    }

    func testWhatCanNeverBeConnectedIsRefusedAtOnce() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        _ = try await bus.keeper("in", channels: .stereo)
        let twins = [try await addApp("Twin", to: daemon), try await addApp("Twin", to: daemon)]
        try await eventually("the twins") {
            await bus.graph.peers.count { $0.name == "Twin" } == twins.count
        }
        let path = "\(folder)/take.wav"
        for (name, status, words) in [
            ("Recorder", 1, "cannot record itself"), ("Recorder.in", 1, "cannot record itself"),
            ("Test.in", 64, "is a receiver, and gives no sound"), ("Twin", 1, "could be any of"),
        ] as [(String, Int32, String)] {
            let tool = try start("track-recorder", ["--output", path, "--from", name], at: daemon.environment())
            try await assertOneSentence(tool, from: "track-recorder", status: status, saying: words)
            XCTAssertEqual(tool.output.text, "")
            XCTAssertFalse(FileManager.default.fileExists(atPath: path))
        }
    }

    /// A port may come that only takes sound, under the name of a source that is waited for.
    func testWhatCanNeverBeConnectedEndsTheRecordingWhenItComes() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let tool = try start(
            "track-recorder", ["--output", "\(folder)/take.wav", "--from", "Test.in"], at: daemon.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        _ = try await bus.keeper("in", channels: .stereo)
        try await assertOneSentence(tool, from: "track-recorder", status: 64, saying: "is a receiver")
    }

    func testASourceThatDoesNotFitIsWaitedForAndSaidOnce() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let wide = try await addApp("Lead", to: daemon, channels: .channels(3))
        let tool = try start(
            "track-recorder", ["--output", "\(folder)/take.wav", "--from", "Lead"], at: daemon.environment())
        try await eventually("the sentence") { tool.errors.text.contains("Lead is not connected yet: ") }
        await wide.close()
        _ = try await addApp("Lead", to: daemon)
        try await eventually("the source") { await self.sources(of: bus) == ["Lead.out"] }
        tool.signal(SIGINT)
        _ = try await figures(of: tool)
        XCTAssertEqual(tool.errors.lines.count, 1, tool.errors.text)
    }

    /// On a terminal that `script` makes.
    func testTheStatusLineSaysWhomItWaitsFor() async throws {
        let daemon = try await startDaemon()
        let tool = Programs.path(of: "track-recorder")
        let command = "exec \(tool) --output \(folder)/take.wav --from Lead --from Pad"
        let script = try start(
            "track-recorder", [], at: daemon.environment(),
            through: ["/bin/sh", "-c", "exec script -qec '\(command)' /dev/null", "sh"])
        try await eventually("both names") { script.output.text.contains("Recorder.in: waiting for Lead and Pad") }
        _ = try await addApp("Lead", to: daemon)
        try await eventually("the other") { script.output.text.contains("\nwaiting for Pad\u{1B}") }
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

@testable import track_recorder

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

    /// Without the one about names that are not there after two seconds, which a busy machine may need.
    private func otherSentences(of tool: ChildProcess) -> [String] {
        tool.errors.lines.filter { !$0.hasPrefix("track-recorder: Waiting for ") }
    }

    func testANameThatIsNotThereIsSaidOnceWithWhatIsThere() async throws {
        let daemon = try await startDaemon()
        let bus = try await addApp("Lead", to: daemon)
        let tool = try start(
            "track-recorder", ["--output", "\(folder)/take.wav", "--from", "Nobdy", "--from", "Lead", "--from", "Pad"],
            at: daemon.environment())
        try await eventually("the sentence") { !tool.errors.lines.isEmpty }
        let sentence = "track-recorder: Waiting for \"Nobdy\" and \"Pad\"; there is \"Lead.out\"."
        XCTAssertEqual(tool.errors.lines, [sentence])
        // It goes on, and says nothing more when one comes or goes.
        let pad = try await addApp("Pad", to: daemon)
        try await eventually("the other") { await self.sources(of: bus) == ["Lead.out", "Pad.out"] }
        await pad.close()
        try await eventually("it to go") { await self.sources(of: bus) == ["Lead.out"] }
        tool.signal(SIGINT)
        _ = try await figures(of: tool)
        XCTAssertEqual(tool.errors.lines, [sentence])
    }

    /// Its take is not in doubt.
    func testASourceThatHasEndedIsNotSaidToBeMissing() async throws {
        let daemon = try await startDaemon()
        let pad = try await addApp("Pad", to: daemon)
        let tool = try start(
            "track-recorder", ["--output", "\(folder)/take.wav", "--from", "Nobdy", "--from", "Pad"],
            at: daemon.environment())
        try await eventually("its sound") {
            ((try? WaveFile.read("\(self.folder)/take.wav").channels[0].count) ?? 0) > 0
        }
        await pad.close()
        try await eventually("the sentence") { !tool.errors.lines.isEmpty }
        let words = "track-recorder: Waiting for \"Nobdy\"; there is"
        XCTAssertEqual(tool.errors.lines.first?.hasPrefix(words), true, tool.errors.text)
    }

    func testTheSentenceAboutNamesThatAreNotThere() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        func sentence(_ names: [String]) async -> String? {
            MissingSources.sentence(for: names, at: nil, in: await bus.graph)
        }
        let none = await sentence([])
        XCTAssertNil(none)
        let alone = await sentence(["Nobdy"])
        XCTAssertEqual(alone, "Waiting for \"Nobdy\"; there is no source yet")
        for number in 0..<10 { _ = try await bus.source("s\(number)", of: .counting, channels: .mono) }
        // One that only takes sound is none.
        _ = try await bus.keeper(channels: .stereo)
        try await eventually("all ports") { await bus.graph.ports.count { !$0.outputs.isEmpty } == 10 }
        let many = await sentence(["Test.s3", "Nobdy"])
        XCTAssertEqual(many?.hasPrefix("Waiting for \"Nobdy\"; there is \"Test.s"), true, many ?? "none")
        XCTAssertEqual(many?.hasSuffix(" … and 2 more"), true, many ?? "none")
        let present = await sentence(["Test.s3", "Test.s9"])
        XCTAssertNil(present, "it is there in time")
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
        XCTAssertEqual(otherSentences(of: tool), [])
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
            XCTAssertEqual(otherSentences(of: tool), [])
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
            ("Test.in", 64, "only takes sound; name a port that gives sound as the source"),
            ("Twin", 1, "could be any of"),
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
        let ending = try await tool.waitForEnd()
        XCTAssertEqual(ending, .exited(64), tool.errors.text)
        XCTAssertEqual(otherSentences(of: tool).count, 1, tool.errors.text)
        XCTAssertTrue(tool.errors.lines.last?.contains("only takes sound") == true, tool.errors.text)
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
        XCTAssertEqual(otherSentences(of: tool).count, 1, tool.errors.text)
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

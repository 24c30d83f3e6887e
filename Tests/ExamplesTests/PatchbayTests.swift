// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

final class PatchbayTests: ToolTestCase {
    private func run(_ arguments: [String], at daemon: HeadlessPipeWire) async throws -> String {
        let process = try start("pipebus", arguments, at: daemon.environment())
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        XCTAssertEqual(process.errors.text, "")
        return process.output.text
    }

    func testTheListShowsAppsPortsAndConnections() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let bus = try await connectClient(to: daemon.remote, as: "Test app")
        let (source, _) = try await bus.source(of: .counting, channels: .mono)
        let (port, _) = try await bus.keeper(channels: .stereo)
        try await bus.connect(source, to: port)
        let text = try await run(["list"], at: daemon)
        for words in [
            "Test app (org.pipebus.test)", "sender", "receiver", "stereo in × 8 lanes", "device", "null-sink",
        ] {
            XCTAssertTrue(text.contains(words), "\"\(words)\" is not in:\n\(text)")
        }
        XCTAssertTrue(text.contains("→ Test app.in"), text)

        let data = Data(try await run(["list", "--json"], at: daemon).utf8)
        let json = try XCTUnwrap(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let apps = try XCTUnwrap(json["apps"] as? [[String: Any]])
        let app = try XCTUnwrap(apps.first { $0["name"] as? String == "Test app" })
        let ports = try XCTUnwrap(app["ports"] as? [[String: Any]])
        XCTAssertEqual(ports.compactMap { $0["node"] as? String }, [source.nodeName, port.nodeName])
        XCTAssertEqual(ports[0]["destinations"] as? [String], [port.nodeName])
        XCTAssertFalse(text.contains("links)"), text)
        try XCTAssertEqual(linkCounts(in: ports), [[2, 2], [2, 2]])
        XCTAssertEqual(ports[1]["lanes"] as? Int, 8)
    }

    /// The present and the expected links of the first port's connection, and of the second port's source.
    private func linkCounts(in ports: [[String: Any]]) throws -> [[Int]] {
        let given = try XCTUnwrap((ports[0]["connections"] as? [[String: Any]])?.first)
        let taken = try XCTUnwrap((ports[1]["sources"] as? [[String: Any]])?.first)
        return try [given, taken].map { entry in
            let links = try XCTUnwrap(entry["links"] as? [String: Int])
            return try [XCTUnwrap(links["present"]), XCTUnwrap(links["expected"])]
        }
    }

    /// Which port of a compressor is its key is seen, also where two ports of the graph have one name.
    func testAuxiliaryInputsAreMarked() async throws {
        let daemon = try await startDaemon()
        var filters: [FilterPort] = []
        for _ in 0..<2 {
            let bus = try await connectClient(to: daemon.remote, as: "Comp")
            filters.append(
                try await bus.filter(
                    "duck", auxiliaryInputs: [AuxiliaryInput("key", channels: .mono, lanes: 2)], state: ()
                ) { _, _, _, _, _ in })
            _ = try await bus.keeper(channels: .stereo)
        }
        let text = try await run(["list"], at: daemon)
        let data = Data(try await run(["list", "--json"], at: daemon).utf8)
        let json = try XCTUnwrap(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let apps = try XCTUnwrap(json["apps"] as? [[String: Any]])
        // Two clients of one process are one app.
        XCTAssertEqual(apps.count, 1)
        let ports = try XCTUnwrap(apps.first?["ports"] as? [[String: Any]])
        let marked = ports.filter { $0["auxiliaryOf"] != nil }
        XCTAssertEqual(marked.compactMap { $0["name"] as? String }, ["duck.key", "duck.key"])
        let names = ports.filter { $0["kind"] as? String == "filter" }.compactMap { $0["uniqueName"] as? String }
        XCTAssertEqual(names.count, 2)
        XCTAssertEqual(marked.compactMap { $0["auxiliaryOf"] as? String }.sorted(), names.sorted())
        for name in names {
            XCTAssertTrue(text.contains("mono in × 2 lanes, auxiliary input of \(name)\n"), text)
        }
        XCTAssertEqual(text.components(separatedBy: "auxiliary input of").count, 3, text)
    }

    /// A filter, a device and a foreign node have sources as a receiver has.
    func testWhatFeedsAnyPortIsListed() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        let filter = try await bus.filter("fx", state: ()) { _, _, _, _ in }
        try await bus.connect(source, to: filter)
        try await bus.connect(filter, to: "null-sink")
        let left = try ChildProcess(
            "pw-link", ["-d", "Test.out:output_FR", "Test.fx:input_FR"], environment: daemon.environment())
        try await left.waitForEnd()
        try await eventually("the link to go") {
            await bus.graph.connection(from: source.id, to: filter.id)?.links.count == 1
        }
        // NAME leaves out the source's own lines.
        let lines = try await run(["list", "fx"], at: daemon).split(separator: "\n").map(String.init)
        XCTAssertEqual(
            lines.suffix(2), ["      → null-sink", "      ← Test.out  (1 of 2 links: FL → FL)"], "\(lines)")
        let device = try await run(["list", "null"], at: daemon)
        XCTAssertTrue(device.hasSuffix("\n      ← Test.fx"), device)
        let data = Data(try await run(["list", "fx", "--json"], at: daemon).utf8)
        let json = try XCTUnwrap(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let port = try XCTUnwrap(
            ((json["apps"] as? [[String: Any]])?.first?["ports"] as? [[String: Any]])?.first)
        let sources = try XCTUnwrap(port["sources"] as? [[String: Any]])
        XCTAssertEqual(sources.compactMap { $0["uniqueName"] as? String }, ["Test.out"])
        XCTAssertEqual(sources.first?["links"] as? [String: Int], ["present": 1, "expected": 2])
        XCTAssertEqual(sources.first?["medium"] as? String, "audio")
        XCTAssertNil(sources.first?["lanes"])
    }

    func testAnEmptyGraphIsAnEmptyList() async throws {
        let daemon = try await startDaemon()
        let text = try await run(["list"], at: daemon)
        XCTAssertEqual(text, "There is no port in the graph.")
    }

    func testAConnectionStaysWhenTheCommandHasEndedAndGoesWithTheOther() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        let (port, keeper) = try await bus.keeper(channels: .stereo)
        let line = try await run(["connect", source.nodeName, port.nodeName], at: daemon)
        XCTAssertEqual(line, "source=Test.out destination=Test.in links=2")
        try await eventually("sound to come") { keeper.frameCount > 0 }
        let connected = await bus.graph.connection(from: source.id, to: port.id)
        XCTAssertEqual(connected?.links.count, 2)
        _ = try await run(["disconnect", "Test", "Test"], at: daemon)
        let disconnected = await bus.graph.connection(from: source.id, to: port.id)
        XCTAssertNil(disconnected)
    }

    func testAConnectionThatLacksALink() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        let (port, _) = try await bus.keeper(channels: .stereo)
        try await bus.connect(source, to: port)
        let other = try ChildProcess(
            "pw-link", ["-d", "Test.out:output_FR", "Test.in:input_1_FR"], environment: daemon.environment())
        try await other.waitForEnd()
        try await eventually("the link to go") {
            await bus.graph.connection(from: source.id, to: port.id)?.links.count == 1
        }
        let text = try await run(["list"], at: daemon)
        XCTAssertTrue(text.contains("→ Test.in  (1 of 2 links: FL → FL)"), text)
        XCTAssertTrue(text.contains("← Test.out  (1 of 2 links: FL → FL)  0.0 dB, C"), text)
        let data = Data(try await run(["list", "--json"], at: daemon).utf8)
        let json = try XCTUnwrap(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let ports = try XCTUnwrap((json["apps"] as? [[String: Any]])?.first?["ports"] as? [[String: Any]])
        try XCTAssertEqual(linkCounts(in: ports), [[1, 2], [1, 2]])
        let process = try start("pipebus", ["connect", "Test", "Test", "--remote", daemon.remote])
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: "by 1 of 2 links; disconnect the two")
        _ = try await run(["disconnect", "Test", "Test"], at: daemon)
        _ = try await run(["connect", "Test", "Test"], at: daemon)
        let connection = await bus.graph.connection(from: source.id, to: port.id)
        XCTAssertEqual(connection?.links.count, 2)
    }

    /// A sender that is stopped, and a receiver.
    private func startStoppedTone() async throws -> (
        daemon: HeadlessPipeWire, tone: ChildProcess, bus: BusClient, port: ReceiverPort
    ) {
        let daemon = try await startDaemon()
        let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
        let bus = try await connectClient(to: daemon.remote)
        let (port, _) = try await bus.keeper(channels: .mono)
        try await eventually("the sender") { await bus.graph.ports.count == 2 }
        tone.signal(SIGSTOP)
        return (daemon, tone, bus, port)
    }

    func testConnectSaysThatAnAppDoesNotAnswer() async throws {
        let (daemon, tone, _, port) = try await startStoppedTone()
        let process = try start(
            "pipebus", ["connect", "Tone", port.nodeName, "--timeout", "1", "--remote", daemon.remote])
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: "does not answer")
        tone.signal(SIGCONT)
        _ = try await run(["connect", "Tone", port.nodeName], at: daemon)
    }

    /// The first link is there already, and would stay.
    func testConnectThatIsInterruptedLeavesNothing() async throws {
        try XCTSkipIf(
            PipeWireInstallation.chosen.root != nil, "On 1.4 no link is in the graph before the source answers.")
        let (daemon, tone, bus, port) = try await startStoppedTone()
        for signal in [SIGINT, SIGTERM] {
            let process = try start("pipebus", ["connect", "Tone", port.nodeName], at: daemon.environment())
            try await eventually("a link") { await !bus.graph.connections.isEmpty }
            process.signal(signal)
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(128 + signal))
            XCTAssertEqual(process.errors.text, "")
            let connections = await bus.graph.connections
            XCTAssertEqual(connections, [])
        }
        tone.signal(SIGCONT)
        _ = try await run(["connect", "Tone", port.nodeName], at: daemon)
    }

    /// An app connects again when a daemon runs; a command has ended by then.
    func testConnectSaysThatTheDaemonHasEnded() async throws {
        let daemon = try await startDaemon()
        let process = try start("pipebus", ["connect", "Late", "Recorder", "--timeout", "3"], at: daemon.environment())
        try await eventually("it to wait") {
            (try? await self.clientID(of: "PipeBus patchbay", at: daemon)) != nil
        }
        try await daemon.kill()
        let sentence = try await assertOneSentence(process, from: "pipebus", status: 1, saying: "daemon has ended")
        XCTAssertTrue(sentence.hasSuffix("give the command again."), sentence)
        XCTAssertFalse(sentence.contains("connects again"), sentence)
    }

    func testConnectWaitsForPortsThatAreYetToCome() async throws {
        let daemon = try await startDaemon()
        let process = try start(
            "pipebus", ["connect", "Late", "Recorder", "--timeout", "20"], at: daemon.environment())
        let watcher = try await connectClient(to: daemon.remote, as: "Watcher")
        let sender = try start("tone-sender", ["--frequency", "440", "--name", "Late"], at: daemon.environment())
        try await waitForPort("Late.out", of: sender, seenBy: watcher)
        XCTAssertNil(process.ending)
        let recorder = try start("track-recorder", ["--output", "\(folder)/x.wav"], at: daemon.environment())
        try await waitForPort("Recorder.in", of: recorder, seenBy: watcher)
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        let links = await watcher.graph.connections.map(\.links.count)
        XCTAssertEqual(links, [2])
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Programs that know nothing of PipeBus see its ports, with sensible names, and use them.
final class ForeignToolsTests: DaemonTestCase {
    private func client(_ daemon: HeadlessPipeWire) async throws -> BusClient {
        try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", iconName: "audio-card", remote: daemon.remote)
    }

    /// The output of a tool that ends by itself.
    private func lines(_ daemon: HeadlessPipeWire, _ tool: String, _ arguments: [String]) async throws -> [String] {
        let process = try daemon.run(tool, arguments)
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), "\(process.failure("failed"))")
        return process.output.lines
    }

    func testPwLinkListsAndConnects() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let receiver = try await bus.receiver("in", lanes: 2, state: ()) { _, _, _ in }
        let peer = try await Peer.start("Peer", on: daemon)
        try await peer.addSender("out", channels: 2, .constant(0.5))
        let ports = try await lines(daemon, "pw-link", ["-io"])
        let expected = [
            "Peer.out:output_FL", "Peer.out:output_FR", "Test.in:input_1_FL", "Test.in:input_1_FR",
            "Test.in:input_2_FL", "Test.in:input_2_FR",
        ]
        XCTAssertEqual(ports.sorted(), expected)
        _ = try await lines(daemon, "pw-link", ["Peer.out:output_FL", "Test.in:input_1_FL"])
        _ = try await lines(daemon, "pw-link", ["Peer.out:output_FR", "Test.in:input_1_FR"])
        try await eventuallyHeard(receiver, "Peer out") { $0 == 0.5 }
        _ = try await lines(daemon, "pw-link", ["-d", "Peer.out:output_FL", "Test.in:input_1_FL"])
        _ = try await lines(daemon, "pw-link", ["-d", "Peer.out:output_FR", "Test.in:input_1_FR"])
        try await eventually("the connection to go") { await bus.graph.connections.isEmpty }
        try await peer.close()
        await bus.close()
    }

    func testPwDumpShowsWhatAGoodCitizenSets() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        _ = try await bus.sender("out", title: "The Tone", state: ()) { _, _, _ in }
        let dump = try await GraphDump.take(daemon)
        let node = try XCTUnwrap(dump.nodes(named: "Test.out").first)
        let wanted = [
            "node.description": "The Tone", "node.nick": "Test", "media.name": "The Tone", "media.type": "Audio",
            "media.category": "Playback", "media.role": "Production", "media.icon-name": "audio-card",
        ]
        for (key, value) in wanted { XCTAssertEqual(node.properties[key], value, key) }
        // Not a device, and nothing that a session manager should connect by itself.
        XCTAssertNil(node.properties["media.class"])
        let clients = dump.objects.filter {
            $0.type == "Client" && $0.properties["application.id"] == "org.pipebus.test"
        }
        XCTAssertEqual(clients.map { $0.properties["application.name"] }, ["Test"])
        XCTAssertEqual(clients.map { $0.properties["application.icon-name"] }, ["audio-card"])
        XCTAssertEqual(clients.map { $0.properties["application.process.id"] }, ["\(getpid())"])
        let channels = dump.objects.filter { $0.type == "Port" }.compactMap { $0.properties["audio.channel"] }
        XCTAssertEqual(channels.sorted(), ["FL", "FR"])
        await bus.close()
    }

    func testJackLspListsThem() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        _ = try await bus.receiver("in", lanes: 1, state: ()) { _, _, _ in }
        _ = try await bus.filter("fx", inputs: .mono, state: ()) { _, _, _, _ in }
        let ports = try await lines(daemon, "pw-jack", ["jack_lsp"])
        let expected = ["Test fx:input_MONO", "Test fx:output_MONO", "Test in:input_1_FL", "Test in:input_1_FR"]
        XCTAssertEqual(ports.sorted(), expected)
        await bus.close()
    }

    func testAJackClientIsHeard() async throws {
        // Without a device to play on it does not start; newer daemons do not take a virtual one for that.
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let devices = try await lines(daemon, "pw-jack", ["jack_lsp", "-p"]).contains { $0.contains("physical") }
        try XCTSkipUnless(devices, "jack_simple_client wants a sound card on this PipeWire.")
        let bus = try await client(daemon)
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        let jack = try daemon.run("pw-jack", ["jack_simple_client", "simple"])
        let connection = try await bus.connect("simple", to: receiver)
        XCTAssertEqual(connection.links.count, 2)
        // A sine of its own making.
        try await eventuallyHeard(receiver, "simple") { $0 > 0.1 && $0 < 1.01 }
        jack.signal(SIGTERM)
        try await jack.waitForEnd()
        try await eventually("it to go") { await bus.graph.connections.isEmpty }
        await bus.close()
    }

    func testTheMetronomeTicks() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let bus = try await client(daemon)
        let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let metronome = try daemon.run("pw-jack", ["jack_metro", "--bpm", "300", "--duration", "50"])
        try await bus.connect("metro", to: receiver)
        // Silence and sound in turn: five times a second.
        var wasLoud = false
        var ticks = 0
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        for await readings in receiver.meters {
            let isLoud = readings.contains { $0.meter.peak > 0.01 }
            if isLoud, !wasLoud { ticks += 1 }
            wasLoud = isLoud
            if ticks == 3 || ContinuousClock.now > deadline { break }
        }
        XCTAssertEqual(ticks, 3)
        metronome.signal(SIGTERM)
        try await metronome.waitForEnd()
        await bus.close()
    }

    /// The loop costs the quantum that any loop does, and our filter in it not one frame more.
    func testTheRoundTripThroughAFilterIsOneQuantum() async throws {
        for quantum in [256, 1024] {
            let daemon = try await startDaemon(.init(quantum: quantum))
            let bus = try await client(daemon)
            let peer = try await Peer.start("Peer", on: daemon)
            try await peer.addFilter("fx")
            let meter = try daemon.run("stdbuf", ["-oL", "pw-jack", "jack_iodelay"])
            try await bus.connect("jack_delay", to: "Peer/fx")
            try await bus.connect("Peer/fx", to: "jack_delay")
            let line = try await meter.nextLine { $0.contains("total roundtrip latency") }
            let frames = line.split(separator: " ").first.flatMap { Double($0) }
            XCTAssertEqual(try XCTUnwrap(frames, line), Double(quantum), accuracy: 0.01)
            meter.signal(SIGTERM)
            try await meter.waitForEnd()
            try await peer.close()
            await bus.close()
        }
    }

    private func eventuallyHeard(
        _ receiver: ReceiverPort, _ title: String, _ isRight: @escaping (Float) -> Bool
    ) async throws {
        try await eventually("\(title) to be heard") {
            for await readings in receiver.meters {
                return readings.contains { $0.source.title == title && isRight($0.meter.peak) }
            }
            return false
        }
    }
}

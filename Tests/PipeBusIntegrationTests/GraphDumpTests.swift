// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// The graph is what `pw-dump` says, which does not know PipeBus.
final class GraphDumpTests: DaemonTestCase {
    private func assertEqual(_ bus: BusClient, _ daemon: HeadlessPipeWire) async throws {
        do {
            try await eventually("the graph to be that of pw-dump") { try await difference(bus, daemon).isEmpty }
        } catch {
            XCTFail("\(error): \(try await difference(bus, daemon))")
        }
    }

    /// The lines that only one of the two has.
    private func difference(_ bus: BusClient, _ daemon: HeadlessPipeWire) async throws -> String {
        let (ours, dumped) = (DumpedGraph(await bus.graph), DumpedGraph(try await GraphDump.take(daemon)))
        let lines =
            ours.channels.symmetricDifference(dumped.channels).sorted()
            + ours.connections.symmetricDifference(dumped.connections).sorted()
        return lines.joined(separator: "\n")
    }

    private func run(_ daemon: HeadlessPipeWire, _ tool: String, _ arguments: [String]) async throws {
        let process = try daemon.run(tool, arguments)
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), "\(process.failure("failed"))")
    }

    /// Ports of ours, a device, a stream, JACK clients with sound and MIDI, and links that other programs make.
    func testASceneOfEverything() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let peer = try await Peer.start("Peer", on: daemon)
        try await peer.addSender("out", channels: 2, .constant(0.5))
        let receiver = try await bus.receiver("in", lanes: 2, state: ()) { _, _, _ in }
        _ = try await bus.sender("echo", after: [receiver], state: ()) { _, _, _ in }
        try await bus.connect("Peer", to: receiver)
        try await daemon.addDevice(named: "speakers")
        let sequencer = try daemon.run("pw-jack", ["jack_midiseq", "keys", "24000", "0", "60", "8000"])
        let synthesizer = try daemon.run("pw-jack", ["jack_midisine"])
        let player = try daemon.run("pw-cat", ["--playback", "--rate", "48000", "--channels", "2", "/dev/zero"])
        try await eventually("all of them") {
            let names = Set(await bus.graph.ports.map(\.nodeName))
            return names.isSuperset(of: ["Peer.out", "Test.in", "Test.echo", "speakers", "keys", "midisine"])
        }
        try await run(daemon, "pw-link", ["keys:out", "midisine:midi_in"])
        try await run(daemon, "pw-link", ["midisine:audio_out", "speakers:playback_FR"])
        try await run(daemon, "pw-link", ["Peer.out:output_FL", "speakers:playback_FL"])
        try await assertEqual(bus, daemon)
        let graph = await bus.graph
        XCTAssertEqual(graph.connections(of: .midi).count, 1)
        XCTAssertEqual(graph.connections.count, 3)
        XCTAssertEqual(graph.ports.first { $0.nodeName == "keys" }?.media, [.midi])
        XCTAssertEqual(graph.ports.first { $0.nodeName == "midisine" }?.media, [.audio, .midi])
        for process in [sequencer, synthesizer, player] {
            process.signal(SIGKILL)
            try await process.waitForEnd()
        }
        try await peer.close()
        try await assertEqual(bus, daemon)
        await bus.close()
    }

    /// A session manager links streams, and leaves our ports alone.
    func testStreamsUnderASessionManager() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        _ = try await bus.sender("out", state: ()) { _, _, _ in }
        _ = try await bus.receiver("in", state: ()) { _, _, _ in }
        let folder = NSTemporaryDirectory() + "pipebus-session-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let manager = try ChildProcess(
            "dbus-run-session", ["--", "sh", "-c", "echo $$; exec wireplumber"],
            environment: daemon.environment().merging(["HOME": folder, "XDG_STATE_HOME": folder]) { $1 })
        // It has two clients, and ignores what comes before it has looked around.
        try await eventually("the session manager", within: .seconds(30)) {
            let clients = try await GraphDump.take(daemon).objects.filter { $0.type == "Client" }
            return clients.count { $0.properties["application.name"]?.hasPrefix("WirePlumber") == true } == 2
        }
        let stream = try daemon.run(
            "pw-cat", ["--record", "-P", "{ stream.capture.sink = true }", "\(folder)/stream.wav"])
        try await eventually("the stream to be linked", within: .seconds(30)) {
            await bus.graph.connections.contains { $0.links.count == 2 }
        }
        try await assertEqual(bus, daemon)
        let graph = await bus.graph
        let own = graph.ports.filter(\.isPipeBus)
        XCTAssertEqual(own.count, 2)
        for port in own {
            XCTAssertEqual(graph.sources(of: port.id) + graph.destinations(of: port.id), [], "\(port.nodeName)")
        }
        stream.signal(SIGTERM)
        try await stream.waitForEnd()
        // The bus ends with its program, and not on a signal.
        kill(try XCTUnwrap(manager.output.lines.first.flatMap { Int32($0) }), SIGTERM)
        try await manager.waitForEnd()
        try await eventually("the stream to go") { await bus.graph.connections.isEmpty }
        try await assertEqual(bus, daemon)
        await bus.close()
    }

    /// Fifty apps come and go, and connect to each other.
    func testFiftyAppsComeAndGo() async throws {
        let daemon = try await startDaemon()
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        // All of them are of one process.
        let observer = try await BusClient.connect(
            as: "org.pipebus.observer", name: "Observer", remote: daemon.remote, allowsConnectionsToSelf: true)
        let changes = Task {
            var graph = GraphSnapshot.empty
            for await change in observer.graphChanges { graph = graph.applying(change) }
            return graph
        }
        var apps: [BusClient] = []
        var takers: Set<String> = []
        var connectionCount = 0
        for step in 1...200 {
            if apps.count < 50, Int.random(in: 0..<3, using: &random) > 0 {
                let app = try await BusClient.connect(
                    as: "org.pipebus.app\(step)", name: "App \(step)", remote: daemon.remote,
                    allowsConnectionsToSelf: true)
                apps.append(app)
                _ = try await app.sender("out", state: ()) { _, _, _ in }
                if Bool.random(using: &random) {
                    _ = try await app.receiver("in", lanes: 3, state: ()) { _, _, _ in }
                    takers.insert(app.name)
                }
            } else if let place = apps.indices.randomElement(using: &random) {
                await apps.remove(at: place).close()
            }
            let takers = apps.filter { takers.contains($0.name) }
            if let source = apps.randomElement(using: &random), let destination = takers.randomElement(using: &random) {
                // It may have no free lane, or be connected already.
                let connection = try? await observer.connect("\(source.name).out", to: "\(destination.name).in")
                connectionCount += connection == nil ? 0 : 1
            }
            if step.isMultiple(of: 40) { try await assertEqual(observer, daemon) }
        }
        XCTAssertGreaterThan(connectionCount, 20)
        for app in apps { await app.close() }
        try await assertEqual(observer, daemon)
        await observer.close()
        // What the changes lead to was never another graph.
        let last = await changes.value
        XCTAssertEqual(last.ports, [])
        XCTAssertEqual(last.connections, [])
    }
}

// SPDX-License-Identifier: MIT
import Foundation
import PeerProtocol
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// An app whose ports PipeWire processes on two threads, as 1.4 does if it is configured to.
final class SeveralThreadsTests: BusTestCase {
    func testPortsOfTwoThreadsHaveOneTime() async throws {
        let newer = try PipeWireInstallation.newer()
        let graph = try await SteppedGraph.start(installation: newer)
        var environment = ChildEnvironment.isolated(
            runtimeDirectory: graph.directory, remote: graph.remote, installation: newer)
        let folder = try configureTwoThreads(from: environment["PIPEWIRE_CONFIG_DIR"] ?? "")
        environment["PIPEWIRE_CONFIG_DIR"] = folder.path
        let app = try await Peer.start(app: "org.pipebus.app", name: "App", environment: environment)
        let other = try await graph.peer("Other", client: newer)
        try await other.addSender("out", .counting, by: .position)
        try await other.addReceiver("in", expecting: .counting, by: .position)
        try await app.addSender("out", .counting, by: .position)
        try await app.addReceiver("in", expecting: .counting, by: .position)
        XCTAssertEqual(try audioThreads(of: app), 2)
        try await app.join("Other", to: "App.in")
        try await app.join("App.out", to: "Other.in")
        let steps = Steps.random(cycles: 500, seed: 4)
        try await graph.step(steps.list)
        for peer in [app, other] {
            assertExact(try await peer.report("in"), frames: steps.frames, cycles: steps.cycles, peer.name)
        }
        try await app.close()
        try await graph.close()
    }

    /// A folder with the configuration of clients, changed.
    private func configureTwoThreads(from original: String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pipebus-threads-\(UUID().uuidString)")
        addTeardownBlock { try FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let text = try String(contentsOfFile: "\(original)/client.conf", encoding: .utf8)
        let place = "context.properties = {"
        XCTAssertTrue(text.contains(place))
        try text.replacingOccurrences(of: place, with: "\(place)\n context.num-data-loops = 2")
            .write(to: folder.appending(path: "client.conf"), atomically: true, encoding: .utf8)
        return folder
    }

    private func audioThreads(of peer: Peer) throws -> Int {
        let tasks = "/proc/\(peer.process.pid)/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks)
            .count { try String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8).hasPrefix("data-loop") }
    }
}

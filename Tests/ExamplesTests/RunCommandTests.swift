// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus run`, and the completion of file names.
final class RunCommandTests: RoutingCommandTestCase {
    /// Removes all links from one port to another, as a foreign patchbay does.
    private func unlink(_ source: String, _ destination: String, _ bus: BusClient, at daemon: HeadlessPipeWire)
        async throws
    {
        let graph = await bus.graph
        let from = try XCTUnwrap(graph.ports.first { $0.nodeName == source })
        let to = try XCTUnwrap(graph.ports.first { $0.nodeName == destination })
        for link in try XCTUnwrap(graph.connection(from: from.id, to: to.id)).links {
            let tool = try daemon.run(
                "pw-link",
                ["-d", "\(source):\(from.outputs[link.output].name)", "\(destination):\(to.inputs[link.input].name)"])
            let ending = try await tool.waitForEnd()
            XCTAssertEqual(ending, .exited(0), tool.errors.text)
        }
    }

    func testAForeignToolHasTheLastWord() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let (bus, _, _, receiver) = try await scene(daemon)
            let path = try routing([
                [
                    "from": end("Tone.out", app: "org.pipebus.tone-sender"), "to": end("App.in"),
                    "level": ["volume": 0.5],
                ]
            ])
            let keeper = try start("pipebus", ["run", path, "--json"], at: daemon.environment())
            func next() async throws -> [String: Any] {
                let line = try await keeper.nextLine { _ in true }
                return try XCTUnwrap(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
            let waiting = try await next()
            XCTAssertEqual(waiting["event"] as? String, "waiting")
            XCTAssertEqual(waiting["reason"] as? String, "Tone.out of org.pipebus.tone-sender")
            for last in ["removed", "stopped"] {
                let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
                let made = try await next()
                XCTAssertEqual(made["event"] as? String, "made")
                XCTAssertEqual(made["source"] as? String, "Tone.out")
                XCTAssertEqual(made["destination"] as? String, "App.in")
                XCTAssertGreaterThan(made["time"] as? Double ?? 0, 1e9)
                try await eventually("the level") {
                    let graph = await bus.graph
                    guard let source = graph.ports.first(where: { $0.nodeName == "Tone.out" }) else { return false }
                    return try await bus.level(of: source, at: receiver).volume == 0.5
                }
                try await unlink("Tone.out", "App.in", bus, at: daemon)
                let removed = try await next()
                XCTAssertEqual(removed["event"] as? String, last)
                let sources = await bus.graph.sources(of: receiver.id)
                XCTAssertEqual(sources, [])
                tone.signal(SIGTERM)
                try await tone.waitForEnd()
                let gone = try await next()
                XCTAssertEqual(gone["event"] as? String, "waiting")
            }
            // For good.
            let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
            let stopped = try await next()
            XCTAssertEqual(stopped["event"] as? String, "stopped")
            XCTAssertNil(tone.ending)
            keeper.signal(SIGINT)
            let ending = try await keeper.waitForEnd()
            XCTAssertEqual(ending, .exited(0), keeper.errors.text)
        }
    }

    /// A reader that has gone, as `head`, ends the lines and not the routing.
    func testARoutingGoesOnWithoutAReader() async throws {
        let daemon = try await startDaemon()
        let (bus, _, _, receiver) = try await scene(daemon)
        let path = try routing([["from": end("Tone.out", app: "org.pipebus.tone-sender"), "to": end("App.in")]])
        let keeper = try start(
            "/bin/bash", ["-c", "exec \"$0\" run \"$1\" > >(:)", Programs.path(of: "pipebus"), path],
            at: daemon.environment())
        try await eventually("it to be there") { (try? await self.clientID(of: "PipeBus patchbay", at: daemon)) != nil }
        for _ in 0..<2 {
            let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
            try await eventually("the connection") { await bus.graph.sources(of: receiver.id).count == 1 }
            tone.signal(SIGKILL)
            try await tone.waitForEnd()
            try await eventually("its end") { await bus.graph.sources(of: receiver.id).isEmpty }
        }
        _ = keeper
    }

    func testFilesAreCompleted() async throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/sets", withIntermediateDirectories: true)
        for name in ["show.json", "s t.json", ".hidden"] {
            try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        for (line, expected) in [
            ("load \(folder)/s", ["\(folder)/s t.json", "\(folder)/sets/", "\(folder)/show.json"]),
            ("run \(folder)/.h", ["\(folder)/.hidden"]), ("save \(folder)/none/", []), ("load x y", []),
        ] {
            let process = try start("pipebus", ["complete", "zsh", "pipebus \(line)"])
            try await process.waitForEnd()
            XCTAssertEqual(process.output.lines, expected, line)
        }
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// One life of the connection is ended and another one begun: everything that the app asked for is there again.
final class SessionRestartTests: BusTestCase {
    func testEverythingIsBackExactly() async throws {
        try await restart(.chosen)
    }

    func testWithADaemonOf14() async throws {
        try await restart(.newer())
    }

    private func restart(_ installation: PipeWireInstallation) async throws {
        let scene = try await RestartScene.start(installation: installation)
        try await scene.assertExact()
        let before = try await scene.description
        let oldIDs = scene.ports.map(\.graphID)
        XCTAssertFalse(oldIDs.contains(nil))

        for _ in 0..<3 {
            await scene.stage.taker.endSession()
            try await scene.assertGone()
            try await scene.stage.taker.restartSession()
            try await scene.assertConnected()
            let after = try await scene.description
            XCTAssertEqual(after, before)
            try await scene.assertExact()
        }
        for (port, old) in zip(scene.ports, oldIDs) { XCTAssertNotEqual(port.graphID, old, port.name) }
        try await scene.close()
    }

    func testStreamsAndNumbersGoOn() async throws {
        let scene = try await RestartScene.start(installation: .chosen)
        let states = Mutex<[Bool]>([])
        let reader = Task { [input = scene.input] in
            for await state in input.stateUpdates { states.withLock { $0.append(state.isConnected) } }
        }
        let sources = Mutex<[Int]>([])
        let listener = Task { [input = scene.input] in
            for await changes in input.sourceUpdates { sources.withLock { $0.append(changes.sources.count) } }
        }
        let revisions = Mutex<[UInt64]>([])
        let watcher = Task { [taker = scene.stage.taker] in
            for await graph in taker.graphUpdates { revisions.withLock { $0.append(graph.revision) } }
        }
        try await eventually("the first states") { states.withLock { $0 } == [true] && sources.withLock { $0 } == [3] }
        let generation = try await scene.generations().max() ?? 0
        try await scene.stage.taker.restartSession()
        try await eventually("the reports of the end and of the beginning") {
            states.withLock { $0.contains(false) && $0.last == true }
                && sources.withLock { $0.contains(0) && $0.last == 3 }
        }
        try await scene.assertConnected()
        // No source is taken for one from before.
        let next = try await scene.generations()
        XCTAssertTrue(next.allSatisfy { $0 > 1 }, "\(next), before up to \(generation)")
        let seen = revisions.withLock { $0 }
        XCTAssertEqual(seen, seen.sorted(), "the graph never goes back")
        await scene.stage.taker.close()
        await reader.value
        await listener.value
        await watcher.value
        try await scene.close()
    }

    func testWhatTheAppTookBackStaysAway() async throws {
        let scene = try await RestartScene.start(installation: .chosen)
        let fx = try XCTUnwrap(scene.ports.first { $0.name == "fx" })
        try await scene.stage.taker.disconnect("Givers.a", from: scene.input)
        await fx.close()
        try await scene.stage.taker.restartSession()
        let names = try await scene.stage.taker.graph.sources(of: XCTUnwrap(scene.input.graphID)).map(\.name)
        XCTAssertEqual(names, ["b"])
        let ports = await scene.stage.taker.graph.ports.filter { $0.nodeName.hasPrefix("Taker.") }.map(\.name)
        XCTAssertEqual(ports, ["in", "out"])
        try await scene.close()
    }

    func testManySessionsWhileTheGraphChanges() async throws {
        let scene = try await RestartScene.start(installation: .chosen)
        let isOver = Atomic(false)
        async let changes = { () async -> Int in
            var count = 0
            while !isOver.load(ordering: .relaxed) {
                // The other app's view may be of a port that has just gone.
                for isMonitoring in [true, false] { try? await scene.setListenerMonitoring(isMonitoring) }
                if (try? await scene.stage.givers.connect("Givers.c", to: "Taker.in")) != nil {
                    try? await scene.stage.givers.disconnect("Givers.c", from: "Taker.in")
                }
                count += 1
            }
            return count
        }()
        for _ in 0..<40 { try await scene.stage.taker.restartSession() }
        isOver.store(true, ordering: .relaxed)
        let count = await changes
        XCTAssertGreaterThan(count, 0)
        try await scene.assertConnected()
        try await scene.assertExact()
        try await scene.close()
    }

    func testAConnectionThatWasMovedToAnotherLaneIsBack() async throws {
        let scene = try await RestartScene.start(installation: .chosen)
        let output = try XCTUnwrap(scene.ports.first { $0.name == "out" })
        let graph = scene.stage.graph
        try await graph.run("pw-link", ["Taker.out:output_MONO", "Givers.back:input_2_MONO"])
        try await graph.run("pw-link", ["-d", "Taker.out:output_MONO", "Givers.back:input_1_MONO"])
        try await eventually("the connection on the other lane") {
            await scene.stage.taker.graph.connections.first { $0.source == output.graphID }?.links.map(\.input) == [1]
        }
        try await scene.stage.taker.restartSession()
        try await scene.assertConnected()
        // Another app ends it for good.
        try await graph.run("pw-link", ["-d", "Taker.out:output_MONO", "Givers.back:input_1_MONO"])
        try await eventually("the connection to go") {
            await scene.stage.taker.graph.connections.allSatisfy { $0.source != output.graphID }
        }
        try await scene.stage.taker.restartSession()
        let destinations = try await scene.stage.taker.graph.destinations(of: XCTUnwrap(output.graphID))
        XCTAssertEqual(destinations.map(\.name), [])
        try await scene.close()
    }

    func testWhatTheAppClosesBetweenSessionsStaysAway() async throws {
        let scene = try await RestartScene.start(installation: .chosen)
        let fx = try XCTUnwrap(scene.ports.first { $0.name == "fx" })
        await scene.stage.taker.endSession()
        await fx.close()
        await fx.close()
        for await state in fx.stateUpdates { XCTFail("a closed port has no states, but \(state)") }
        try await scene.stage.taker.restartSession()
        XCTAssertNil(fx.graphID)
        let names = await scene.stage.taker.graph.ports.filter { $0.nodeName.hasPrefix("Taker.") }.map(\.name)
        XCTAssertEqual(names, ["in", "out"])
        // Its name is free, and the closed port is not the new one.
        let again = try await scene.stage.taker.filter("fx", inputs: .mono, state: ()) { _, _, _, _ in }
        XCTAssertNotNil(again.graphID)
        XCTAssertNil(fx.graphID)
        try await scene.close()
    }

    func testAnAppMayAddPortsWhileTheyAreMadeAgain() async throws {
        let scene = try await RestartScene.start(installation: .chosen)
        let taker = scene.stage.taker
        async let restarted: Void = taker.restartSession()
        var added: [String] = []
        // A call between two sessions is refused; a port that is added while one is being rebuilt is added once.
        try await eventually("five ports to be added") {
            let name = "new\(added.count)"
            if (try? await taker.sender(name, channels: .mono, state: (), process: { _, _, _ in })) != nil {
                added.append(name)
            }
            return added.count == 5
        }
        try await restarted
        let names = await taker.graph.ports.filter { $0.nodeName.hasPrefix("Taker.") }.map(\.name).sorted()
        XCTAssertEqual(names, (["fx", "in", "out"] + added).sorted())
        try await scene.close()
    }

    func testBetweenSessionsCallsChangeWhatIsDeclared() async throws {
        let scene = try await RestartScene.start(installation: .chosen)
        await scene.stage.taker.endSession()
        try await scene.input.setTitle("Other")
        XCTAssertNil(scene.input.graphID)
        XCTAssertEqual(scene.input.name, "in")
        XCTAssertFalse(scene.input.isConnected)
        // Closing is possible at any time.
        try await scene.close()
    }
}

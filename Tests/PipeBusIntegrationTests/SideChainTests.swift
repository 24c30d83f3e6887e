// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Filters with auxiliary inputs: two sounds that were made at one time are processed at one time.
final class SideChainTests: BusTestCase {
    private let signal = SideChainScene.signal

    func testTheKeyIsOfTheSameFrameWhateverTheLatencies() async throws {
        for (main, key) in [(0, 0), (480, 0), (0, 480), (1000, 333), (333, 1000)] {
            let scene = try await SideChainScene.start(latency: 64)
            let stage = scene.stage
            let source = try await stage.sender("out", latency: main, signal)
            let kick = try await stage.sender("kick", latency: key, signal)
            try await stage.taker.connect(source, to: scene.filter)
            try await stage.taker.connect(kick, to: scene.key)
            let wait = max(key - main, 0)
            try await scene.settle(main: main, filter: 64 + wait, key: max(main, key))
            // The filter says that it adds 64 frames, and adds none: so all is as much later than it seems.
            try await scene.filter.setLatency(0)
            try await scene.settle(main: main, filter: wait, key: max(main, key))
            try await scene.assertAligned("\(main) and \(key)")
            // Other lengths of cycles.
            try await scene.assertAligned(quantum: 1000, "\(main) and \(key)")
            try await scene.assertAligned(quantum: 17, "\(main) and \(key)")
            try await scene.close()
        }
    }

    func testALatencyThatChangesIsFollowed() async throws {
        let scene = try await SideChainScene.start()
        let stage = scene.stage
        let source = try await stage.sender("out", signal)
        let late = try await stage.delay("late", by: 700)
        let kick = try await stage.sender("kick", signal)
        try await stage.taker.connect(source, to: scene.filter)
        try await stage.taker.connect(kick, to: late)
        try await stage.taker.connect(late, to: scene.key)
        try await scene.settle(filter: 700, key: 700)
        try await scene.assertAligned("the key is late")
        // Now the key is early, and the input late.
        try await stage.taker.disconnect(late, from: scene.key)
        try await stage.taker.disconnect(source, from: scene.filter)
        try await stage.taker.connect(late, to: scene.filter)
        try await stage.taker.connect(kick, to: scene.key)
        try await stage.step(256, cycles: 10)
        try await scene.key.realign()
        try await scene.settle(main: 700, filter: 0, key: 700)
        try await scene.assertAligned("the input is late")
        try await scene.close()
    }

    /// An auxiliary input may be closed alone.
    func testAKeyThatIsClosedIsSilent() async throws {
        let scene = try await SideChainScene.start()
        let stage = scene.stage
        let kick = try await stage.sender("kick", latency: 480, signal)
        try await stage.taker.connect(try await stage.sender("out", signal), to: scene.filter)
        try await stage.taker.connect(kick, to: scene.key)
        try await scene.settle(filter: 480, key: 480)
        try await scene.assertAligned("both")
        await scene.key.close()
        try await stage.step(256, cycles: 60)
        try await scene.assertAligned(key: 0, "the key is closed")
        do {
            try await stage.taker.connect(kick, to: scene.key)
            XCTFail("connected to a port that is closed")
        } catch {
            XCTAssertEqual((error as? PipeBusError)?.code, .closed, "\(error)")
        }
        await scene.filter.close()
        let ports = await stage.taker.graph.ports.filter { $0.name.hasPrefix("fx") }
        XCTAssertEqual(ports, [])
        try await scene.close()
    }

    func testWithoutAlignmentNeitherWaits() async throws {
        let scene = try await SideChainScene.start(alignment: .immediate)
        let stage = scene.stage
        try await stage.taker.connect(try await stage.sender("out", latency: 0, signal), to: scene.filter)
        try await stage.taker.connect(try await stage.sender("kick", latency: 480, actual: 0, signal), to: scene.key)
        try await scene.settle(filter: 0, key: 480)
        try await scene.assertAligned("each as it comes")
        try await scene.close()
    }

    func testSeveralSourcesAndTheirLevels() async throws {
        let scene = try await SideChainScene.start()
        let stage = scene.stage
        let source = try await stage.sender("out", signal)
        let kick = try await stage.sender("kick", latency: 100, signal)
        let snare = try await stage.sender("snare", signal)
        try await stage.taker.connect(source, to: scene.filter)
        try await scene.settle(filter: 0, key: 0)
        try await scene.assertAligned(key: 0, "without a key")
        try await stage.taker.connect(kick, to: scene.key)
        try await scene.settle(filter: 100, key: 100)
        try await scene.assertAligned("with a key")
        try await stage.taker.connect(snare, to: scene.key)
        try await scene.settle(filter: 100, key: 100)
        try await scene.assertAligned(key: 2, "with two")
        let sources = try await scene.key.sources
        XCTAssertEqual(sources.map(\.title), ["Givers kick", "Givers snare"])
        try await scene.key.setVolume(0.5, for: kick.id)
        try await scene.key.setVolume(0.25, for: snare.id)
        try await scene.settle(filter: 100, key: 100)
        try await scene.assertAligned(key: 0.75, "at their levels")
        // The other input is a stereo one, which takes a mono source on both sides.
        let late = try await stage.sender("late", latency: 100, signal)
        try await stage.taker.connect(late, to: scene.filter.auxiliaryInputs[1])
        try await scene.settle(filter: 100, key: 100)
        try await scene.assertAligned(main: 2, key: 0.75, "with the other input")
        try await stage.taker.disconnect(late, from: scene.filter.auxiliaryInputs[1])
        for source in [kick, snare] { try await stage.taker.disconnect(source, from: scene.key) }
        try await stage.step(256, cycles: 8)
        // The input has waited for the key, and goes on waiting: nothing is cut out of it.
        try await scene.settle(filter: 100, key: 0)
        try await scene.assertAligned(key: 0, "without a key again")
        // After a pause there is nothing to cut.
        try await stage.taker.disconnect(scene.filter, from: scene.ear)
        try await stage.step(256, cycles: 8)
        try await stage.taker.connect(scene.filter, to: scene.ear)
        try await scene.settle(filter: 0, key: 0)
        try await scene.assertAligned(key: 0, "after a pause")
        try await scene.close()
    }

    func testWithBlocksOfAFixedSize() async throws {
        for (size, delay) in [(64, 0), (1000, 992), (4096, 3840)] {
            let scene = try await SideChainScene.start(blockSize: size)
            let stage = scene.stage
            try await stage.taker.connect(try await stage.sender("out", latency: 5, signal), to: scene.filter)
            try await stage.taker.connect(try await stage.sender("kick", latency: 300, signal), to: scene.key)
            try await scene.settle(main: 5, filter: delay + 295, key: 300)
            try await scene.assertAligned("blocks of \(size)")
            try await scene.close()
        }
    }

    func testABypassPassesTheInputAlone() async throws {
        let scene = try await SideChainScene.start()
        let stage = scene.stage
        try await stage.taker.connect(try await stage.sender("out", signal), to: scene.filter)
        try await stage.taker.connect(try await stage.sender("kick", latency: 480, signal), to: scene.key)
        try await scene.settle(filter: 480, key: 480)
        try await scene.filter.setBypassed(true)
        try await scene.settle(filter: 480, key: 480)
        // The input, which is mono, on both channels, as late as it was.
        scene.isKeyed.value = []
        try await scene.assertAligned("bypassed")
        XCTAssertEqual(scene.isKeyed.value, [], "the block is not called")
        try await scene.filter.setBypassed(false)
        try await scene.settle(filter: 480, key: 480)
        try await scene.assertAligned("not bypassed any more")
        XCTAssertEqual(scene.isKeyed.value.count, 12)
        try await scene.close()
    }

    func testAllIsBackAfterARestart() async throws {
        let scene = try await SideChainScene.start()
        let stage = scene.stage
        let source = try await stage.sender("out", signal)
        let kick = try await stage.sender("kick", latency: 480, signal)
        try await stage.taker.connect(source, to: scene.filter)
        try await stage.taker.connect(kick, to: scene.key)
        try await scene.settle(filter: 480, key: 480)
        try await scene.key.setVolume(0.5, for: kick.id)
        for _ in 0..<2 {
            try await stage.taker.restartSession()
            try await eventually("the connections to be back") {
                let graph = await stage.givers.graph
                return graph.sources(of: scene.key.id).map(\.name) == ["kick"]
                    && graph.sources(of: scene.filter.id).map(\.name) == ["out"]
                    && graph.sources(of: scene.ear.id).map(\.name) == ["fx"]
            }
            try await scene.settle(filter: 480, key: 480)
            try await scene.assertAligned(key: 0.5, "after a restart")
        }
        try await scene.close()
    }

    func testItsNamesInTheGraphAndItsEnd() async throws {
        let scene = try await SideChainScene.start()
        let stage = scene.stage
        XCTAssertEqual(scene.filter.auxiliaryInputs.map(\.name), ["fx.key", "fx.second"])
        XCTAssertEqual(scene.filter.auxiliaryInputs.map(\.nodeName), ["Taker.fx.key", "Taker.fx.second"])
        let title = try await scene.key.title
        XCTAssertEqual(title, "Taker fx key")
        let port = await stage.taker.graph.port(scene.key.id)
        XCTAssertEqual(port?.auxiliaryOf, "fx")
        let kick = try await stage.sender("kick", signal)
        await scene.ear.close()
        // The app's name means the filter itself, by whomever it is said.
        try await eventually("the ports to be seen") {
            let names = await stage.givers.graph.ports.filter { $0.nodeName.hasPrefix("Taker.") }.map(\.name)
            return names.sorted() == ["fx", "fx.key", "fx.second"]
        }
        try await stage.givers.connect(kick, to: "Taker")
        try await stage.givers.connect(kick, to: "Taker/fx.key")
        try await eventually("both connections") {
            let graph = await stage.taker.graph
            return graph.destinations(of: kick.id).map(\.name).sorted() == ["fx", "fx.key"]
        }
        await scene.filter.close()
        XCTAssertEqual(scene.filter.auxiliaryInputs.map(\.graphID), [nil, nil])
        await assertThrows("a closed port") {
            _ = try await scene.key.title
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .closed, "\(error)")
        }
        try await eventually("all to be gone") {
            await stage.givers.graph.ports.allSatisfy { !$0.nodeName.hasPrefix("Taker.") }
        }
        try await scene.close()
    }

    func testBadInput() async throws {
        let stage = try await Stage.start()
        let bus = stage.givers
        let cases: [(inputs: [AuxiliaryInput], code: PipeBusError.Code)] = [
            ([], .invalidArgument), ((0...16).map { AuxiliaryInput("\($0)") }, .invalidArgument),
            ([AuxiliaryInput("")], .invalidArgument), ([AuxiliaryInput("a/b")], .invalidArgument),
            ([AuxiliaryInput(String(repeating: "n", count: 127))], .invalidArgument),
            ([AuxiliaryInput("a"), AuxiliaryInput("a")], .duplicateName),
            ([AuxiliaryInput("a"), AuxiliaryInput("b", lanes: 0)], .invalidArgument),
            ([AuxiliaryInput("a"), AuxiliaryInput("b", channels: .channels(65))], .invalidArgument),
        ]
        for (inputs, code) in cases {
            await assertThrows("\(inputs.map(\.name))") {
                _ = try await bus.filter("fx", auxiliaryInputs: inputs, state: ()) { _, _, _, _, _ in }
            } _: { error in
                XCTAssertEqual((error as? PipeBusError)?.code, code, "\(error)")
            }
        }
        // A filter of the name is there already: its key stays away.
        let filter = try await bus.filter("fx", state: ()) { _, _, _, _ in }
        await assertThrows("two of one name") {
            _ = try await bus.filter("fx", auxiliaryInputs: [AuxiliaryInput("key")], state: ()) { _, _, _, _, _ in }
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .duplicateName, "\(error)")
        }
        let names = await bus.graph.ports.filter { $0.nodeName.hasPrefix("Givers.") }.map(\.name)
        XCTAssertEqual(names, [filter.name])
        try await stage.close()
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// Patchbays that end, or ask for anything, while sources of a filter are exchanged.
final class KilledInsertAtFilterTests: BusTestCase {
    func testTheSoundGoesOn() async throws {
        let scene = try await FilterInsertion(signal: { _, _ in 1 })
        let stage = scene.stage
        let before = try await scene.nodes()
        try await KilledInsertion(
            stage: stage, hearing: scene.hearing, source: scene.source, inserted: scene.inserted,
            destination: scene.filter
        ).assertTheSoundGoesOn(longest: 350)
        // A hold that nobody requests ends by itself.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        var after = try await scene.nodes()
        while after != before, .now < end {
            try await stage.step(256, cycles: 8)
            after = try await scene.nodes()
        }
        XCTAssertEqual(after, before)
        XCTAssertGreaterThan(scene.hearing.mix().min() ?? 0, 1 - 1e-5)
        try await scene.close()
    }

    /// A patchbay that ends between two of its requests. What it has connected is heard beside the old source in the end, and never
    /// less than that.
    func testWhatNobodyRequestsEndsByItself() async throws {
        for isConnecting in [false, true] {
            let scene = try await FilterInsertion(signal: { _, _ in 1 })
            let stage = scene.stage
            let before = try await scene.nodes()
            scene.hearing.forget()
            try await hold(scene)
            let tapped = try await scene.nodes()
            XCTAssertEqual(tapped.subtracting(before), ["Taker.amp.tap"])
            if isConnecting {
                try await stage.stepping(256) {
                    try await stage.taker.connect(scene.source, to: scene.inserted, lingers: true)
                    try await stage.taker.connect(scene.inserted, to: scene.filter, lingers: true)
                }
                try await stage.step(256, cycles: 20)
                // Unheard so far.
                XCTAssertEqual(scene.hearing.mix().max(), 1)
            }
            try await stage.stepping(256) {
                try await eventually("the tap to go", within: .seconds(30)) { try await scene.nodes() == before }
            }
            let samples = scene.hearing.mix()
            XCTAssertGreaterThan(samples.min() ?? 0, 1 - 1e-5)
            XCTAssertEqual(samples.last, isConnecting ? 2 : 1)
            for (sample, next) in zip(samples, samples.dropFirst()) where abs(next - sample) > .pi / 2 / 240 * 1.01 {
                XCTFail("from \(sample) to \(next)")
                break
            }
            try await scene.close()
        }
    }

    /// A patchbay that takes its request back is not waited for.
    func testAHoldIsTakenBack() async throws {
        let scene = try await FilterInsertion()
        let before = try await scene.nodes()
        for _ in 0..<3 {
            try await hold(scene)
            try await request("pipebus.exchange.cancel", scene)
            // Without that a hold lasts ten seconds.
            try await scene.stage.stepping(256) {
                try await eventually("the tap to go", within: .seconds(8)) { try await scene.nodes() == before }
            }
        }
        scene.assertWhole()
        try await scene.close()
    }

    /// Requests in numbers, of several processes at once.
    func testAFloodOfRequests() async throws {
        let scene = try await FilterInsertion()
        let stage = scene.stage
        let before = try await scene.nodes()
        let graph = await stage.taker.graph
        let node = try XCTUnwrap(graph.port(scene.filter.id)).nodeID
        for round in 0..<40 {
            let tools = try (0..<8).map { tool in
                let value = "\(scene.source.id.serial) \(100_000 + 8 * round + tool)"
                return try stage.graph.start(
                    "pw-cli",
                    ["set-param", "\(node)", "Props", "{ params = [ \"pipebus.exchange.hold\" \"\(value)\" ] }"])
            }
            try await stage.stepping(256) { for tool in tools { _ = try await tool.waitForEnd() } }
            let present = try await scene.nodes().subtracting(before)
            XCTAssertTrue(present.isSubset(of: ["Taker.amp.tap"]), "\(present)")
        }
        try await stage.stepping(256) {
            try await eventually("the tap to go", within: .seconds(30)) { try await scene.nodes() == before }
        }
        try await scene.exchange(rounds: 2)
        scene.assertWhole()
        try await scene.close()
    }

    private func request(_ key: String, _ scene: FilterInsertion) async throws {
        let graph = await scene.stage.taker.graph
        let node = try XCTUnwrap(graph.port(scene.filter.id)).nodeID
        let value = "\(scene.source.id.serial) \(scene.inserted.id.serial)"
        try await scene.stage.graph.run(
            "pw-cli", ["set-param", "\(node)", "Props", "{ params = [ \"\(key)\" \"\(value)\" ] }"])
    }

    /// Asks for the exchange, and waits until the filter hears its tap.
    private func hold(_ scene: FilterInsertion) async throws {
        try await request("pipebus.exchange.hold", scene)
        try await scene.stage.stepping(256) {
            try await eventually("the tap") {
                let nodes = try await GraphDump.take(scene.stage.graph).objects.filter { $0.type == "Node" }
                return nodes.contains { $0.properties["pipebus.exchange.held"]?.isEmpty == false }
            }
        }
    }

    /// A task that is cancelled at any moment: the filter is in the connection, or it is not, and nothing is left.
    func testACancelledInsertionIsWholeOrNothing() async throws {
        let scene = try await FilterInsertion(isForeign: true, signal: { _, _ in 1 })
        let stage = scene.stage
        let before = try await scene.nodes()
        scene.hearing.forget()
        var random = SeededGenerator(seed: 4)
        var counts: [Bool: Int] = [:]
        for round in 0..<30 {
            let client = round.isMultiple(of: 2) ? scene.patchbay : stage.taker
            let change = Task {
                try await client.insert("Givers.filter", from: "Givers.source", to: "Taker.amp", lingers: true)
            }
            // In the middle of the links on a fast machine, and in that of the exchange.
            let longest = round % 4 < 2 ? 250_000 : 10_000
            let end = ContinuousClock.now.advanced(by: .microseconds(Int.random(in: 0...longest, using: &random)))
            while .now < end { try await stage.step(256) }
            change.cancel()
            try await stage.stepping(256) { _ = await change.result }
            let isDone: Bool
            switch await change.result {
            case .success: isDone = true
            case .failure(let error):
                XCTAssertTrue(error is CancellationError, "\(error)")
                isDone = false
            }
            counts[isDone, default: 0] += 1
            let expected = isDone ? FilterInsertion.withFilter : FilterInsertion.inPlace
            try await stage.stepping(256) {
                try await eventually("the connections") { await scene.connections == expected }
                if isDone { try await stage.taker.takeOut("Givers.filter", lingers: true) }
            }
        }
        XCTAssertGreaterThan(counts[true] ?? 0, 0, "\(counts)")
        XCTAssertGreaterThan(counts[false] ?? 0, 0, "\(counts)")
        XCTAssertGreaterThan(scene.hearing.mix().min() ?? 0, 1 - 1e-5)
        XCTAssertLessThan(scene.hearing.mix().max() ?? 2, 1 + 1e-5)
        try await stage.stepping(256) {
            try await eventually("the taps to go", within: .seconds(20)) { try await scene.nodes() == before }
        }
        try await scene.close()
    }

    /// Requests of any process: nothing is silenced, and nothing lasts.
    func testHostileRequests() async throws {
        let scene = try await FilterInsertion(signal: { _, _ in 1 })
        let stage = scene.stage
        let before = try await scene.nodes()
        scene.hearing.forget()
        let graph = await stage.taker.graph
        let node = try XCTUnwrap(graph.port(scene.filter.id)).nodeID
        let serial = scene.source.id.serial
        let values = [
            "", " ", "x y", "\(serial)", "\(serial) ", "1 \(serial)", "\(serial) \(serial)", "\(serial) 99999", "0 0",
            "99999 \(serial)", "\(serial) \(scene.filter.id.serial)", "\(serial) \(scene.inserted.id.serial)",
        ]
        for value in values {
            for key in ["pipebus.exchange.hold", "pipebus.exchange", "pipebus.exchange.cancel"] {
                try await stage.graph.run(
                    "pw-cli", ["set-param", "\(node)", "Props", "{ params = [ \"\(key)\" \"\(value)\" ] }"])
                try await stage.graph.settle()
                try await stage.step(256, cycles: 30)
            }
        }
        let connections = await scene.connections
        XCTAssertEqual(connections, FilterInsertion.inPlace)
        try await stage.stepping(256) {
            try await eventually("the taps to go", within: .seconds(30)) { try await scene.nodes() == before }
        }
        XCTAssertGreaterThan(scene.hearing.mix().min() ?? 0, 1 - 1e-5)
        XCTAssertLessThan(scene.hearing.mix().max() ?? 2, 1 + 1e-5)
        // And it works all the same.
        try await scene.exchange(rounds: 2)
        XCTAssertGreaterThan(scene.hearing.mix().min() ?? 0, 1 - 1e-5)
        XCTAssertLessThan(scene.hearing.mix().max() ?? 2, 1 + 1e-5)
        try await scene.close()
    }
}

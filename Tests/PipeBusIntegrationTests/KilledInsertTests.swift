// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// A patchbay that is killed while it puts a filter into a connection.
final class KilledInsertTests: BusTestCase {
    func testTheSoundGoesOn() async throws {
        let stage = try await Stage.start()
        let source = try await stage.sender("source") { _, _ in 1 }
        let filter = try await stage.delay("filter", by: 0)
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker, fade: .standard)
        try await stage.taker.connect(source, to: receiver)
        try await stage.step(256, cycles: 20)
        try await KilledInsertion(
            stage: stage, hearing: hearing, source: source, inserted: filter, destination: receiver
        ).assertTheSoundGoesOn(longest: 250)
        try await stage.close()
    }

    /// A task that is cancelled at any moment: the filter is in the connection, or it is not.
    func testACancelledInsertionIsWholeOrNothing() async throws {
        let stage = try await Stage.start()
        let source = try await stage.sender("source") { _, _ in 1 }
        _ = try await stage.delay("filter", by: 0)
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker, fade: .standard)
        let patchbay = try await BusClient.connect(
            as: "org.pipebus.patchbay", name: "Patchbay", remote: stage.graph.remote)
        try await stage.taker.connect(source, to: receiver)
        try await stage.step(256, cycles: 20)
        hearing.forget()
        var random = SeededGenerator(seed: 4)
        var counts: [Bool: Int] = [:]
        for round in 0..<40 {
            let client = round.isMultiple(of: 2) ? patchbay : stage.taker
            let change = Task {
                try await client.insert("Givers.filter", from: "Givers.source", to: "Taker.in", lingers: true)
            }
            // In the middle of the links on a fast machine, and in that of the exchange.
            let longest = round % 4 < 2 ? 60_000 : 3000
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
            try await stage.graph.settle()
            let expected: Set = isDone ? ["source filter", "filter in"] : ["source in"]
            var found: Set<String> = []
            while found != expected, .now < end + .seconds(5) {
                let graph = await stage.taker.graph
                found = Set(
                    graph.connections.map {
                        "\(graph.port($0.source)?.name ?? "") \(graph.port($0.destination)?.name ?? "")"
                    })
                await Task.yield()
            }
            XCTAssertEqual(found, expected, "\(round) \(counts)")
            if isDone {
                try await stage.stepping(256) { try await stage.taker.takeOut("Givers.filter", lingers: true) }
            }
        }
        XCTAssertGreaterThan(counts[true] ?? 0, 0, "\(counts)")
        XCTAssertGreaterThan(counts[false] ?? 0, 0, "\(counts)")
        XCTAssertGreaterThan(hearing.mix().min() ?? 0, 1 - 1e-5)
        await patchbay.close()
        try await stage.close()
    }

    /// Requests of any process: sources that are heard are not silenced by one, and no text makes anything stop.
    func testHostileRequests() async throws {
        let stage = try await Stage.start()
        let source = try await stage.sender("source") { _, _ in 1 }
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker, fade: .standard)
        try await stage.taker.connect(source, to: receiver)
        try await stage.step(256, cycles: 20)
        hearing.forget()
        let node = try await stage.nodeID(of: "Taker.in")
        let serial = source.id.serial
        for value in [
            "", " ", "x y", "\(serial)", "\(serial) ", "1 \(serial)", "\(serial) \(serial)", "\(serial) 99999", "0 0",
        ] {
            for key in ["pipebus.exchange.hold", "pipebus.exchange"] {
                try await stage.graph.run(
                    "pw-cli", ["set-param", "\(node)", "Props", "{ params = [ \"\(key)\" \"\(value)\" ] }"])
            }
            try await stage.graph.settle()
            try await stage.step(256, cycles: 30)
        }
        XCTAssertEqual(hearing.mix().min(), 1)
        XCTAssertEqual(hearing.mix().max(), 1)
        let sources = try await receiver.sources.map(\.id)
        XCTAssertEqual(sources, [source.id])
        try await stage.close()
    }
}

extension Stage {
    /// The daemon's number of a node.
    fileprivate func nodeID(of name: String) async throws -> UInt32 {
        let graph = await taker.graph
        return try XCTUnwrap(graph.ports.first { $0.nodeName == name }).nodeID
    }
}

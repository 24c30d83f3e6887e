// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// What a reader says of the graph's rate while nothing is connected.
final class ReaderIdleRateTests: BusTestCase {
    func testTheRateIsKnownBeforeTheFirstSound() async throws {
        let stage = try await Stage.start()
        let sender = try await stage.sender("out") { _, _ in 0.5 }
        let input = try await stage.taker.receiver("in", channels: .mono, lanes: 1)
        var reader = try input.makeReader()
        let announced = stage.taker.clock
        XCTAssertEqual(announced?.sampleRate, 48_000)
        XCTAssertEqual(reader.read(480).result.sampleRate, 48_000, "announced")
        try await stage.taker.connect(sender, to: input)
        try await stage.step(256, cycles: 8)
        XCTAssertEqual(reader.read(480).result.sampleRate, 48_000, "of sound")
        try await stage.close()
    }
}

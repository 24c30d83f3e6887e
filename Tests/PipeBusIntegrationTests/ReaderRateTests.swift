// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A reader whose graph has another rate than when the reader was made.
final class ReaderRateTests: BusTestCase {
    /// A block of 1.25 s is 240 000 frames of the graph then.
    func testLongBlocksAreWholeAtAHigherRate() async throws {
        let (appRate, blockSize, quantum) = (8000, 10_000, 1024)
        let stage = try await Stage.start()
        let input = try await stage.taker.receiver("in", channels: .mono, lanes: 1, fade: .none, panLaw: .balance)
        var reader = try input.makeReader(
            format: StreamFormat(.float32, sampleRate: appRate))
        let sender = try await stage.sender("out", channels: .mono) { _, _ in 0.5 }
        try await stage.taker.connect(sender, to: input)
        var samples = [Float](repeating: 0, count: blockSize)
        var span = samples.mutableSpan
        for graphRate in [96_000, 192_000] {
            try await stage.graph.setClock(0, sampleRate: graphRate)
            // Time that has passed and was not read, in frames of both rates.
            var due = 0
            for block in 0..<10 {
                while due < blockSize * graphRate {
                    let cycles = (blockSize * graphRate - due) / (quantum * appRate) + 1
                    try await stage.step(quantum, cycles: cycles)
                    due += cycles * quantum * appRate
                }
                due -= blockSize * graphRate
                let discarded = reader.statistics.discardedFrames
                let result = reader.read(into: &span)
                // What was read before is of the other rate, and the distance grows with the first block.
                guard block >= 5 else { continue }
                let what = "\(graphRate) Hz, block \(block)"
                XCTAssertEqual(result.lateFrames, 0, what)
                XCTAssertEqual(reader.statistics.discardedFrames, discarded, what)
                XCTAssertEqual((0..<blockSize).count { abs(span[$0] - 0.5) > 0.01 }, 0, what)
            }
        }
        try await stage.close()
    }
}

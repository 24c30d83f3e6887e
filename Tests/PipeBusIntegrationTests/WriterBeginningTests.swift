// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// How long a sound of no time waits before it begins.
final class WriterBeginningTests: BusTestCase {
    private static let quantum = 256
    /// 20 ms and a cycle, and the rest of another one.
    private static let longestWait = 960 + 2 * quantum

    /// Runs cycles until sound is heard.
    ///
    /// - Returns: number of silent frames before it.
    private static func silentFrames(_ write: borrowing WriteStage, before cycle: () -> Void = {}) async throws -> Int {
        var silent = 0
        for _ in 0..<1000 {
            cycle()
            try await write.stage.step(quantum)
            let heard = write.heard()
            if let first = heard.firstIndex(where: { $0 != 0 }) { return silent + first }
            silent += heard.count
        }
        return .max
    }

    private static func sound(_ count: Int) -> [Float] { Array(repeating: 0.5, count: count) }

    /// Sounds of a sampler: each is one write, with silence between them.
    func testALongWriteDelaysNoSound() async throws {
        for length in [8000, 48_000, 100_000] {
            let write = try await WriteStage.start(channels: .mono)
            var writer = try await write.output.makeWriter(bufferSize: 1 << 17)
            try await write.connect()
            try await write.stage.step(Self.quantum, cycles: 4)
            _ = write.heard()
            for _ in 0..<2 {
                XCTAssertEqual(writer.tryWrite(Self.sound(length).span), length)
                let silent = try await Self.silentFrames(write)
                XCTAssertLessThanOrEqual(silent, Self.longestWait, "a sound of \(length)")
                try await write.stage.step(Self.quantum, cycles: length / Self.quantum + 4)
                XCTAssertEqual(write.heard().last, 0)
            }
            // Blocks at the graph's pace wait for a block and a cycle, as without the long write.
            var (due, blocks) = (480, 0)
            func give() {
                while due >= 480 {
                    due -= 480
                    blocks += 1
                    XCTAssertEqual(writer.tryWrite(Self.sound(480).span), 480)
                }
                due += Self.quantum
            }
            let silent = try await Self.silentFrames(write, before: give)
            XCTAssertLessThanOrEqual(silent, 480 + 2 * Self.quantum, "after sounds of \(length)")
            for _ in 0..<100 {
                give()
                try await write.stage.step(Self.quantum)
            }
            XCTAssertEqual(writer.statistics.underruns, 2)
            XCTAssertLessThanOrEqual(writer.latency.frames, 2 * 480 + Self.quantum)
            try await write.stage.close()
        }
    }

    func testAFileThatIsWrittenBeforeTheConnectionDoesNotWaitForItsLength() async throws {
        let write = try await WriteStage.start(channels: .mono)
        var writer = try await write.output.makeWriter(bufferSize: 1 << 17)
        XCTAssertEqual(writer.tryWrite(Self.sound(48_000).span), 48_000)
        try await write.connect()
        let silent = try await Self.silentFrames(write)
        XCTAssertLessThanOrEqual(silent, Self.longestWait)
        try await write.stage.step(Self.quantum, cycles: 200)
        XCTAssertEqual(writer.statistics.underruns, 0)
        try await write.stage.close()
    }
}

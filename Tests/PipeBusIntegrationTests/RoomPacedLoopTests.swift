// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// An app that reads and writes in turn, at the pace of the room in its writer, as the looper does.
final class RoomPacedLoopTests: BusTestCase {
    private static let quantum = 256
    private static let blockSize = 256

    /// The app reads as much as the writer's buffer holds when it begins, of which nothing has come.
    func testTheReaderIsNearTheGraphSoonAfterTheBufferWasFilled() async throws {
        for bufferSize in [1024, 16_384] {
            let stage = try await Stage.start()
            let signal: Stage.Signal = { position, _ in Float(position & 0xFFFF) + 1 }
            let sender = try await stage.sender("out", signal)
            let input = try await stage.taker.receiver(
                "in", channels: .mono, lanes: 1, fade: .none, panLaw: .balance)
            let output = try await stage.taker.sender("loop", channels: .mono)
            let back = try await stage.givers.receiver("back", channels: .mono, lanes: 1)
            try await stage.taker.connect(sender, to: input)
            try await stage.step(Self.quantum, cycles: 4)
            var reader = try input.makeReader(blockSize: Self.blockSize)
            var writer = try await output.makeWriter(bufferSize: bufferSize)
            try await stage.taker.connect(output, to: back.id)
            try await stage.step(Self.quantum, cycles: 4)
            var samples = [Float](repeating: 0, count: Self.blockSize)
            var span = samples.mutableSpan
            var lateAtFirst = 0
            for cycle in 0..<400 {
                while writer.writableFrames >= Self.blockSize {
                    let result = reader.read(into: &span)
                    XCTAssertEqual(writer.tryWrite(span.span), Self.blockSize)
                    guard cycle >= 200 else { continue }
                    // 8 cycles ran before.
                    let age = (8 + cycle) * Self.quantum - Int(result.timestamp.position)
                    XCTAssertEqual(age, reader.latency.frames, accuracy: Self.quantum, "buffer of \(bufferSize)")
                    for frame in 0..<Self.blockSize
                    where span[frame] != signal(result.timestamp.position + Int64(frame), 0) {
                        return XCTFail("frame \(frame) of cycle \(cycle) is \(span[frame])")
                    }
                }
                if cycle == 200 { lateAtFirst = Int(reader.statistics.lateFrames) }
                try await stage.step(Self.quantum)
            }
            let statistics = reader.statistics
            XCTAssertEqual(Int(statistics.lateFrames), lateAtFirst, "buffer of \(bufferSize)")
            // Silence in place of what was asked for too early, and once more that long until it has come.
            XCTAssertLessThanOrEqual(lateAtFirst, 2 * bufferSize, "buffer of \(bufferSize)")
            XCTAssertLessThanOrEqual(
                Int(statistics.discardedFrames), bufferSize + 2 * Self.quantum, "buffer of \(bufferSize)")
            try await stage.close()
        }
    }
}

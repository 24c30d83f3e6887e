// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A writer that is made while the one before is still heard.
final class WriterSuccessionTests: BusTestCase {
    private static func level(_ value: Float, _ count: Int = 1000) -> [Float] { Array(repeating: value, count: count) }

    /// Fills a writer and lets it play for some cycles.
    private func startWriter(_ write: borrowing WriteStage) async throws -> Writer {
        var writer = try await write.output.makeWriter()
        try await write.connect()
        for _ in 0..<8 { XCTAssertEqual(writer.tryWrite(Self.level(0.5).span), 1000) }
        try await write.stage.step(256, cycles: 12)
        XCTAssertEqual(write.heard().last, 0.5)
        return writer
    }

    /// The next writer, as soon as the one before has ended.
    private func makeNext(_ output: SenderPort) async throws -> Writer {
        while true {
            do {
                return try await output.makeWriter()
            } catch let error as PipeBusError where error.code == .notSupported {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    func testAWriterThatFinishesReturnsWhenTheNextOneIsMade() async throws {
        let write = try await WriteStage.start(channels: .mono)
        let box = WriterBox(try await startWriter(write))
        let isDone = Flag()
        let task = Task {
            defer { isDone.raise() }
            try await box.finish()
        }
        defer { task.cancel() }
        // No cycle runs, so its sound is not played.
        var next = try await makeNext(write.output)
        try await eventually("the end of the one before") { isDone.isRaised }
        try await task.value
        XCTAssertEqual(next.tryWrite(Self.level(0.25).span), 1000)
        try await write.stage.step(256, cycles: 12)
        let heard = write.heard()
        XCTAssertEqual(heard.filter { $0 == 0.25 }.count, 1000, accuracy: 240)
        try await write.stage.close()
    }

    func testAWriterThatFinishesThrowsWhenThePortIsClosed() async throws {
        let write = try await WriteStage.start(channels: .mono)
        let box = WriterBox(try await startWriter(write))
        let isDone = Flag()
        let task = Task {
            defer { isDone.raise() }
            try await box.finish()
        }
        defer { task.cancel() }
        await write.output.close()
        try await eventually("the end") { isDone.isRaised }
        do {
            try await task.value
            XCTFail("its sound was not played")
        } catch let error as PipeBusError {
            XCTAssertEqual(error.code, .closed)
        }
        try await write.stage.close()
    }
}

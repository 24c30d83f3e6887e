// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A writer that is made while the one before is still heard.
final class WriterSuccessionTests: BusTestCase {
    private static func level(_ value: Float, _ count: Int = 1000) -> [Float] { Array(repeating: value, count: count) }

    private static func release(_ writer: consuming Writer) {}

    /// The largest difference of two frames.
    private static func largestStep(_ samples: [Float]) -> Float {
        zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    }

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
        let (task, isDone) = WriterBox(try await startWriter(write)).startFinishing()
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
        let (task, isDone) = WriterBox(try await startWriter(write)).startFinishing()
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

    func testTheSoundOfTheWriterBeforeDecays() async throws {
        let write = try await WriteStage.start(channels: .mono)
        Self.release(try await startWriter(write))
        let next = try await write.output.makeWriter()
        try await write.stage.step(256, cycles: 4)
        let heard = write.heard()
        XCTAssertEqual(try XCTUnwrap(heard.first), 0.5, accuracy: 0.001)
        XCTAssertLessThan(Self.largestStep(heard), 0.005)
        XCTAssertEqual(heard.firstIndex(of: 0) ?? 0, 240, accuracy: 2)
        XCTAssertTrue(heard[240...].allSatisfy { $0 == 0 })
        Self.release(next)
        try await write.stage.close()
    }

    /// The next sound begins as it is, while the one before decays.
    func testTheNextSoundBeginsWhileTheOneBeforeDecays() async throws {
        let write = try await WriteStage.start(channels: .mono)
        Self.release(try await startWriter(write))
        var next = try await write.output.makeWriter()
        for _ in 0..<8 { XCTAssertEqual(next.tryWrite(Self.level(0.25).span), 1000) }
        try await write.stage.step(256, cycles: 4)
        let heard = write.heard()
        XCTAssertEqual(try XCTUnwrap(heard.first), 0.75, accuracy: 0.001)
        XCTAssertLessThan(Self.largestStep(heard), 0.005)
        XCTAssertTrue(heard[240...].allSatisfy { $0 == 0.25 })
        try await write.stage.close()
    }

    /// What was played before a disconnection is over: nothing of it decays in the next connection.
    func testNothingDecaysInTheNextConnection() async throws {
        let write = try await WriteStage.start(channels: .mono)
        Self.release(try await startWriter(write))
        try await write.stage.taker.disconnect(write.output, from: write.input)
        try await eventually("the end of the connection") { !write.output.isConnected }
        try await write.stage.step(256, cycles: 4)
        _ = write.heard()
        let next = try await write.output.makeWriter()
        try await write.connect()
        try await write.stage.step(256, cycles: 8)
        let heard = write.heard()
        XCTAssertGreaterThan(heard.count, 1000)
        XCTAssertTrue(heard.allSatisfy { $0 == 0 }, "\(heard.first { $0 != 0 } ?? 0)")
        Self.release(next)
        try await write.stage.close()
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The instrument of other tests: a sender made without PipeBus, in a recording.
final class ClockSenderTests: ToolTestCase {
    func testEveryFrameOfARecordingShowsWhenItWasMade() async throws {
        let bench = try await startBench()
        // A sender ends when nothing holds it any more.
        let senders = [
            try await start("Prompt", on: bench), try await start("Late", latency: 700, on: bench),
        ]
        try await bench.stepper.step(1024, cycles: 12)
        let result = try await bench.finish()
        for name in senders.map({ "\($0.name).wav" }) {
            let runs = ClockRuns(try XCTUnwrap(result.files[name]).channels)
            XCTAssertEqual(runs.counts.count, 1, "\(name):\n\(runs)")
            XCTAssertEqual(runs.offsets, [result.start & 0xFFFFF], "\(name):\n\(runs)")
            XCTAssertEqual(runs.otherFrames, 0, "\(name):\n\(runs)")
            XCTAssertGreaterThan(runs.counts.first?.length ?? 0, 10_000, "\(name):\n\(runs)")
        }
    }

    /// The requests to the sender while it runs, and the resulting runs.
    func testWhatIsWrongEndsARun() async throws {
        let bench = try await startBench(["--immediate"])
        let sender = try await start("Clock", on: bench)
        try await bench.stepper.step(1024, cycles: 4)
        try await sender.setSilent(true)
        try await bench.stepper.step(1024, cycles: 2)
        try await sender.setSilent(false)
        try await bench.stepper.step(1024, cycles: 2)
        try await sender.setLatency(300)
        try await bench.stepper.settle()
        try await bench.stepper.step(1024, cycles: 4)
        let result = try await bench.finish()
        let runs = ClockRuns(try XCTUnwrap(result.files["Clock.wav"]).channels)
        XCTAssertEqual(runs.counts.count, 3, "\(runs)")
        XCTAssertEqual(runs.silentFramesWithin, 2048, "\(runs)")
        // As it arrived, late by the sender's latency.
        XCTAssertEqual(runs.offsets, [result.start, result.start - 300].map { $0 & 0xFFFFF }, "\(runs)")
    }

    private func start(_ name: String, latency: Int = 0, on bench: RecordingBench) async throws -> ClockSender {
        let sender = try await ClockSender.start(name, latency: latency, in: bench.stepper.environment())
        try await bench.connect(name)
        return sender
    }
}

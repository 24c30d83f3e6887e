// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

final class GraphStepperTests: BusTestCase {
    /// The audio thread's record; the graph stands still when a test reads it.
    private final class Recorder: Sendable {
        let cycles = Mutex<[AudioCycle]>([])
        let samples = Mutex<[Float]>([])
    }

    /// A sender of a signal and a receiver that keeps it, both in this process.
    private func connect(_ signal: TestSignal, on stepper: GraphStepper) async throws -> (BusClient, Recorder) {
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: stepper.remote, allowsConnectionsToSelf: true)
        let recorder = Recorder()
        let sender = try await bus.sender("out", channels: .mono, state: UInt64(0)) { frame, cycle, output in
            var samples = output[0]
            signal.fill(&samples, from: frame, channel: 0)
            frame += UInt64(cycle.frameCount)
        }
        let receiver = try await bus.receiver("in", channels: .mono, fade: .none, state: ()) { _, cycle, mix in
            let samples = mix[0]
            recorder.cycles.withLock { $0.append(cycle) }
            recorder.samples.withLock { kept in for index in samples.indices { kept.append(samples[index]) } }
        }
        try await bus.connect(sender, to: receiver)
        return (bus, recorder)
    }

    func testEveryStepIsOneCycleOfExactlyThatLength() async throws {
        let stepper = try await GraphStepper.start()
        let (bus, recorder) = try await connect(.counting, on: stepper)
        let lengths = [16, 8192, 1000, 17, 1024, 16]
        try await stepper.step(lengths)
        XCTAssertEqual(recorder.cycles.withLock { $0.map(\.frameCount) }, lengths)
        XCTAssertEqual(recorder.cycles.withLock { $0.map(\.missedFrames) }, lengths.map { _ in 0 })
        let total = lengths.reduce(0, +)
        assertSamples(recorder.samples.withLock { $0 }, equal: TestSignal.counting.samples(count: total))
        let position = await stepper.position
        XCTAssertEqual(position, UInt64(total))
        await bus.close()
        try await stepper.close()
    }

    func testAGraphThatFreewheelsIsStepped() async throws {
        for freewheels in [false, true] {
            let stepper = try await GraphStepper.start(freewheels: freewheels)
            let (bus, recorder) = try await connect(.counting, on: stepper)
            try await stepper.step(256, cycles: 10)
            XCTAssertEqual(
                recorder.cycles.withLock { $0.map(\.isFreewheeling) }, Array(repeating: freewheels, count: 10))
            assertSamples(recorder.samples.withLock { $0 }, equal: TestSignal.counting.samples(count: 2560))
            await bus.close()
            try await stepper.close()
        }
    }

    func testNothingRunsBetweenSteps() async throws {
        let stepper = try await GraphStepper.start()
        let (bus, recorder) = try await connect(.counting, on: stepper)
        try await stepper.step(64, cycles: 10)
        let before = recorder.cycles.withLock { $0.count }
        for _ in 0..<10 { try await stepper.settle() }
        XCTAssertEqual(recorder.cycles.withLock { $0.count }, before)
        XCTAssertEqual(before, 10)
        await bus.close()
        try await stepper.close()
    }

    func testALengthThatNoCycleCanHaveIsRefused() async throws {
        let stepper = try await GraphStepper.start()
        for frames in [15, 8193] {
            await assertThrows("a cycle of \(frames) frames") { try await stepper.step(frames) }
        }
        try await stepper.close()
    }

    func testNothingIsLeftAfterClosing() async throws {
        let stepper = try await GraphStepper.start()
        XCTAssertEqual(unsafe access(stepper.directory, F_OK), 0)
        try await stepper.close()
        XCTAssertNotEqual(unsafe access(stepper.directory, F_OK), 0)
        await assertThrows("a step after closing") { try await stepper.step(64) }
        try await stepper.close()
    }

    func testClientsSeeItEnd() async throws {
        let stepper = try await GraphStepper.start()
        let (bus, _) = try await connect(.counting, on: stepper)
        try await stepper.close()
        for await graph in bus.graphUpdates where graph.ports.isEmpty { break }
        XCTAssertEqual(bus.state.reason?.kind, .daemonGone)
        await bus.close()
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// The loop's beat is heard with that of the source that plays on: at the same frame of the graph.
final class LooperTimeTests: ToolTestCase {
    /// The length of the loop, and the distance of the source's beats, in frames: an eighth of a second.
    private static let period = 6000
    /// The place of the beats on the graph's clock.
    private static let beat = 777
    private static let height: Float = 0.125

    /// How much slower than in real time the graph runs, so that the tool, which fills its buffer every millisecond, is in time.
    private var slowness = 2.0

    private struct Scene {
        let stepper: GraphStepper
        let quantum: Int
        let tool: ChildProcess
        /// What is heard of the source, and of the loop.
        let live: SampleKeeper
        let loop: SampleKeeper
        /// What is heard where both are connected.
        let mix: SampleKeeper
    }

    /// How many beats the source has still to give.
    private final class Beats: Sendable {
        private let left = Atomic(0)

        func give(_ count: Int) { left.store(count, ordering: .releasing) }
        var areOver: Bool { left.load(ordering: .acquiring) == 0 }
        func take() -> Bool {
            let count = left.load(ordering: .acquiring)
            if count > 0 { left.store(count - 1, ordering: .releasing) }
            return count > 0
        }
    }

    /// - Parameters:
    ///   - length: of the loop, in frames.
    ///   - latency: the age of the source's sound when it leaves, in frames.
    ///   - fill: what the source gives in a cycle, with a number that it keeps.
    private func start(
        quantum: Int, length: Int, latency: Int = 0,
        _ fill: @escaping @Sendable (_ state: inout Int, AudioCycle, _ output: inout OutputChannels) -> Void
    ) async throws -> Scene {
        let stepper = try await startStepper(quantum: quantum)
        let bus = try await connectClient(to: stepper.remote)
        let (livePort, live) = try await bus.keeper("live", channels: .stereo)
        let (loopPort, loop) = try await bus.keeper("loop", channels: .stereo)
        let (mixPort, mix) = try await bus.keeper("mix", channels: .stereo)
        let source = try await bus.sender(
            "source", channels: .stereo, latency: .frames(latency), state: 0, process: fill)
        let seconds = Double(length) / 48_000
        let tool = try start("looper", ["--length", "\(seconds)"], at: stepper.environment())
        try await waitForPort("Looper.out", of: tool, seenBy: bus)
        for port in [loopPort, mixPort] { try await bus.connect("Looper.out", to: port) }
        for port in [livePort, mixPort] { try await bus.connect(source, to: port) }
        try await bus.connect(source, to: "Looper.in")
        try await stepper.settle()
        let scene = Scene(stepper: stepper, quantum: quantum, tool: tool, live: live, loop: loop, mix: mix)
        try await run(scene, rounds: 5)
        return scene
    }

    /// Runs cycles at a slow pace.
    private func run(_ scene: Scene, rounds: Int) async throws {
        let start = ContinuousClock.now
        for cycle in 1...((rounds * Self.period) / scene.quantum + 1) {
            try await scene.stepper.step(scene.quantum)
            let time = Duration.seconds(slowness * Double(cycle * scene.quantum) / 48_000)
            try await eventually("the time of a cycle") { start.duration(to: .now) >= time }
        }
    }

    /// The place of each beat that was heard, by the graph's clock, and its height.
    private func heard(_ keeper: SampleKeeper) throws -> [(place: Int, height: Float)] {
        let first = try XCTUnwrap(keeper.firstPosition)
        return try keeper.samples(ofChannel: 0, from: first).enumerated().compactMap { frame, sample in
            sample == 0 ? nil : ((Int(first) + frame) % Self.period, sample)
        }
    }

    /// The source's sound in a cycle: a beat at each of their places, while there are some to give.
    private static func fill(_ output: inout OutputChannels, in cycle: AudioCycle, with beats: Beats) {
        let frame = (beat - Int(cycle.position) % period + period) % period
        guard frame < cycle.frameCount, beats.take() else { return }
        for channel in 0..<output.count {
            var samples = output[channel]
            samples[frame] = height
        }
    }

    /// - Returns: whether the tool was in time, so that it can be judged.
    private func measure(quantum: Int, latency: Int = 0) async throws -> Bool {
        let beats = Beats()
        let scene = try await start(quantum: quantum, length: Self.period, latency: latency) {
            Self.fill(&$2, in: $1, with: beats)
        }
        beats.give(4)
        // The writer's buffer, of four cycles and 2048 frames at least, and the reader's distance from the graph.
        let rounds = (6 * quantum + 2048) / Self.period + 3
        try await run(scene, rounds: 4 + rounds)
        XCTAssertTrue(beats.areOver)
        // What is played along with the loop, as it is heard, is added where it was heard: one beat, of twice the height.
        scene.tool.send("")
        try await eventually("the overdub at a quantum of \(quantum)", within: .seconds(60)) {
            beats.give(1)
            try await run(scene, rounds: rounds)
            return try heard(scene.loop).last?.height ?? 0 > Self.height
        }
        try await run(scene, rounds: 2)
        scene.tool.signal(SIGINT)
        let figures = try await figures(of: scene.tool)
        let (live, loop) = (try heard(scene.live), try heard(scene.loop))
        let mixed = Set(try heard(scene.mix).map { $0.place })
        // It may have been late before there was sound, which costs nothing.
        if figures["lost_frames"] != "0", loop.contains(where: { $0.place != Self.beat - latency }) { return false }
        XCTAssertEqual(figures["state"], "overdubbing")
        XCTAssertEqual(Set(live.map { $0.place }), [Self.beat])
        XCTAssertGreaterThan(loop.count, 4)
        for beat in loop {
            XCTAssertEqual(beat.place - Self.beat, -latency, "frames after the live beat, at a quantum of \(quantum)")
        }
        XCTAssertEqual(mixed, [Self.beat], "at a quantum of \(quantum)")
        XCTAssertEqual(loop.last?.height, 2 * Self.height, "at a quantum of \(quantum)")
        XCTAssertTrue(loop.allSatisfy { $0.height == Self.height || $0.height == 2 * Self.height })
        return true
    }

    /// On a machine with much else to do the tool may be late, and the loop with it.
    private func repeatUntilInTime(_ what: String, _ measure: () async throws -> Bool) async throws {
        for _ in 0..<5 {
            if try await measure() { return }
            slowness *= 1.5
        }
        XCTFail("the looper is always late: \(what)")
    }

    func testTheLoopsBeatIsHeardWithTheLiveOne() async throws {
        for quantum in [64, 256, 1024, 4096] {
            try await repeatUntilInTime("a quantum of \(quantum)") { try await measure(quantum: quantum) }
        }
    }

    /// Cycles that are longer than the tool's buffer: the loop has gaps, and is where it would be after them.
    func testItIsInTimeAgainAfterItWasLate() async throws {
        try await repeatUntilInTime("after long cycles") {
            let beats = Beats()
            let scene = try await start(quantum: 256, length: Self.period) {
                Self.fill(&$2, in: $1, with: beats)
            }
            beats.give(1)
            try await run(scene, rounds: 6)
            let count = try heard(scene.loop).count
            XCTAssertGreaterThan(count, 2)
            try await scene.stepper.step(8192, cycles: 2)
            // What was late is read, and what is in the buffer is heard.
            try await run(scene, rounds: 3)
            let before = try heard(scene.loop).count
            try await run(scene, rounds: 5)
            let places = try heard(scene.loop).dropFirst(before).map { $0.place }
            XCTAssertGreaterThan(places.count, 2)
            scene.tool.signal(SIGINT)
            let figures = try await figures(of: scene.tool)
            XCTAssertNotEqual(figures["lost_frames"], "0")
            return Set(places) == [Self.beat]
        }
    }

    /// The loop is so much early, and a receiver that aligns its sources holds it back.
    func testTheLoopIsAlignedWithASourceOfSomeLatency() async throws {
        try await repeatUntilInTime("a source of some latency") { try await measure(quantum: 256, latency: 480) }
    }

    /// As long as `--help` says: 48 to 53 and 107 to 128 ms. Up to a cycle more if the first block is read in the middle of one.
    func testTheFirstPassLacksItsBeginning() async throws {
        let length = 8192
        for (quantum, missing) in [(256, 2304...2560), (1024, 5120...6144)] {
            try await repeatUntilInTime("a quantum of \(quantum)") {
                let begin = Beats()
                let scene = try await start(quantum: quantum, length: length) { frame, cycle, output in
                    guard !begin.areOver else { return }
                    for channel in 0..<output.count {
                        var samples = output[channel]
                        for index in samples.indices { samples[index] = Float((frame + index) % length + 1) / 16_384 }
                    }
                    frame += cycle.frameCount
                }
                begin.give(1)
                try await run(scene, rounds: 5)
                scene.tool.signal(SIGINT)
                guard try await figures(of: scene.tool)["lost_frames"] == "0" else { return false }
                let sound = try scene.loop.sound()[0]
                let first = Int(sound[0] * 16_384) - 1
                XCTAssertTrue(missing.contains(first), "\(first) frames at a quantum of \(quantum)")
                return true
            }
        }
    }
}

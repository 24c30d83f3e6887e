// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

final class LooperTests: ToolTestCase {
    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    /// The tool between a source and a receiver of the test, the source silent at first unless it sounds before it is connected.
    private func start(
        _ arguments: [String], channels: ChannelLayout = .stereo, isSounding: Bool = false,
        _ sample: @escaping @Sendable (Int, Int) -> Float
    ) async throws -> (stepper: GraphStepper, tool: ChildProcess, keeper: SampleKeeper, begin: Flag) {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, keeper) = try await bus.keeper(channels: .stereo)
        let begin = Flag()
        if isSounding { begin.set() }
        let source = try await bus.sender("source", channels: channels, state: 0) { frame, cycle, output in
            guard begin.isSet else { return }
            for channel in 0..<output.count {
                var samples = output[channel]
                for index in samples.indices { samples[index] = sample(frame + index, channel) }
            }
            frame += cycle.frameCount
        }
        let tool = try start("looper", arguments, at: stepper.environment())
        try await waitForPort("Looper.out", of: tool, seenBy: bus)
        try await bus.connect("Looper.out", to: port)
        try await bus.connect(source, to: "Looper.in")
        try await stepper.settle()
        try await run(stepper, until: "the fades to be over") { keeper.frameCount > 10_000 }
        return (stepper, tool, keeper, begin)
    }

    /// At a quarter of the pace of a graph in real time, so that the tool, which fills its buffer every millisecond, is in time.
    private func run(_ stepper: GraphStepper, until what: String, _ condition: () -> Bool) async throws {
        var due = ContinuousClock.now
        try await eventually(what, within: .seconds(60)) {
            guard .now >= due else { return false }
            due = .now + .seconds(4 * 256 / 48_000.0)
            try await stepper.step(256)
            return condition()
        }
    }

    private func sound(_ keeper: SampleKeeper) -> [[Float]] { (try? keeper.sound()) ?? [[], []] }

    func testALoopIsPlayedOverAndOverBitForBit() async throws {
        let signal = TestSignal(.noise(seed: 3), gain: 0.5)
        let (stepper, tool, keeper, begin) = try await start(["--length", "0.1"]) {
            signal.sample(frame: UInt64($0), channel: $1)
        }
        begin.set()
        try await run(stepper, until: "some rounds") { sound(keeper)[0].count > 20_000 }
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["state"], "playing")
        XCTAssertEqual(figures["frames"], "4800")
        XCTAssertEqual(figures["lost_frames"], "0")
        for (channel, came) in sound(keeper).enumerated() {
            let once = signal.samples(count: 4800, channel: channel)
            // It begins where the loop is by then.
            let start = try XCTUnwrap(once.indices.first { once[$0] == came[0] && once[($0 + 1) % 4800] == came[1] })
            XCTAssertGreaterThanOrEqual(start, 4 * 1024, "what waits at the output")
            assertSamples(came, equal: came.indices.map { once[(start + $0) % 4800] }, channel: channel)
        }
    }

    /// A fade-in at the connection would be in the loop, as a dip in each round.
    func testALoopOfASourceThatSoundsWhenItIsConnectedHasNoDip() async throws {
        let (stepper, tool, keeper, _) = try await start(["--length", "0.1"], isSounding: true) { _, _ in 0.25 }
        try await run(stepper, until: "some rounds") { sound(keeper)[0].count > 20_000 }
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["frames"], "4800")
        for came in sound(keeper) { XCTAssertTrue(came.allSatisfy { $0 == 0.25 }) }
    }

    func testAnOverdubAddsWhatComesInEachRound() async throws {
        let (stepper, tool, keeper, begin) = try await start(["--length", "0.1"]) { _, _ in 0.0625 }
        begin.set()
        try await run(stepper, until: "a round") { sound(keeper)[0].count > 4800 }
        tool.send("")
        // Of the loop, and of the first overdub.
        let length = 4800
        try await run(stepper, until: "the overdub") { sound(keeper)[0].last ?? 0 > 0.0625 }
        let start = sound(keeper)[0].count
        try await run(stepper, until: "some rounds") { sound(keeper)[0].count > start + 4 * length }
        tool.signal(SIGTERM)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["state"], "overdubbing")
        for came in sound(keeper) {
            XCTAssertEqual(came[0], 0.0625)
            let steps = (start..<came.count).map { came[$0] - came[$0 - length] }
            XCTAssertTrue(steps.allSatisfy { $0 == 0.0625 })
        }
    }

    /// A line in a pipe is a return key, and the length is the time between two of them.
    func testReturnKeysBeginAndEndTheLoop() async throws {
        let (stepper, tool, keeper, begin) = try await start([], channels: .mono) { frame, _ in
            Float(frame % 10_000 + 1) / 16_384
        }
        begin.set()
        try await run(stepper, until: "a while") { keeper.frameCount > 15_000 }
        XCTAssertEqual(keeper.silenceAfterSound, 0, "it plays only what was recorded")
        tool.send("")
        let start = keeper.frameCount
        try await run(stepper, until: "a part") { keeper.frameCount > start + 10_000 }
        tool.send("")
        try await run(stepper, until: "some rounds") { sound(keeper)[0].count > 60_000 }
        tool.closeInput()
        try await run(stepper, until: "some more") { sound(keeper)[0].count > 70_000 }
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["state"], "playing")
        let length = try XCTUnwrap(figures["frames"].flatMap { Int($0) })
        XCTAssertGreaterThan(length, 1000)
        for came in sound(keeper) {
            assertSamples(Array(came.dropFirst(length)), equal: Array(came.dropLast(length)))
            // One frame after the other, but for the seam.
            let steps = zip(came.prefix(length), came.prefix(length).dropFirst()).map { ($1 - $0) * 16_384 }
            XCTAssertLessThanOrEqual(steps.count { $0 != 1 && $0 != -9999 }, 1)
        }
    }

    func testTwoReturnKeysAtOnceBeginAndEndTheLoop() async throws {
        let (stepper, tool, keeper, begin) = try await start([]) { _, _ in 0.25 }
        begin.set()
        // All that is read from here on is sound.
        try await run(stepper, until: "a while") { keeper.frameCount > 20_000 }
        tool.send("\n")
        try await run(stepper, until: "the loop") { keeper.lastSamples(ofChannel: 0, count: 1) == [0.25] }
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["state"], "playing")
        // Of whole blocks: as short as a loop can be, unless the keys came on both sides of the end of one.
        let frames = try XCTUnwrap(figures["frames"].flatMap { Int($0) })
        XCTAssertTrue(frames >= 480 && frames.isMultiple(of: 128), "\(frames) frames")
        XCTAssertEqual(tool.errors.text, "")
    }

    /// The recording goes on over the connection, and its end is in time with the source.
    func testARecordingMayBeginBeforeThereIsASource() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, keeper) = try await bus.keeper(channels: .stereo)
        let source = try await bus.sender("source", channels: .stereo, state: ()) { _, cycle, output in
            for channel in 0..<output.count {
                var samples = output[channel]
                for index in samples.indices { samples[index] = 0.25 }
            }
        }
        let tool = try start("looper", [], at: stepper.environment())
        try await waitForPort("Looper.out", of: tool, seenBy: bus)
        try await bus.connect("Looper.out", to: port)
        try await stepper.settle()
        try await run(stepper, until: "a while") { keeper.frameCount > 5000 }
        tool.send("")
        let start = keeper.frameCount
        try await run(stepper, until: "silence") { keeper.frameCount > start + 10_000 }
        try await bus.connect(source, to: "Looper.in")
        try await run(stepper, until: "sound") { keeper.frameCount > start + 20_000 }
        tool.send("")
        try await run(stepper, until: "some rounds") { keeper.frameCount > start + 80_000 }
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["state"], "playing")
        XCTAssertGreaterThan(figures["frames"].flatMap { Int($0) } ?? 0, 10_000)
        for came in sound(keeper) { XCTAssertTrue(came.allSatisfy { $0 == 0 || $0 == 0.25 }) }
    }

    /// Nothing is passed, so the keys would have their effect later, and together.
    func testWithoutADestinationAReturnKeyDoesNothing() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let tool = try start("looper", [], at: stepper.environment())
        try await waitForPort("Looper.out", of: tool, seenBy: bus)
        let (port, keeper) = try await bus.keeper(channels: .stereo)
        tool.send("\n")
        try await eventually("its sentences") { tool.errors.lines.count == 2 }
        for line in tool.errors.lines {
            XCTAssertTrue(line.hasPrefix("looper: ") && line.contains("connect \"out\" first"), line)
        }
        try await bus.connect("Looper.out", to: port)
        try await stepper.settle()
        try await run(stepper, until: "a while") { keeper.frameCount > 20_000 }
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["state"], "empty")
        XCTAssertEqual(figures["frames"], "0")
        XCTAssertEqual(tool.errors.lines.count, 3, tool.errors.text)
        XCTAssertTrue(tool.errors.lines.last?.contains("Nothing was recorded") == true, tool.errors.text)
    }

    /// On a terminal that `script` makes.
    func testTheStatusLineSaysWhatIsMissing() async throws {
        let daemon = try await startDaemon()
        let tool = Programs.path(of: "looper")
        let script = try start(
            "looper", [], at: daemon.environment(),
            through: ["/bin/sh", "-c", "exec script -qec 'stty cols 80 rows 24; exec \(tool)' /dev/null", "sh"])
        let words = "nothing is connected to \"out\", so nothing is recorded or played"
        try await eventually("what is missing") { script.output.text.contains(words) }
        // And no longer than it is so.
        let bus = try await connectClient(to: daemon.remote)
        let (port, _) = try await bus.keeper(channels: .stereo)
        try await bus.connect("Looper.out", to: port)
        try await eventually("the state alone") {
            script.output.text.hasSuffix("Looper.out: empty\u{1B}[K\u{1B}[J\u{1B}[?7h")
        }
    }

    func testWithoutInputAndOutputItEndsInOrder() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        for input in ["<&-", "</dev/null"] {
            let tool = try start(
                "looper", [], at: daemon.environment(), through: ["/bin/sh", "-c", "exec \"$@\" \(input)", "sh"])
            try await waitForPort("Looper.out", of: tool, seenBy: bus)
            tool.signal(SIGINT)
            let figures = try await figures(of: tool)
            XCTAssertEqual(figures["state"], "empty")
            XCTAssertEqual(tool.errors.text, "looper: Nothing was recorded; connect \"in\" and \"out\".")
            let ports = await bus.graph.ports
            XCTAssertEqual(ports, [])
        }
    }

    func testBadUsage() async throws {
        for (arguments, words) in [
            (["--length", "0"], "0.01 to 600"), (["--length", "601"], "0.01 to 600"), (["loop"], "Unexpected argument"),
        ] {
            try await assertOneSentence(start("looper", arguments), from: "looper", status: 64, saying: words)
        }
        try await assertOneSentence(start("looper"), from: "looper", status: 1, saying: "PipeWire")
    }
}

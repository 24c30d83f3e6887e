// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

final class EchoFilterTests: ToolTestCase {
    private let signal = TestSignal(.noise(seed: 3), gain: 0.25)

    /// Sends noise through the tool in cycles of the given lengths, and gives what came out, from the noise's first frame
    /// on, of each channel.
    private func filter(_ arguments: [String], channels: Int, cycles: [Int]) async throws -> [[Float]] {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let layout = ChannelLayout.channels(channels)
        let (port, keeper) = try await bus.keeper(channels: layout)
        let (source, progress) = try await bus.source(of: signal, channels: layout)
        let tool = try start("echo-filter", arguments + ["--channels", "\(channels)"], at: stepper.environment())
        try await waitForPort("Echo.echo", of: tool, seenBy: bus)
        try await bus.connect("Echo", to: port)
        try await bus.connect(source, to: "Echo")
        try await stepper.settle()
        try await stepper.step(cycles)
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["missed_frames"], "0")
        XCTAssertEqual(figures["frames"], "\(cycles.reduce(0, +))")
        let first = try XCTUnwrap(progress.firstPosition)
        return try (0..<channels).map { try keeper.samples(ofChannel: $0, from: first) }
    }

    /// y(n) = x(n) + feedback · y(n − delay), in the same precision and order.
    private func echoes(_ samples: [Float], delay: Int, feedback: Float) -> [Float] {
        var output = samples
        for frame in output.indices.dropFirst(delay) { output[frame] += feedback * output[frame - delay] }
        return output
    }

    private let cycles = [1024, 64, 8192, 1000, 17, 1024, 1024, 333, 8192]

    func testWithoutFeedbackAndDrySoundItIsAPureDelay() async throws {
        let count = cycles.reduce(0, +)
        for delay in [1, 100, 1024, 9000] {
            let output = try await filter(["--delay", "\(delay)", "--feedback", "0"], channels: 1, cycles: cycles)
            let silence = [Float](repeating: 0, count: delay)
            assertSamples(output[0], equal: silence + signal.samples(count: count - delay))
        }
    }

    func testWithDrySoundTheEchoesFollowIt() async throws {
        let count = cycles.reduce(0, +)
        for (delay, feedback) in [(777, Float(0.4)), (3, Float(-0.9)), (12_000, Float(0.99))] {
            let output = try await filter(
                ["--dry", "--delay", "\(delay)", "--feedback", "\(feedback)"], channels: 2, cycles: cycles)
            for channel in 0..<2 {
                let expected = echoes(
                    signal.samples(count: count, channel: channel), delay: delay, feedback: feedback)
                assertSamples(output[channel], equal: expected, channel: channel)
            }
        }
    }

    /// An invalid sample is lost alone: neither its block nor later samples, on this channel or another.
    func testItRecoversFromWhatIsNoNumber() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, keeper) = try await bus.keeper(channels: .stereo)
        let progress = SourceProgress()
        let signal = signal
        let bad: [UInt64: Float] = [5000: .nan, 5001: .infinity, 6000: -.infinity, 6300: .signalingNaN]
        let source = try await bus.sender("out", channels: .stereo, state: UInt64(0)) { first, cycle, output in
            progress.begin(at: cycle.position)
            for channel in 0..<output.count {
                var samples = output[channel]
                for index in samples.indices {
                    let frame = first + UInt64(index)
                    samples[index] = signal.sample(frame: frame, channel: channel)
                    if channel == 0, let sample = bad[frame] { samples[index] = sample }
                }
            }
            first += UInt64(cycle.frameCount)
        }
        let tool = try start(
            "echo-filter", ["--dry", "--delay", "777", "--feedback", "0.5"], at: stepper.environment())
        try await waitForPort("Echo.echo", of: tool, seenBy: bus)
        try await bus.connect("Echo", to: port)
        try await bus.connect(source, to: "Echo")
        try await stepper.settle()
        try await stepper.step(cycles)
        tool.signal(SIGINT)
        _ = try await figures(of: tool)
        let first = try XCTUnwrap(progress.firstPosition)
        let count = cycles.reduce(0, +)
        for channel in 0..<2 {
            var expected = signal.samples(count: count, channel: channel)
            for frame in 0..<count {
                if frame >= 777 { expected[frame] += 0.5 * expected[frame - 777] }
                if channel == 0, bad[UInt64(frame)] != nil { expected[frame] = 0 }
            }
            assertSamples(try keeper.samples(ofChannel: channel, from: first), equal: expected, channel: channel)
        }
    }

    func testWithoutDrySoundTheSameComesLater() async throws {
        let count = cycles.reduce(0, +)
        let output = try await filter(["--delay", "500", "--feedback", "0.5"], channels: 1, cycles: cycles)
        let expected = echoes(signal.samples(count: count - 500), delay: 500, feedback: 0.5)
        assertSamples(output[0], equal: [Float](repeating: 0, count: 500) + expected)
    }

    func testWithoutDelayAndFeedbackItPassesEverythingOn() async throws {
        let output = try await filter(["--delay", "0", "--feedback", "0"], channels: 8, cycles: cycles)
        for channel in 0..<8 {
            assertSamples(
                output[channel], equal: signal.samples(count: cycles.reduce(0, +), channel: channel), channel: channel)
        }
    }

    func testADelayIsReportedAsLatencyAndDrySoundHasNone() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, _) = try await bus.keeper(channels: .stereo)
        let late = try start("echo-filter", ["--name", "Late", "--delay", "4800"], at: stepper.environment())
        let dry = try start("echo-filter", ["--name", "Dry", "--delay", "4800", "--dry"], at: stepper.environment())
        try await waitForPort("Late.echo", of: late, seenBy: bus)
        try await waitForPort("Dry.echo", of: dry, seenBy: bus)
        try await bus.connect("Late", to: port)
        try await bus.connect("Dry", to: port)
        try await stepper.settle()
        try await stepper.step(1024)
        let meters = try await eventualResult("the latencies") {
            await port.meters.first { $0.count == 2 && $0.contains { $0.source.latency.frames > 0 } }
        }
        XCTAssertEqual(meters.first { $0.source.title == "Late echo" }?.source.latency.duration, .milliseconds(100))
        XCTAssertEqual(meters.first { $0.source.title == "Dry echo" }?.source.latency.duration, .zero)
    }

    func testAfterABreakThereIsNoOldEcho() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, keeper) = try await bus.keeper(channels: .mono)
        let (source, _) = try await bus.source(of: TestSignal(.constant), channels: .mono)
        let tool = try start(
            "echo-filter", ["--delay", "2048", "--feedback", "0.5", "--channels", "1"], at: stepper.environment())
        try await waitForPort("Echo.echo", of: tool, seenBy: bus)
        try await bus.connect("Echo", to: port)
        try await bus.connect(source, to: "Echo")
        try await stepper.settle()
        try await stepper.step(1024, cycles: 4)
        try await bus.disconnect(source, from: "Echo")
        try await bus.disconnect("Echo", from: port)
        try await stepper.settle()
        try await bus.connect("Echo", to: port)
        try await stepper.settle()
        try await stepper.step(1024, cycles: 4)
        XCTAssertEqual(keeper.frameCount, 8192)
        let after = keeper.lastSamples(ofChannel: 0, count: 4096)
        XCTAssertFalse(after.contains { $0 != 0 })
    }

    func testPingPongEchoesChangeSides() async throws {
        let output = try await filter(
            ["--ping-pong", "--dry", "--delay", "777", "--feedback", "0.5"], channels: 2, cycles: cycles)
        let count = cycles.reduce(0, +)
        var expected = (0..<2).map { signal.samples(count: count, channel: $0) }
        for frame in 777..<count {
            let echoes = (expected[0][frame - 777], expected[1][frame - 777])
            expected[0][frame] += 0.5 * echoes.1
            expected[1][frame] += 0.5 * echoes.0
        }
        for channel in 0..<2 { assertSamples(output[channel], equal: expected[channel], channel: channel) }
    }

    // MARK: While it runs

    /// A filter whose standard input is a pipe that the test writes to.
    private final class Remote {
        let process: ChildProcess
        private var descriptor: Int32

        init(_ test: EchoFilterTests, _ arguments: [String], at stepper: GraphStepper) throws {
            let path = "\(test.folder)/input"
            XCTAssertEqual(unsafe mkfifo(path, 0o600), 0)
            // For reading too, so that the call does not wait for the other end.
            descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
            process = try test.start(
                "echo-filter", arguments, at: stepper.environment(),
                through: ["/bin/sh", "-c", "path=$1; shift; exec \"$@\" < \"$path\"", "sh", path])
        }

        func type(_ text: String) {
            XCTAssertEqual(unsafe write(descriptor, text, text.utf8.count), text.utf8.count)
        }

        func endInput() {
            close(descriptor)
            descriptor = -1
        }

        deinit {
            if descriptor >= 0 { close(descriptor) }
        }
    }

    func testDelayAndFeedbackAreChangedWhileItRuns() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, keeper) = try await bus.keeper(channels: .mono)
        let (source, progress) = try await bus.source(of: signal, channels: .mono)
        let remote = try Remote(
            self, ["--delay", "1000", "--feedback", "0", "--longest-delay", "4000", "--channels", "1"], at: stepper)
        try await waitForPort("Echo.echo", of: remote.process, seenBy: bus)
        try await bus.connect("Echo", to: port)
        try await bus.connect(source, to: "Echo")
        try await stepper.settle()
        try await stepper.step([1024, 1024, 1000, 1000])
        let changed = 4048
        // Two lines in pieces, as pipes may give them, and without a word about anything else.
        remote.type("del")
        remote.type("ay 3000\n\n")
        try await eventually("the delay to be set") { remote.process.output.lines.last == "delay=3000" }
        try await stepper.step([1024, 100, 2048, 1024])
        let meters = try await eventualResult("the latency") {
            await port.meters.first { $0.contains { $0.source.latency.duration == .microseconds(62_500) } }
        }
        XCTAssertEqual(meters.count, 1)

        let first = try XCTUnwrap(progress.firstPosition)
        let came = try keeper.samples(ofChannel: 0, from: first)
        let sent = signal.samples(count: came.count)
        let expected = (0..<came.count).map { frame -> Float in
            let (old, new) = (frame < 1000 ? 0 : sent[frame - 1000], frame < 3000 ? 0 : sent[frame - 3000])
            if frame < changed { return old }
            let left = max(480 - (frame - changed), 0)
            return left > 0 ? new + (old - new) * Float(left) / 480 : new
        }
        assertSamples(came, equal: expected)

        // With feedback what was heard is heard again a delay later, softer, once the ramp is over.
        remote.type("feedback 0.5\n")
        try await eventually("the feedback to be set") { remote.process.output.lines.last == "feedback=0.5" }
        try await stepper.step([1024, 2048, 2048, 2048, 2048, 2048])
        let loud = try keeper.samples(ofChannel: 0, from: first)
        let again = signal.samples(count: loud.count)
        for frame in loud.count - 3000..<loud.count {
            XCTAssertEqual(loud[frame], again[frame - 3000] + 0.5 * loud[frame - 3000], accuracy: 1e-6)
        }
        remote.process.signal(SIGINT)
        _ = try await figures(of: remote.process)
    }

    func testWhatCannotBeDoneIsAnsweredAndTheEndOfTheInputIsNot() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let remote = try Remote(self, ["--delay", "100", "--longest-delay", "4000"], at: stepper)
        try await waitForPort("Echo.echo", of: remote.process, seenBy: bus)
        let lines = [
            ("delay 4001", "0 to 4000 frames"), ("delay -1", "0 to 4000 frames"), ("delay", "Type"),
            ("delay 99999999999999999999", "number of frames"), ("delay 1.5", "number of frames"),
            ("feedback 1", "-0.99 to 0.99"), ("feedback nan", "-0.99 to 0.99"), ("feedback x", "a gain"),
            ("delay 0", "no echo"), ("louder\u{1B}[2J please", "Type"), (String(repeating: "x", count: 5000), "Type"),
        ]
        for (count, (line, words)) in lines.enumerated() {
            remote.type(line + "\n")
            try await eventually("an answer to \(line.prefix(30))") { remote.process.errors.lines.count > count }
            let sentence = remote.process.errors.lines[count]
            XCTAssertTrue(sentence.hasPrefix("echo-filter: ") && sentence.contains(words), sentence)
            XCTAssertFalse(sentence.contains("\u{1B}"), sentence)
        }
        // The following line is carried out all the same, even without an end of line.
        remote.type("delay 200")
        remote.endInput()
        try await eventually("the delay to be set") { remote.process.output.lines.last == "delay=200" }
        XCTAssertNil(remote.process.ending, "it goes on without an input")
        remote.process.signal(SIGINT)
        _ = try await figures(of: remote.process)
    }

    /// Each change of the delay waits for the daemon, so the lines come faster than they are carried out.
    func testOfManyLinesAtOnceNoneIsLost() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let remote = try Remote(self, ["--delay", "100", "--longest-delay", "4000"], at: stepper)
        try await waitForPort("Echo.echo", of: remote.process, seenBy: bus)
        let delays = 1...3000
        remote.type(delays.map { "delay \($0)\n" }.joined())
        try await eventually("the last line to be obeyed", within: .seconds(60)) {
            remote.process.output.lines.last == "delay=3000"
        }
        XCTAssertEqual(
            remote.process.output.lines.filter { $0.hasPrefix("delay=") }, delays.map { "delay=\($0)" })
        remote.process.signal(SIGINT)
        _ = try await figures(of: remote.process)
    }
}

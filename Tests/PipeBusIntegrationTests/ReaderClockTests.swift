// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// A reader of an app with a clock of its own: a second clock beside the stepper's, in the stepper's time.
final class ReaderClockTests: BusTestCase {
    private static let frequency = 300.0
    private static let signal: Stage.Signal = { position, _ in sine(at: Double(position)) }

    private static func sine(at position: Double) -> Float {
        Float(0.5 * sin(2 * .pi * (frequency * position / 48_000).truncatingRemainder(dividingBy: 1)))
    }

    /// The second clock, and what is measured.
    private struct App {
        let rate: Double
        let block: Int
        var numbers = SeededGenerator(seed: 7)
        let jitter: Double
        /// The time of the next call, in seconds of the stepper's clock, without jitter.
        var time: Double
        var reads = 0
        /// Which blocks are not read; by number.
        var isSkipped: (Int) -> Bool = { _ in false }
        /// Whether the app states the times of its device, and not those of its calls.
        var statesDevice = false
        var lateFrames = 0
        var silentFrames = 0
        /// Of the blocks' times.
        var jumps = 0
        private var nextTime: Double?
        private var isAfterSkip = false
        /// Differences of samples from the sine at their made-at time, and of the distance from the latency, in seconds.
        var worstSample: Float = 0
        var worstDistance = 0.0
        var fault: String?

        init(rate: Double, block: Int, jitter: Double, time: Double) {
            self.rate = rate
            self.block = block
            self.jitter = jitter
            self.time = time
        }

        mutating func forget() { (worstSample, worstDistance, lateFrames, jumps, silentFrames) = (0, 0, 0, 0, 0) }

        /// Makes the calls that are due before a time.
        ///
        /// - Parameter earliest: calls that were due before it are made then.
        mutating func run(_ reader: inout Reader, until end: Double, origin: Double, notBefore earliest: Double = 0) {
            let latency = Double(reader.latency.frames) / 48_000
            while time < end {
                let call = max(time + Double.random(in: 0...1, using: &numbers) * jitter, earliest)
                reader.timeOfCalls = MonotonicTime(nanoseconds: UInt64(call * 1e9))
                reads += 1
                guard !isSkipped(reads) else {
                    nextTime = nil
                    isAfterSkip = true
                    time += Double(self.block) / rate
                    continue
                }
                let stated = statesDevice ? time : call
                let block = reader.read(block, at: MonotonicTime(nanoseconds: UInt64(stated * 1e9)))
                lateFrames += block.result.lateFrames
                let made = Double(block.timestamp.time.nanoseconds) / 1e9
                if !block.result.hasSound { silentFrames += block.frameCount }
                if let nextTime, abs(made - nextTime) > 0.002 { jumps += 1 }
                nextTime = made + Double(self.block) / rate
                if block.result.hasSound {
                    worstDistance = max(worstDistance, abs(stated - made - latency))
                    let samples = block.samples
                    // Where something was left out, the sound comes back with a fade.
                    let first = isAfterSkip ? Int(0.006 * rate) : 0
                    isAfterSkip = false
                    for frame in min(first, samples.count)..<samples.count {
                        let position = (made - origin + Double(frame) / rate) * 48_000
                        worstSample = max(worstSample, abs(samples[frame] - ReaderClockTests.sine(at: position)))
                    }
                }
                if block.frameCount != self.block { fault = "\(block.frameCount) frames" }
                time += Double(self.block) / rate
            }
        }
    }

    private struct Scene: ~Copyable {
        let stage: Stage
        let sender: SenderPort
        let input: ReceiverPort
        var reader: Reader
        var app: App
        let quantum: Int
        /// The stepper's time at its first frame, and its position, in seconds.
        var origin = 1.0
        var time = 1.0

        static func start(
            rate: Int, offset: Double, block: Int, quantum: Int, jitter: Double = 0
        ) async throws -> Scene {
            let stage = try await Stage.start()
            let input = try await stage.taker.receiver(
                "in", channels: .mono, lanes: 1, fade: .none, panLaw: .balance)
            let reader = try input.makeReader(
                format: StreamFormat(.float32, sampleRate: rate), hasOwnClock: true)
            let sender = try await stage.sender("out", channels: .mono, ReaderClockTests.signal)
            try await stage.taker.connect(sender, to: input)
            return Scene(
                stage: stage, sender: sender, input: input, reader: reader,
                app: App(rate: Double(rate) * (1 + offset), block: block, jitter: jitter, time: 1), quantum: quantum)
        }

        init(
            stage: Stage, sender: SenderPort, input: ReceiverPort, reader: consuming Reader, app: App, quantum: Int
        ) {
            self.stage = stage
            self.sender = sender
            self.input = input
            self.reader = reader
            self.app = app
            self.quantum = quantum
        }

        /// - Parameter earliest: calls that were due before it are made then.
        mutating func run(seconds: Double, notBefore earliest: Double = 0) async throws {
            let end = time + seconds
            while time < end {
                try await stage.step(quantum)
                time += Double(quantum) / 48_000
                app.run(&reader, until: time, origin: origin, notBefore: earliest)
            }
        }
    }

    /// Two seconds to find another clock, and then every sample in its place; for a minute with one of them.
    func testAMinuteOfAnotherClock() async throws {
        for (rate, offset, block, quantum, jitter, seconds) in [
            (44_100, 500e-6, 441, 512, 0.0, 50.0), (48_000, -500e-6, 1024, 1024, 0, 15),
            (48_000, 300e-6, 64, 1000, 0.001, 15), (8_000, -500e-6, 160, 256, 0.001, 10),
            (96_000, 37e-6, 4096, 128, 0.0005, 5),
        ] {
            let what = "\(rate) Hz, \(offset * 1e6) ppm, block \(block), quantum \(quantum)"
            var scene = try await Scene.start(
                rate: rate, offset: offset, block: block, quantum: quantum, jitter: jitter)
            try await scene.run(seconds: 2)
            XCTAssertTrue(scene.reader.isLocked, what)
            scene.app.forget()
            let before = scene.reader.statistics
            try await scene.run(seconds: 8)
            XCTAssertLessThan(scene.app.worstDistance, jitter + 0.002, what)
            scene.app.forget()
            try await scene.run(seconds: seconds)
            XCTAssertTrue(scene.reader.isLocked, what)
            XCTAssertNil(scene.app.fault, what)
            XCTAssertLessThan(scene.app.worstDistance, jitter + 0.001, what)
            XCTAssertLessThan(scene.app.worstSample, 0.005, what)
            XCTAssertEqual(scene.app.lateFrames, 0, what)
            XCTAssertEqual(scene.reader.statistics.lateFrames, before.lateFrames, what)
            XCTAssertEqual(scene.reader.statistics.discardedFrames, before.discardedFrames, what)
            try await scene.stage.close()
        }
    }

    /// A pause of the app, a reconnection, and a jump of the graph's time: the distance is soon what it was.
    func testItRecovers() async throws {
        var scene = try await Scene.start(rate: 44_100, offset: 400e-6, block: 512, quantum: 512)
        try await scene.run(seconds: 10)
        for accident in 0..<3 {
            switch accident {
            case 0: scene.app.time += 0.3
            case 1:
                try await scene.stage.taker.disconnect(scene.sender, from: scene.input)
                try await scene.run(seconds: 1)
                try await scene.stage.taker.connect(scene.sender, to: scene.input)
            default: scene.app.time += 3
            }
            try await scene.run(seconds: 5)
            XCTAssertTrue(scene.reader.isLocked, "\(accident)")
            scene.app.forget()
            let before = scene.reader.statistics
            try await scene.run(seconds: 5)
            XCTAssertLessThan(scene.app.worstDistance, 0.002, "\(accident)")
            XCTAssertLessThan(scene.app.worstSample, 0.005, "\(accident)")
            XCTAssertEqual(scene.reader.statistics.lateFrames, before.lateFrames, "\(accident)")
            XCTAssertEqual(scene.reader.statistics.discardedFrames, before.discardedFrames, "\(accident)")
        }
        try await scene.stage.close()
    }

    /// A thread that was held up asks at once for all that it has missed, and loses nothing.
    func testAPauseThatTheAppMakesUpFor() async throws {
        for pause in [0.1, 0.4, 0.5, 1, 2.2] {
            var scene = try await Scene.start(rate: 48_000, offset: -400e-6, block: 480, quantum: 512)
            try await scene.run(seconds: 10)
            scene.app.forget()
            let before = scene.reader.statistics
            let cycles = Int(pause * 48_000 / 512)
            try await scene.stage.step(512, cycles: cycles)
            scene.time += Double(cycles * 512) / 48_000
            scene.app.run(&scene.reader, until: scene.time, origin: scene.origin, notBefore: scene.time)
            try await scene.run(seconds: 3)
            XCTAssertEqual(scene.app.jumps, 0, "\(pause) s")
            XCTAssertLessThan(scene.app.worstSample, 0.01, "\(pause) s")
            XCTAssertEqual(scene.reader.statistics.lateFrames, before.lateFrames, "\(pause) s")
            XCTAssertEqual(scene.reader.statistics.discardedFrames, before.discardedFrames, "\(pause) s")
            XCTAssertTrue(scene.reader.isLocked, "\(pause) s")
            scene.app.forget()
            try await scene.run(seconds: 2)
            XCTAssertLessThan(scene.app.worstDistance, 0.002, "\(pause) s")
            try await scene.stage.close()
        }
    }

    /// A process that was stopped has missed cycles, and asks at once for the time. Only that time is silent.
    func testAStoppedProcess() async throws {
        for (pause, isCycleFirst) in [(0.7, true), (1.5, true), (3, true), (0.7, false), (1.5, false), (3, false)] {
            let what = "\(pause) s, cycle first: \(isCycleFirst)"
            var scene = try await Scene.start(rate: 48_000, offset: 300e-6, block: 480, quantum: 512)
            try await scene.run(seconds: 10)
            scene.app.forget()
            let before = scene.reader.statistics
            scene.time += pause
            try await scene.stage.graph.moveClock(
                to: Int(((scene.time - scene.origin) * 48_000).rounded()), afterMilliseconds: Int(pause * 1000))
            if isCycleFirst { try await scene.run(seconds: 0.001, notBefore: scene.time) }
            scene.app.run(&scene.reader, until: scene.time, origin: scene.origin, notBefore: scene.time)
            try await scene.run(seconds: 3)
            XCTAssertEqual(scene.app.jumps, 0, what)
            XCTAssertEqual(Double(scene.app.silentFrames) / 48_000, pause, accuracy: 0.1, what)
            XCTAssertEqual(scene.reader.statistics.discardedFrames, before.discardedFrames, what)
            if isCycleFirst { XCTAssertEqual(scene.reader.statistics.lateFrames, before.lateFrames, what) }
            scene.app.forget()
            try await scene.run(seconds: 2)
            XCTAssertTrue(scene.reader.isLocked, what)
            XCTAssertLessThan(scene.app.worstDistance, 0.002, what)
            XCTAssertEqual(scene.app.silentFrames, 0, what)
            try await scene.stage.close()
        }
    }

    /// Times that have nothing to do with the graph's: the reader is paced as one without a clock of its own.
    /// Blocks that a device leaves out, by its own times: each is left out at once, and says nothing about the clock.
    func testBlocksThatTheDeviceLeavesOut() async throws {
        for (rate, offset, block, what, isSkipped) in [
            (16_000, 200e-6, 320, "near each other", { [50, 67, 84, 101, 118, 135, 152].contains($0 % 200) }),
            (48_000, -300e-6, 480, "one in ten", { $0.isMultiple(of: 10) }),
            (44_100, 500e-6, 441, "pauses of 0.3 s", { $0 % 100 < 30 }),
        ] as [(Int, Double, Int, String, (Int) -> Bool)] {
            var scene = try await Scene.start(rate: rate, offset: offset, block: block, quantum: 256, jitter: 0.001)
            scene.app.statesDevice = true
            try await scene.run(seconds: 10)
            XCTAssertTrue(scene.reader.isLocked, what)
            scene.app.forget()
            scene.app.isSkipped = isSkipped
            try await scene.run(seconds: 10)
            XCTAssertLessThan(scene.app.worstDistance, 0.0005, what)
            XCTAssertLessThan(scene.app.worstSample, 0.005, what)
            XCTAssertEqual(scene.app.lateFrames, 0, what)
            XCTAssertTrue(scene.reader.isLocked, what)
            try await scene.stage.close()
        }
    }

    func testTimesThatSayNothing() async throws {
        for time in [UInt64(1) << 62, 1 << 40, 1 << 63] {
            var scene = try await Scene.start(rate: 44_100, offset: 0, block: 441, quantum: 480)
            var (sound, late) = (0, 0)
            for cycle in 0..<400 {
                try await scene.stage.step(480)
                let block = scene.reader.read(441, at: MonotonicTime(nanoseconds: time))
                if block.result.hasSound { sound += 1 }
                if cycle > 10 { late += block.result.lateFrames }
            }
            XCTAssertGreaterThan(sound, 390, "\(time)")
            XCTAssertEqual(late, 0, "\(time)")
            XCTAssertEqual(scene.reader.statistics.discardedFrames, 0, "\(time)")
            try await scene.stage.close()
        }
    }

    func testAClockOfItsOwnHasARate() async throws {
        let stage = try await Stage.start()
        let input = try await stage.taker.receiver("in")
        XCTAssertThrowsError(_ = try input.makeReader(hasOwnClock: true).latency) {
            XCTAssertEqual(($0 as? PipeBusError)?.code, .invalidArgument)
        }
        try await stage.close()
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A reader gives exactly what it is asked for: every frame of the sound once and in its place, or silence that is counted.
final class ReaderTests: BusTestCase {
    private static let signal: Stage.Signal = { position, channel in
        Float((position &* 7 &+ Int64(1009 * channel)) & 0xFFFF) + 1
    }

    /// A stereo source, a receiver, and readers that run in its block.
    private struct ReadStage {
        let stage: Stage
        let input: ReceiverPort
        let readers: Box<[PacedReader]>

        static func start() async throws -> ReadStage {
            let stage = try await Stage.start()
            let readers = Box<[PacedReader]>([])
            let input = try await stage.taker.receiver("in", lanes: 1, fade: .none, panLaw: .balance, state: ()) {
                _, cycle, _ in
                for reader in readers.value { reader.run(cycle) }
            }
            return ReadStage(stage: stage, input: input, readers: readers)
        }

        private init(stage: Stage, input: ReceiverPort, readers: Box<[PacedReader]>) {
            self.stage = stage
            self.input = input
            self.readers = readers
        }

        func add(_ blockSizes: [Int], laziness: Double = 0) throws {
            readers.value = try blockSizes.map {
                PacedReader(try input.makeReader(), blockSize: $0, laziness: laziness, signal: ReaderTests.signal)
            }
        }
    }

    /// Every frame is given or discarded, whatever the cycles' lengths do, and whatever the app's thread does.
    func testTheCountsAgreeToTheFrame() async throws {
        for laziness in [0, 0.3, 0.95] {
            let read = try await ReadStage.start()
            try read.add(StreamMatrix.blockSizes, laziness: laziness)
            let sender = try await read.stage.sender("out", channels: .stereo, Self.signal)
            try await read.stage.taker.connect(sender, to: read.input)
            let steps = Steps(
                list: Steps.random(cycles: 100, seed: 4).list + [(64, 3000), (1024, 200), (16, 5000), (8192, 30)]
                    + Steps.random(cycles: 100, seed: 5).list)
            try await read.stage.graph.step(steps.list)
            // Long enough for all to be as far behind as they should be.
            try await read.stage.step(256, cycles: 2000)
            for reader in read.readers.value {
                let what = "laziness \(laziness), block \(reader.blockSize)"
                XCTAssertNil(reader.fault, what)
                let statistics = reader.statistics
                XCTAssertEqual(Int(statistics.lateFrames), reader.lateFrames, what)
                XCTAssertEqual(reader.readFrames - reader.silentFrames, Int(statistics.givenFrames), what)
                let arrived = Int(steps.frames) + 2000 * 256
                let waiting = arrived - Int(statistics.givenFrames + statistics.discardedFrames)
                XCTAssertGreaterThanOrEqual(waiting, 0, what)
                // At most what the ring holds, and a report that is not read yet.
                XCTAssertLessThanOrEqual(waiting, 140_000, what)
                // Ten seconds of steady cycles later the latency is what it would have been from the start.
                if laziness == 0 {
                    XCTAssertEqual(reader.latency.frames, max(256, reader.blockSize) + 256, what)
                    XCTAssertLessThanOrEqual(waiting, reader.latency.frames, what)
                }
            }
            read.readers.value = []
            try await read.stage.close()
        }
    }

    func testConnectionsThatComeAndGo() async throws {
        let read = try await ReadStage.start()
        try read.add([64, 1024])
        let sender = try await read.stage.sender("out", channels: .stereo, Self.signal)
        for round in 0..<20 {
            try await read.stage.taker.connect(sender, to: read.input)
            try await read.stage.step([64, 256, 1000][round % 3], cycles: 20)
            try await read.stage.taker.disconnect(sender, from: read.input)
            // The receiver is not run, so its block does not read either; some time passes.
            try await read.stage.step(256, cycles: 10)
        }
        for reader in read.readers.value {
            XCTAssertNil(reader.fault)
            XCTAssertGreaterThan(reader.statistics.givenFrames, 20_000)
        }
        read.readers.value = []
        try await read.stage.close()
    }

    // MARK: Separate sources

    func testSourcesAreReadForTheSameTime() async throws {
        let stage = try await Stage.start()
        let box = Box<LaneReader?>(nil)
        let input = try await stage.taker.separateReceiver("in", lanes: 3, fade: .none, state: ()) { _, cycle, _ in
            box.value?.run(cycle)
        }
        let reader = LaneReader(try input.makeReader(blockSize: 300), signal: Self.signal)
        box.value = reader
        // Made together, and aligned: 480 frames of latency on one of them.
        for (name, latency) in [("now", 0), ("late", 480)] {
            let sender = try await stage.sender(name, channels: .stereo, latency: latency, Self.signal)
            try await stage.taker.connect(sender, to: input)
        }
        try await eventually("the latency") { try await input.sources.map(\.latency.frames).contains(480) }
        try await stage.step(256, cycles: 400)
        XCTAssertNil(reader.fault)
        XCTAssertGreaterThan(reader.comparedFrames, 90_000)
        XCTAssertEqual(reader.statistics.lateFrames, 0)
        XCTAssertEqual(reader.statistics.discardedFrames, 0)
        box.value = nil
        try await stage.close()
    }

    // MARK: Formats

    /// Integers, channels and a rate of the app's own, against the same signal made at that rate.
    func testAFormatOfTheAppsOwn() async throws {
        let stage = try await Stage.start()
        let frequency = 997.0
        let tone: Stage.Signal = { position, channel in
            Float((channel == 0 ? 0.5 : 0.25) * sin(2 * .pi * frequency * Double(position) / 48_000))
        }
        let box = Box<FormatReader?>(nil)
        let input = try await stage.taker.receiver("in", lanes: 1, fade: .none, panLaw: .balance, state: ()) {
            _, cycle, _ in box.value?.run(cycle)
        }
        let sender = try await stage.sender("out", channels: .stereo, tone)
        try await stage.taker.connect(sender, to: input)
        for rate in [nil, 44_100, 48_000, 96_000, 8_000] {
            let format = StreamFormat(.int16, channelCount: 1, sampleRate: rate, isDithered: false)
            let reader = FormatReader(try input.makeReader(format: format), blockSize: 441)
            box.value = reader
            try await stage.step(256, cycles: 400)
            box.value = nil
            let appRate = Double(rate ?? 48_000)
            XCTAssertEqual(reader.result?.sampleRate, Int(appRate))
            // The mean of both channels. A frame's time is its position in the graph's.
            let samples = reader.samples.suffix(4_410)
            let end = try XCTUnwrap(reader.end)
            for (index, sample) in samples.enumerated() {
                let time = end + Double(index - samples.count) * 48_000 / appRate
                let expected = 0.375 * sin(2 * .pi * frequency * time / 48_000) * 32_768
                guard abs(Double(sample) - expected) < 2 + (rate == nil || rate == 48_000 ? 0 : 70) else {
                    return XCTFail("\(appRate) Hz, frame \(index): \(sample) and not \(expected)")
                }
            }
        }
        try await stage.close()
    }

    /// A reader with a rate of its own goes on over a change of the graph's, at its own rate and the same pitch.
    func testTheGraphsRateChangesUnderARateOfTheAppsOwn() async throws {
        let stage = try await Stage.start()
        let rate = Box(48_000.0)
        let box = Box<FormatReader?>(nil)
        let input = try await stage.taker.receiver("in", lanes: 1, fade: .none, panLaw: .balance, state: ()) {
            _, cycle, _ in box.value?.run(cycle)
        }
        // A fortieth of the rate: a tone that changes with it.
        let sender = try await stage.sender("out") { position, _ in
            Float(0.5 * sin(2 * .pi * 1000 * Double(position) / rate.value))
        }
        try await stage.taker.connect(sender, to: input)
        let format = StreamFormat(.int16, channelCount: 1, sampleRate: 44_100, isDithered: false)
        box.value = FormatReader(try input.makeReader(format: format), blockSize: 441)
        for graphRate in [48_000, 96_000, 44_100, 48_000] {
            rate.value = Double(graphRate)
            try await stage.graph.setClock(0, sampleRate: graphRate)
            try await stage.step(512, cycles: 200)
            let reader = try XCTUnwrap(box.value)
            // A tenth of a second of a sine of 1 kHz at 44.1 kHz: it crosses zero 200 times.
            let samples = Array(reader.samples.suffix(4410))
            let crossings = zip(samples, samples.dropFirst()).filter { ($0 < 0) != ($1 < 0) }.count
            XCTAssertEqual(Double(crossings), 200, accuracy: 2, "\(graphRate)")
            XCTAssertEqual(Double(samples.max() ?? 0), 16_384, accuracy: 100, "\(graphRate)")
        }
        box.value = nil
        try await stage.close()
    }

    func testTheGraphsRateChanges() async throws {
        let read = try await ReadStage.start()
        try read.add([100, 1024])
        let sender = try await read.stage.sender("out", channels: .stereo, Self.signal)
        try await read.stage.taker.connect(sender, to: read.input)
        for rate in [48_000, 96_000, 44_100, 48_000] {
            try await read.stage.graph.setClock(0, sampleRate: rate)
            try await read.stage.step(512, cycles: 100)
        }
        for reader in read.readers.value {
            XCTAssertNil(reader.fault)
            XCTAssertGreaterThan(reader.statistics.givenFrames, 190_000)
        }
        read.readers.value = []
        try await read.stage.close()
    }

    func testBadValuesAreRefused() async throws {
        let stage = try await Stage.start()
        let input = try await stage.taker.receiver("in")
        let formats = [
            StreamFormat(.float32, channelCount: 0), StreamFormat(.int16, channelCount: 65),
            StreamFormat(.int24, sampleRate: 7_999), StreamFormat(.int32, sampleRate: 384_001),
            StreamFormat(.float32, channelCount: .min, sampleRate: .max),
        ]
        for format in formats {
            XCTAssertThrowsError(try { _ = try input.makeReader(format: format) }()) { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument)
            }
        }
        for size in [-1, 10_001, .max, .min] {
            XCTAssertThrowsError(try { _ = try input.makeReader(blockSize: size) }()) { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument)
            }
        }
        try await stage.close()
    }

    // MARK: Without a connection

    func testNothingConnectedIsSilenceAtOnce() async throws {
        let stage = try await Stage.start()
        let input = try await stage.taker.receiver("in")
        var reader = try input.makeReader()
        var samples = [Float](repeating: 1, count: 2 * 5000)
        var span = samples.mutableSpan
        for number in 1...10 {
            let time = MonotonicTime(nanoseconds: UInt64(number) * 1_000_000_000)
            let result = reader.read(into: &span, at: time)
            XCTAssertEqual(result.frameCount, 5000)
            // As old as sound would be: a block and a cycle.
            let age = Duration.nanoseconds(time.nanoseconds - result.timestamp.time.nanoseconds)
            XCTAssertEqual(reader.latency.frames, 5000 + (stage.taker.clock?.quantum ?? 0))
            XCTAssertEqual(age / .seconds(1), reader.latency.duration / .seconds(1), accuracy: 1e-6)
            XCTAssertEqual(result.lateFrames, 0)
            XCTAssertFalse(result.hasSound)
        }
        XCTAssertTrue(samples.allSatisfy { $0 == 0 })
        XCTAssertEqual(reader.statistics.givenFrames + reader.statistics.lateFrames, 0)
        XCTAssertEqual(reader.discard(1 << 20).frameCount, 1 << 20)
        try await stage.close()
        // The port is closed, and the reader still gives silence.
        span = samples.mutableSpan
        XCTAssertFalse(reader.read(into: &span).hasSound)
    }
}

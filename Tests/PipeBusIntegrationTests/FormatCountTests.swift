// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// Streams with a rate of the app's own, while ports are connected and disconnected: as many frames come out as go in, each at its
/// rate, to the frame.
final class FormatCountTests: BusTestCase {
    private static let rates = [44_100, 8_000, 11_025, 96_000, 384_000]
    private static let graphRate = 48_000

    /// Number of frames at a rate of those at another one, rounded up.
    private static func frames(_ count: Int, from rate: Int = graphRate, to other: Int) -> Int {
        (count * other + rate - 1) / rate
    }

    // MARK: Capture

    /// Each connection's sound has its frames, rounded up. What is dropped is counted at the graph's rate.
    func testACaptureHasAsManyFramesAsCame() async throws {
        var numbers = StreamMatrix.generator("capture of other rates")
        for rate in Self.rates {
            let stage = try await Stage.start()
            let input = try await stage.taker.separateReceiver(
                "in", channels: .mono, lanes: 2, alignment: .immediate, fade: .none)
            let capture = try input.makeCapture(format: StreamFormat(.float32, sampleRate: rate))
            let plain = try input.makeCapture()
            let small = try input.makeCapture(
                format: StreamFormat(.float32, sampleRate: rate), minimumCapacity: 1 << 14)
            var senders: [SenderPort] = []
            for name in ["one", "two"] {
                senders.append(try await stage.sender(name, channels: .mono) { _, _ in 0.5 })
            }
            var connected: Set<Int> = []
            for _ in 0..<20 {
                let number = Int.random(in: 0..<2, using: &numbers)
                if connected.remove(number) != nil {
                    try await stage.taker.disconnect(senders[number], from: input)
                } else {
                    try await stage.taker.connect(senders[number], to: input)
                    connected.insert(number)
                }
                for _ in 0..<3 { try await stage.step(Int.random(in: 16...8192, using: &numbers)) }
            }
            try await stage.close()
            let came = Self.counts(of: plain) { _ in .max }
            let heard = Self.counts(of: capture) { _ in Int.random(in: 1...10_000, using: &numbers) }
            XCTAssertGreaterThanOrEqual(came.frames.count, 5)
            XCTAssertEqual(heard.dropped, 0)
            XCTAssertEqual(heard.frames, came.frames.mapValues { Self.frames($0, to: rate) }, "\(rate)")
            // Of lanes that were dropped in part: what was left is whole blocks.
            let rest = Self.counts(of: small) { _ in 1000 }
            let all = came.frames.values.reduce(0, +)
            XCTAssertGreaterThan(rest.dropped, 0)
            let given = rest.frames.values.reduce(0, +)
            XCTAssertEqual(
                Double(given), Double((all - rest.dropped) * rate) / Double(Self.graphRate),
                accuracy: Double(rest.frames.count), "\(rate)")
        }
    }

    /// The number of frames of each connection, and of those that were dropped.
    private static func counts(of capture: Capture, limit: (Int) -> Int) -> (frames: [String: Int], dropped: Int) {
        var (frames, dropped): ([String: Int], Int) = ([:], 0)
        while let block = capture.read(upTo: limit(frames.count)) {
            frames["\(block.lane), \(block.sourceGeneration)", default: 0] += block.frameCount
            dropped += block.droppedFrames
        }
        return (frames, dropped)
    }

    // MARK: Reader

    /// The time of each read is that of the first one and of all frames since; all that came is given; and each connection is heard
    /// for as many frames as it lasts.
    func testAReaderGivesAsManyFramesAsCame() async throws {
        var numbers = StreamMatrix.generator("readers of other rates")
        for rate in Self.rates {
            let stage = try await Stage.start()
            let arrived = Box(0)
            let input = try await stage.taker.receiver(
                "in", channels: .mono, lanes: 1, fade: .none, panLaw: .balance, state: ()
            ) { _, cycle, _ in arrived.value += cycle.frameCount }
            let blockSizes = [rate / 44_100 + 1, 441, 4096]
            let readers = try blockSizes.map { size in
                RateReader(
                    try input.makeReader(format: StreamFormat(.float32, sampleRate: rate), blockSize: 10_000),
                    blockSize: size, rate: rate)
            }
            let box = Box(readers)
            _ = try await stage.taker.receiver(
                "pace", channels: .mono, lanes: 1, keepsRunning: true, after: ["in"], state: ()
            ) { _, cycle, _ in
                for reader in box.value { reader.run(cycle) }
            }
            let sender = try await stage.sender("out", channels: .mono) { _, _ in 0.5 }
            var (sounds, total) = (0, 0)
            let quantum = [64, 256, 1000].randomElement(using: &numbers) ?? 64
            for _ in 0..<6 {
                try await stage.taker.connect(sender, to: input)
                let cycles = Int.random(in: 10...100, using: &numbers)
                try await stage.step(quantum, cycles: cycles)
                try await stage.taker.disconnect(sender, from: input)
                // Until all is read, and a block of silence.
                let longest = max(10_000, 4096 * Self.graphRate / rate)
                try await stage.step(quantum, cycles: 4 * (longest + quantum) / quantum)
                (sounds, total) = (sounds + 1, total + cycles * quantum)
            }
            for reader in readers {
                let what = "\(rate) Hz, quantum \(quantum), block \(reader.blockSize)"
                XCTAssertNil(reader.fault, what)
                XCTAssertEqual(Int(reader.statistics.givenFrames), arrived.value, what)
                XCTAssertEqual(reader.statistics.lateFrames, 0, what)
                XCTAssertEqual(reader.statistics.discardedFrames, 0, what)
                XCTAssertEqual(
                    Double(reader.loudFrames), Double(total * rate) / Double(Self.graphRate),
                    accuracy: Double(sounds), what)
            }
            box.value = []
            try await stage.close()
        }
    }

    /// What is late is counted at the frames' own rate by each read, and at the graph's by the statistics.
    func testLateFramesAreCountedAtBothRates() async throws {
        for rate in Self.rates {
            let stage = try await Stage.start()
            let input = try await stage.taker.receiver("in", channels: .mono, lanes: 1, fade: .none)
            var reader = try input.makeReader(format: StreamFormat(.float32, sampleRate: rate))
            let sender = try await stage.sender("out", channels: .mono) { _, _ in 0.5 }
            try await stage.taker.connect(sender, to: input)
            var late = 0
            // The graph gives half of what is asked for.
            for cycle in 0..<200 {
                try await stage.step(256)
                let frames = (cycle + 1) * 512 * rate / Self.graphRate - cycle * 512 * rate / Self.graphRate
                late += reader.read(frames).result.lateFrames
            }
            let counted = Int(reader.statistics.lateFrames)
            XCTAssertGreaterThan(counted, 10_000, "\(rate)")
            XCTAssertEqual(Double(late), Double(counted * rate) / Double(Self.graphRate), accuracy: 1, "\(rate)")
            try await stage.close()
        }
    }

    // MARK: Writer

    /// The sound of each format takes its own time, rounded up to a frame of the graph, and all of it leaves.
    func testAWriterGivesAsManyFramesAsItTook() async throws {
        var numbers = StreamMatrix.generator("writer of other rates")
        for round in 0..<6 {
            let write = try await WriteStage.start(channels: .mono)
            var writer = try await write.output.makeWriter()
            var (expected, captured, isConnected) = (0, 0, false)
            func step(_ cycles: Int) async throws {
                try await write.stage.step(Int.random(in: 16...1024, using: &numbers), cycles: cycles)
                while let block = write.capture.read() { captured += block.frameCount }
            }
            for rate in Self.rates.shuffled(using: &numbers) + [Self.graphRate, Self.rates[0]] {
                try writer.setFormat(StreamFormat(.float32, sampleRate: rate))
                var taken = 0
                let count = Int.random(in: 1...rate, using: &numbers)
                while taken < count {
                    let size = min(Int.random(in: 1...10_000, using: &numbers), count - taken)
                    let block = [Float](repeating: 0.5, count: size)
                    let offered = writer.tryWrite(block.span)
                    taken += offered
                    guard offered < size else { continue }
                    // It is full: the sound goes on, with a pause now and then.
                    if isConnected, Int.random(in: 0..<4, using: &numbers) == 0 {
                        try await write.stage.taker.disconnect(write.output, from: write.input)
                        try await write.stage.step(256, cycles: 3)
                        isConnected = false
                    }
                    if !isConnected { try await write.connect() }
                    isConnected = true
                    try await step(4)
                }
                expected += Self.frames(count, from: rate, to: Self.graphRate)
            }
            // What the resampler holds back is given.
            try writer.setFormat(.float32)
            let statistics = writer.statistics
            XCTAssertEqual(Int(statistics.writtenFrames), expected, "round \(round)")
            XCTAssertEqual(statistics.droppedFrames, 0)
            XCTAssertEqual(statistics.underruns, 0)
            XCTAssertEqual(captured + writer.latency.frames, expected, "round \(round)")
            try await write.stage.close()
        }
    }
}

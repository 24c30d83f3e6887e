// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// A capture has every frame of every source once, at the time at which it was made, or counts it.
final class CaptureTests: BusTestCase {
    private static func signal(_ number: Int) -> Stage.Signal {
        { position, channel in Float((position &* 7 &+ Int64(31 * number + 1009 * channel)) & 0xFFFF) + 1 }
    }

    private static let quanta = [16, 17, 64, 256, 1000, 1024, 8192]

    // MARK: Exactness

    func testTheMixOfAMillionFrames() async throws {
        let stage = try await Stage.start()
        let capture = try await stage.taker.capture("in", lanes: 2, fade: .none, panLaw: .balance)
        let input = capture.port
        let sender = try await stage.sender("out", channels: .stereo, Self.signal(1))
        try await stage.taker.connect(sender, to: input)
        var next: Int64?
        var frames = 0
        var numbers = SeededGenerator(seed: 1)
        for quantum in Self.quanta {
            var rest = 150_000
            while rest > 0 {
                let cycles = min(max(rest / quantum, 1), max(100_000 / quantum, 1))
                try await stage.step(quantum, cycles: cycles)
                rest -= cycles * quantum
                while let block = capture.read(upTo: Int.random(in: 1...10_000, using: &numbers)) {
                    if let next { XCTAssertEqual(block.timestamp.position, next) }
                    XCTAssertEqual(block.isContinuation, next != nil)
                    XCTAssertEqual(block.missedFrames, 0)
                    XCTAssertEqual(block.droppedFrames, 0)
                    try check(block, Self.signal(1))
                    next = block.timestamp.position + Int64(block.frameCount)
                    frames += block.frameCount
                }
            }
        }
        XCTAssertGreaterThanOrEqual(frames, 1_000_000)
        XCTAssertEqual(capture.progress?.newestEnd, next)
        try await stage.close()
        XCTAssertNil(capture.read())
        XCTAssertTrue(capture.isAtEnd)
    }

    func testSourcesThatComeAndGoEachOnItsLane() async throws {
        let stage = try await Stage.start()
        let capture = try await stage.taker.separateCapture("in", lanes: 3, alignment: .immediate, fade: .none)
        let input = capture.port
        let latencies = [0, 480, 33]
        var senders: [SenderPort] = []
        for (number, latency) in latencies.enumerated() {
            senders.append(
                try await stage.sender(
                    "out\(number)", channels: number == 1 ? .stereo : .mono, latency: latency, Self.signal(number)))
        }
        var numbers = SeededGenerator(seed: 3)
        var connected: Set<Int> = []
        var (ends, frames): ([UInt64: Int64], [Int]) = ([:], [0, 0, 0])
        var hasSound: Set<UInt64> = []
        for round in 0..<40 {
            let number = Int.random(in: 0..<3, using: &numbers)
            if connected.remove(number) != nil {
                try await stage.taker.disconnect(senders[number], from: input)
            } else {
                let sender = senders[number]
                try await stage.stepping(64) { try await stage.taker.connect(sender, to: input) }
                connected.insert(number)
            }
            try await eventually("the latencies") {
                try await Set(input.sources.map(\.latency.frames)) == Set(connected.map { latencies[$0] })
            }
            let quantum = Self.quanta[round % Self.quanta.count]
            try await stage.step(quantum, cycles: 3)
            while let block = capture.read(upTo: 777) {
                // Each source is known by its latency.
                let number = try XCTUnwrap(latencies.firstIndex(of: block.age.frames))
                let key = UInt64(block.lane) << 32 | block.sourceGeneration
                XCTAssertEqual(block.isContinuation, ends[key] != nil, "round \(round)")
                if let end = ends[key] { XCTAssertEqual(block.timestamp.position, end, "round \(round)") }
                ends[key] = block.timestamp.position + Int64(block.frameCount)
                XCTAssertEqual(block.source, senders[number].id)
                // In its first cycles a source may be silent, while its links are made.
                try check(block, Self.signal(number), maySilent: !hasSound.contains(key))
                if block[0].contains(where: { $0 != 0 }) { hasSound.insert(key) }
                frames[number] += block.frameCount
            }
        }
        for count in frames { XCTAssertGreaterThan(count, 1000) }
        try await stage.close()
    }

    /// Without a fade a source ends with its last frame. What waits for a slower source still comes.
    func testTheEndOfASourceWithoutAFade() async throws {
        for alignment in [Alignment.immediate, .synchronized] {
            let stage = try await Stage.start()
            let capture = try await stage.taker.separateCapture("in", lanes: 2, alignment: alignment, fade: .none)
            let senders = [
                try await stage.sender("fast", channels: .stereo, Self.signal(0)),
                try await stage.sender("slow", channels: .stereo, latency: 480, Self.signal(1)),
            ]
            for sender in senders { try await stage.taker.connect(sender, to: capture.port) }
            try await eventually("the latencies") {
                try await Set(capture.port.sources.map(\.latency.frames)) == [0, 480]
            }
            try await stage.step(1000, cycles: 10)
            var last: Int64 = 0
            while let block = capture.read() { last = block.timestamp.position + Int64(block.frameCount) }
            for sender in senders {
                try await stage.taker.disconnect(sender, from: capture.port)
                try await stage.step(1000, cycles: 3)
                var frames = 0
                while let block = capture.read() {
                    XCTAssertGreaterThanOrEqual(block.timestamp.position, last - 480)
                    guard block.source == sender.id else { continue }
                    // Of the slow one nothing waits.
                    XCTAssertEqual(sender.name, "fast")
                    XCTAssertEqual(alignment, .synchronized)
                    let sound = (0..<480).map { Self.signal(0)(block.timestamp.position + Int64($0), 1) }
                    XCTAssertEqual(Array(block[1].prefix(480)), sound)
                    frames += block.frameCount
                }
                XCTAssertEqual(frames, sender.name == "fast" && alignment == .synchronized ? 1000 : 0)
            }
            try await stage.close()
        }
    }

    private func check(
        _ block: CaptureBlock, _ signal: Stage.Signal, maySilent: Bool = false, file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        for channel in 0..<block.channelCount {
            let samples = Array(block[channel])
            if maySilent, samples.allSatisfy({ $0 == 0 }) { continue }
            let expected = (0..<block.frameCount).map { signal(block.timestamp.position + Int64($0), channel) }
            guard samples == expected else {
                return XCTFail("channel \(channel) of \(block.frameCount) frames differs", file: file, line: line)
            }
        }
    }

    // MARK: Limits and ends

    func testWhatIsNotReadIsCountedToTheFrame() async throws {
        let stage = try await Stage.start()
        let input = try await stage.taker.receiver("in", lanes: 1, fade: .none, panLaw: .balance)
        let capture = try input.makeCapture(minimumCapacity: 4096)
        let sender = try await stage.sender("out", Self.signal(1))
        try await stage.taker.connect(sender, to: input)
        try await stage.step(1000, cycles: 10)
        var blocks: [CaptureBlock] = []
        while let block = capture.read() { blocks.append(block) }
        XCTAssertEqual(blocks.map(\.frameCount), [1000, 1000, 1000, 1000])
        try await stage.step(1000)
        let next = try XCTUnwrap(capture.read())
        XCTAssertEqual(next.droppedFrames, 6000)
        XCTAssertFalse(next.isContinuation)
        XCTAssertEqual(next.timestamp.position, blocks[0].timestamp.position + 10_000)
        // The last ones are reported at the end.
        try await stage.step(1000, cycles: 6)
        try await stage.close()
        var rest: [CaptureBlock] = []
        for await block in capture { rest.append(block) }
        XCTAssertEqual(rest.map(\.frameCount), [1000, 1000, 1000, 1000, 0])
        XCTAssertEqual(rest.map(\.droppedFrames), [0, 0, 0, 0, 2000])
    }

    func testAReceiverMayHaveSeveralBesideItsBlock() async throws {
        let stage = try await Stage.start()
        let heard = Box(0)
        let input = try await stage.taker.receiver("in", lanes: 1, fade: .none, state: ()) { _, cycle, _ in
            heard.value += cycle.frameCount
        }
        var captures = try (0..<8).map { _ in try input.makeCapture(minimumCapacity: 1 << 14) }
        XCTAssertThrowsError(try input.makeCapture()) { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .notSupported)
        }
        let sender = try await stage.sender("out", Self.signal(1))
        try await stage.taker.connect(sender, to: input)
        try await stage.step(256, cycles: 4)
        for capture in captures { XCTAssertEqual(capture.progress?.cycleEnd, captures[0].progress?.cycleEnd) }
        captures.removeFirst(7)
        let another = try input.makeCapture(minimumCapacity: 1 << 14)
        try await stage.step(256, cycles: 4)
        XCTAssertEqual(heard.value, 8 * 256)
        XCTAssertEqual(Self.count(captures[0]), 8 * 256)
        XCTAssertEqual(Self.count(another), 4 * 256)
        try await stage.close()
        XCTAssertThrowsError(try input.makeCapture()) { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .closed)
        }
    }

    private static func count(_ capture: Capture) -> Int {
        var frames = 0
        while let block = capture.read() { frames += block.frameCount }
        return frames
    }

    func testBadCapacitiesAreRefused() async throws {
        let stage = try await Stage.start()
        let input = try await stage.taker.separateReceiver("in", channels: .channels(16), lanes: 64)
        for capacity in [Int.min, -1, 0, (1 << 26) + 1, .max, 1 << 20] {
            XCTAssertThrowsError(try input.makeCapture(minimumCapacity: capacity)) { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument)
            }
        }
        try await stage.close()
    }

    func testASequenceEndsWithItsTask() async throws {
        let stage = try await Stage.start()
        let input = try await stage.taker.receiver("in")
        let capture = try input.makeCapture()
        let task = Task {
            for await _ in capture {}
            return Task.isCancelled
        }
        task.cancel()
        let wasCancelled = await task.value
        XCTAssertTrue(wasCancelled)
        try await stage.close()
    }
}

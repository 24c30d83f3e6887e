// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import SeededRandom
import ToolSupport
import XCTest

@testable import track_recorder

/// Blocks of all kinds in random order, against a simple model of what has to be in the file.
final class TrackTests: ToolTestCase {
    func testTheRecordedTimeIsWrittenAsOnAClock() {
        for (seconds, text) in [
            (0.0, "0:00"), (9.99, "0:09"), (60, "1:00"), (3599.5, "59:59"), (3600, "1:00:00"), (36_610, "10:10:10"),
        ] { XCTAssertEqual(Levels.time(seconds), text) }
    }

    /// A file as it should become: kept frame by frame, with numbers that cannot overflow.
    private struct Model {
        let start: Int64
        let limit: Int128
        let channels: Int
        var frames: [[Float]] = []
        var repeated = 0

        mutating func add(_ block: CapturedBlock, _ samples: [Float]) {
            // The graph's clock may wrap.
            let place = Int128(Int64(truncatingIfNeeded: Int128(block.position) - Int128(start)))
            var wanted: [(place: Int128, frame: [Float])] = []
            for frame in 0..<block.frameCount {
                let at = place + Int128(frame)
                guard at >= 0, at < limit else { continue }
                let given = Array(samples[(frame * block.channelCount)..<((frame + 1) * block.channelCount)])
                let mono = given.first { $0 != 0 } ?? 0
                wanted.append(
                    (at, block.channelCount == channels ? given : [Float](repeating: mono, count: channels)))
            }
            guard wanted.contains(where: { $0.frame.contains { $0 != 0 } }) else { return }
            let length = Int128(frames.count)
            repeated += wanted.count { $0.place < length }
            for (place, frame) in wanted where place >= length {
                while frames.count < place { frames.append([Float](repeating: 0, count: channels)) }
                frames.append(frame)
            }
        }
    }

    private func settings(_ room: Int = MemoryBudget.standardCapacity) -> TrackSettings {
        TrackSettings(
            sampleRate: 48_000, format: .float32, memory: MemoryBudget(capacity: room), report: { XCTFail($0) })
    }

    func testRandomBlocksMakeTheFileThatTheModelSays() throws {
        let extremes: [Int64] = [.min, .min + 1, -(1 << 62), -(1 << 61) - 1, -48_000, -1, 0]
        for seed in 0..<150 as Range<UInt64> {
            var numbers = SeededGenerator(seed: seed)
            let width = Int.random(in: 1...4, using: &numbers)
            let channels = Bool.random(using: &numbers) ? 1 : width
            let limits = [Int.max, Int.max - 1, 1 << 62, 0, 1, 700, 3000]
            let limit = limits.randomElement(using: &numbers)!
            let start = [Int64(0), -1, .max, .min, 1 << 62, -(1 << 62), 12_345].randomElement(using: &numbers)!
            let path = "\(folder)/\(seed).wav"
            let sink = TrackSink(.given(try OutputFile(path: path)), channelCount: channels, settings: settings())
            let track = Track(sink, title: "Voice", start: start, limit: limit)
            var model = Model(start: start, limit: Int128(limit), channels: channels)
            for number in 0..<100 {
                let count = Int.random(in: 0...64, using: &numbers)
                var position = start &+ Int64.random(in: -200...3000, using: &numbers)
                if Int.random(in: 0..<4, using: &numbers) == 0 {
                    position = start &+ extremes.randomElement(using: &numbers)!
                    // Beyond the end only with a limit: no disk has room for such a file.
                    if limit <= 3000, Bool.random(using: &numbers) { position = .max - Int64(number) }
                }
                if position &- start > 100_000, limit > 3000 { position = start }
                let given = Bool.random(using: &numbers) ? width : 1
                let block = CapturedBlock(
                    stream: UInt64.random(in: 1...2, using: &numbers), position: position, frameCount: count,
                    channelCount: given, isContinuation: Bool.random(using: &numbers),
                    missedFrames: Int.random(in: 0...(1 << 40), using: &numbers),
                    droppedFrames: [0, 5, Int.max / 2].randomElement(using: &numbers)! / 128)
                let isSilent = Int.random(in: 0..<4, using: &numbers) == 0
                let samples = (0..<(count * given)).map { _ in
                    isSilent || Int.random(in: 0..<8, using: &numbers) == 0
                        ? Float(0) : Float.random(in: 0.1...1, using: &numbers)
                }
                try track.add(block, samples, lane: Int.random(in: 0...1, using: &numbers))
                model.add(block, samples)
                if Int.random(in: 0..<5, using: &numbers) == 0 { try track.flush() }
                if Int.random(in: 0..<9, using: &numbers) == 0 { try track.suspend() }
            }
            let end = model.frames.count + Int.random(in: 0...100, using: &numbers)
            try track.close(length: end, isLast: false)
            let file = try WaveFile.read(path)
            XCTAssertEqual(file.channels.count, channels)
            for channel in 0..<channels {
                let expected = model.frames.map { $0[channel] }
                let silence = [Float](repeating: 0, count: end - expected.count)
                assertSamples(file.channels[channel], equal: expected + silence, channel: channel)
            }
            XCTAssertEqual(track.figures.repeatedFrames, model.repeated, "seed \(seed)")
            XCTAssertEqual(track.figures.frames, end, "seed \(seed)")
            XCTAssertEqual(track.figures.lostFrames, 0)
            XCTAssertNil(track.figures.reason)
        }
    }

    func testSilenceIsNeverThereAlready() throws {
        let path = "\(folder)/track.wav"
        let sink = TrackSink(.given(try OutputFile(path: path)), channelCount: 1, settings: settings())
        let track = Track(sink, title: "Voice", start: 0, limit: .max)
        func add(_ sample: Float, at place: Int64, stream: UInt64 = 1) throws {
            let block = CapturedBlock(
                stream: stream, position: place, frameCount: 100, channelCount: 1, isContinuation: true)
            try track.add(block, [Float](repeating: sample, count: 100), lane: 0)
        }
        try add(0.5, at: 0)
        // The latency of a source that goes is gone before it is; then it comes back, as late as it was.
        try add(0, at: 12_100)
        try add(0.25, at: 200, stream: 2)
        try track.close(length: 300, isLast: true)
        let samples = try WaveFile.read(path).channels[0]
        assertSamples(samples, equal: (0..<300).map { $0 < 100 ? 0.5 : $0 < 200 ? 0 : 0.25 })
        XCTAssertEqual(track.figures.repeatedFrames, 0)
        XCTAssertEqual(track.figures.skippedFrames, 0)
    }

    func testLatencyThatFallsLeavesAGapAndLatencyThatRisesARepeat() throws {
        let path = "\(folder)/track.wav"
        let sink = TrackSink(.given(try OutputFile(path: path)), channelCount: 1, settings: settings())
        let track = Track(sink, title: "Voice", start: 0, limit: .max)
        for place in [0, 100, 260, 360, 400] as [Int64] {
            let block = CapturedBlock(
                stream: 1, position: place, frameCount: 100, channelCount: 1, isContinuation: true)
            try track.add(block, (0..<100).map { Float(place + $0 + 1) }, lane: 0)
        }
        try track.close(length: 500, isLast: true)
        let samples = try WaveFile.read(path).channels[0]
        assertSamples(samples, equal: (0..<500).map { (200..<260).contains($0) ? 0 : Float($0 + 1) })
        XCTAssertEqual(track.figures.skippedFrames, 60)
        XCTAssertEqual(track.figures.repeatedFrames, 60)
    }

    func testTimeInWhichNothingCameCounts() throws {
        let path = "\(folder)/track.wav"
        let sink = TrackSink(.given(try OutputFile(path: path)), channelCount: 1, settings: settings())
        let track = Track(sink, title: "Voice", start: 0, limit: .max)
        func add(at place: Int64, missed: Int = 0, isContinuation: Bool = false, sample: Float = 0.5) throws {
            let block = CapturedBlock(
                stream: 1, position: place, frameCount: 100, channelCount: 1, isContinuation: isContinuation,
                missedFrames: missed)
            try track.add(block, [Float](repeating: sample, count: 100), lane: 0)
        }
        // Before the first sound nothing was missed.
        try add(at: 50)
        try add(at: 150, isContinuation: true)
        XCTAssertEqual(track.figures.gapFrames, 0)
        try add(at: 1250)
        XCTAssertEqual(track.figures.gapFrames, 1000)
        // A part of the time was missed, which has its own figure.
        try add(at: 2350, missed: 300)
        XCTAssertEqual(track.figures.gapFrames, 1700)
        XCTAssertEqual(track.figures.missedFrames, 300)
        // The silence before an end is no gap.
        try add(at: 5000, sample: 0)
        XCTAssertEqual(track.figures.gapFrames, 1700)
        try add(at: 5100, isContinuation: true)
        XCTAssertEqual(track.figures.gapFrames, 4250)
        try track.close(length: 5200, isLast: true)
    }

    /// What the recorder missed leaves a gap, and what the source alone missed is silent in the blocks before.
    func testMissedFramesCountWhereverTheirSilenceIs() throws {
        let sink = TrackSink(
            .given(try OutputFile(path: "\(folder)/track.wav")), channelCount: 1, settings: settings())
        let track = Track(sink, title: "Voice", start: 0, limit: .max)
        func add(at place: Int64, _ sample: Float = 0.5, missed: Int = 0, isContinuation: Bool = true) throws {
            let block = CapturedBlock(
                stream: 1, position: place, frameCount: 100, channelCount: 1, isContinuation: isContinuation,
                missedFrames: missed)
            try track.add(block, [Float](repeating: sample, count: 100), lane: 0)
        }
        try add(at: 0, isContinuation: false)
        for place in [100, 200] as [Int64] { try add(at: place, 0) }
        XCTAssertEqual(track.figures.missedFrames, 0)
        try add(at: 300, missed: 200)
        XCTAssertEqual(track.figures.missedFrames, 200)
        // The source missed one cycle, and then the recorder missed two.
        try add(at: 400, 0)
        try add(at: 700, missed: 300, isContinuation: false)
        XCTAssertEqual(track.figures.missedFrames, 500)
        // The source's latency rose by 30 frames meanwhile: so much less of the silence is left.
        try add(at: 800, 0)
        try add(at: 870, missed: 100)
        XCTAssertEqual(track.figures.missedFrames, 570)
        XCTAssertEqual(track.figures.gapFrames, 0)
        XCTAssertEqual(track.figures.skippedFrames, 0)
        XCTAssertEqual(track.figures.repeatedFrames, 0)
        try track.close(length: 970, isLast: true)
    }

    // MARK: Without a file

    /// Sound without room is counted and is silent in its place, whenever the file can be made.
    func testMemoryForSoundWithoutAFileIsBounded() throws {
        let log = SentenceLog()
        let folder = try OutputFolder(path: "\(folder)/tracks")
        XCTAssertEqual(unsafe rename(folder.path, folder.path + "-away"), 0)
        let room = MemoryBudget(capacity: 1000)
        let settings = TrackSettings(sampleRate: 48_000, format: .float32, memory: room, report: { log.add($0) })
        let tracks = ["One", "Two"].map { title in
            Track(
                TrackSink(.new(folder, title: title), channelCount: 2, settings: settings), title: title, start: 0,
                limit: .max)
        }
        func add(_ frames: Int, at place: Int64) throws {
            for track in tracks {
                let block = CapturedBlock(stream: 1, position: place, frameCount: frames, channelCount: 2)
                let samples = (0..<(2 * frames)).map { Float(Int(place) + $0 / 2 + 1) }
                try track.add(block, samples, lane: 0)
                try track.flush()
            }
        }
        // 200 samples of each, 200 more of each, and then there is room for one only.
        for place in [0, 100, 200] as [Int64] { try add(100, at: place) }
        XCTAssertEqual(tracks.map(\.figures.lostFrames), [0, 100])
        XCTAssertEqual(room.used, 1000)
        try add(100, at: 300)
        XCTAssertEqual(tracks.map(\.figures.lostFrames), [100, 200])
        XCTAssertEqual(log.sentences.count, 2)
        XCTAssertEqual(unsafe rename(folder.path + "-away", folder.path), 0)
        for track in tracks { try track.close(length: 500, isLast: false) }
        XCTAssertEqual(room.used, 0)
        for (title, end) in [("One", 300), ("Two", 200)] {
            let samples = try WaveFile.read("\(folder.path)/\(title).wav").channels[1]
            assertSamples(samples, equal: (0..<500).map { $0 < end ? Float($0 + 1) : 0 })
        }
        XCTAssertNotNil(tracks[0].figures.reason)
    }

    func testAFileThatIsReplacedWhileItIsClosedIsNotTouched() throws {
        let log = SentenceLog()
        let folder = try OutputFolder(path: "\(folder)/tracks")
        let settings = TrackSettings(
            sampleRate: 48_000, format: .int24, memory: MemoryBudget(), report: { log.add($0) })
        let track = Track(
            TrackSink(.new(folder, title: "Voice"), channelCount: 1, settings: settings), title: "Voice", start: 0,
            limit: .max)
        func add(at place: Int64) throws {
            let block = CapturedBlock(stream: 1, position: place, frameCount: 101, channelCount: 1)
            try track.add(block, [Float](repeating: 0.5, count: 101), lane: 0)
            try track.flush()
        }
        try add(at: 0)
        try track.suspend()
        try track.suspend()
        let path = "\(folder.path)/Voice.wav"
        // Complete while it is closed, and gone on with when it is opened again.
        XCTAssertEqual(try WaveFile.read(path).channels[0], [Float](repeating: 0.5, count: 101))
        try add(at: 101)
        XCTAssertEqual(try WaveFile.read(path).channels[0], [Float](repeating: 0.5, count: 202))
        try track.suspend()
        try "precious".write(toFile: path, atomically: false, encoding: .utf8)
        try add(at: 300)
        try track.close(length: 500, isLast: true)
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), "precious")
        let samples = try WaveFile.read("\(folder.path)/Voice 2.wav").channels[0]
        assertSamples(samples, equal: (0..<500).map { (300..<401).contains($0) ? 0.5 : 0 })
        XCTAssertEqual(track.figures.lostFrames, 202)
        XCTAssertEqual(log.sentences.count, 1)
    }
}

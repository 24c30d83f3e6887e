// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import Synchronization
import ToolSupport
import XCTest

@testable import track_recorder

/// The writer of track-recorder on a ring that the test fills, so that the disk can be as slow as it likes.
final class TrackWriterTests: ToolTestCase {
    private func counting(_ frame: Int, _ channel: Int) -> Float { Float(frame + 1 + 100_000 * channel) }

    private func expected(_ ranges: [Range<Int>], count: Int, channel: Int = 0) -> [Float] {
        (0..<count).map { frame in ranges.contains { $0.contains(frame) } ? counting(frame, channel) : 0 }
    }

    private func channels(_ name: String) throws -> [[Float]] {
        try WaveFile.read("\(folder)/tracks/\(name).wav").channels
    }

    // MARK: A disk that is too slow

    func testWhatTheRingCannotHoldIsCountedAndSilentInItsPlace() async throws {
        let source = try WriterSource(folder: "\(folder)/tracks")
        source.learn([(0, 1, "Voice", 1)])
        // The disk stands still: four of ten blocks fit into 4096 frames.
        for number in 0..<10 { XCTAssertEqual(source.put(1000, at: 1000 * number, counting), number < 4) }
        let writer = source.writer
        async let recording = BlockingThread.run { writer.run() }
        // Now it goes on, and with it the recording.
        try await eventually("the ring to be written") {
            (try? WaveFile.read("\(self.folder)/tracks/Voice.wav").channels[0].count) == 4000
        }
        XCTAssertTrue(source.put(1000, at: 10_000, counting))
        try await eventually("the rest to be written") {
            (try? WaveFile.read("\(self.folder)/tracks/Voice.wav").channels[0].count) == 11_000
        }
        XCTAssertEqual(writer.droppedFrames, 6000)
        source.end()
        let figures = try await recording
        XCTAssertEqual(figures.frames, 11_000)
        XCTAssertEqual(figures.tracks.map(\.droppedFrames), [6000])
        XCTAssertEqual(figures.tracks.map(\.missedFrames), [0])
        XCTAssertEqual(figures.tracks.map(\.loudFrames), [4999], "all but the first are beyond full scale")
        assertSamples(try channels("Voice")[0], equal: expected([0..<4000, 10_000..<11_000], count: 11_000))
    }

    func testWhatIsLostAtTheVeryEndIsCountedToo() async throws {
        let source = try WriterSource(lanes: 2, folder: "\(folder)/tracks")
        source.learn([(0, 1, "Voice", 1), (1, 1, "Other", 1)])
        for number in 0..<10 {
            source.put(1000, at: 1000 * number, counting)
            if number < 2 { source.put(1000, at: 1000 * number, lane: 1, counting) }
        }
        source.end()
        let figures = source.writer.run()
        XCTAssertEqual(figures.frames, 10_000)
        XCTAssertEqual(figures.tracks.map(\.droppedFrames), [6000, 0])
        assertSamples(try channels("Voice")[0], equal: expected([0..<4000], count: 10_000))
        assertSamples(try channels("Other")[0], equal: expected([0..<2000], count: 10_000))
    }

    func testBlocksThatFindNoRoomAreCountedForWhomTheyWereOf() async throws {
        let source = try WriterSource(folder: "\(folder)/tracks")
        source.learn([(0, 1, "First", 1)])
        for number in 0..<6 { source.put(1000, at: 1000 * number, counting) }
        source.learn([(0, 2, "Second", 1)])
        for number in 6..<8 { source.put(1000, at: 1000 * number, stream: 2, counting) }
        source.end()
        let figures = source.writer.run()
        XCTAssertEqual(figures.tracks.map(\.file), ["First.wav", "Second.wav"])
        XCTAssertEqual(figures.tracks.map(\.droppedFrames), [2000, 2000])
        assertSamples(try channels("Second")[0], equal: expected([], count: 8000))
    }

    func testMissedFramesAreSilentInTheirPlace() async throws {
        let source = try WriterSource(folder: "\(folder)/tracks")
        source.learn([(0, 1, "Voice", 1)])
        // Frames missed before the source came are not the source's.
        source.put(100, at: 1000, missed: 500, counting)
        source.put(100, at: 1400, missed: 300, counting)
        source.end()
        let figures = source.writer.run()
        XCTAssertEqual(figures.tracks.map(\.missedFrames), [300])
        assertSamples(try channels("Voice")[0], equal: expected([1000..<1100, 1400..<1500], count: 1500))
    }

    /// A source that gave nothing while the receiver ran: silent blocks, and then one that goes on and says so.
    func testFramesThatTheSourceAloneMissedAreCounted() async throws {
        let source = try WriterSource(lanes: 2, folder: "\(folder)/tracks")
        source.learn([(0, 1, "Voice", 1), (1, 1, "Other", 1)])
        for number in 0..<10 {
            let isSilent = (3..<6).contains(number)
            source.put(100, at: 100 * number, missed: number == 6 ? 300 : 0, isContinuation: number > 0) {
                frame, channel in
                isSilent ? 0 : self.counting(frame, channel)
            }
            source.put(100, at: 100 * number, lane: 1, isContinuation: number > 0, counting)
        }
        source.end()
        let figures = source.writer.run()
        XCTAssertEqual(figures.tracks.map(\.missedFrames), [300, 0])
        XCTAssertEqual(figures.tracks.map(\.gapFrames), [0, 0])
        assertSamples(try channels("Voice")[0], equal: expected([0..<300, 600..<1000], count: 1000))
        assertSamples(try channels("Other")[0], equal: expected([0..<1000], count: 1000))
    }

    func testWhatIsThereAlreadyIsNotWrittenTwice() async throws {
        let source = try WriterSource(folder: "\(folder)/tracks")
        source.learn([(0, 1, "Voice", 1)])
        source.put(1000, at: 0, counting)
        for (count, frame) in [(500, 300), (500, 800), (100, 1300)] {
            // The second time it is something else.
            source.put(count, at: frame, isContinuation: true) { frame, channel in
                frame < 1000 ? -1 : self.counting(frame, channel)
            }
        }
        source.end()
        let figures = source.writer.run()
        XCTAssertEqual(figures.tracks.map(\.skippedFrames), [0])
        assertSamples(try channels("Voice")[0], equal: expected([0..<1400], count: 1400))
    }

    // MARK: Who it is

    func testAnUnreportedSourceIsNotLost() async throws {
        let source = try WriterSource(
            folder: "\(folder)/tracks", nameTimeout: .milliseconds(300))
        source.put(100, at: 0, counting)
        source.put(100, at: 100, stream: 2, counting)
        let writer = source.writer
        async let recording = BlockingThread.run { writer.run() }
        try await eventually("a file without a name") {
            (try? WaveFile.read("\(self.folder)/tracks/lane 1 source 1.wav").channels[0].count) == 100
        }
        source.learn([(0, 2, "Told in time", 1)])
        try await eventually("a file with one") {
            (try? WaveFile.read("\(self.folder)/tracks/Told in time.wav").channels[0].count) == 200
        }
        // At the end the writer does not wait for names.
        source.put(100, at: 200, stream: 3, counting)
        source.end()
        let figures = try await recording
        XCTAssertEqual(figures.tracks.map(\.file), ["lane 1 source 1.wav", "Told in time.wav", "lane 1 source 3.wav"])
    }

    func testTwoThatAreCalledTheSameAtTheSameTimeAreKeptApart() async throws {
        let source = try WriterSource(lanes: 2, folder: "\(folder)/tracks")
        source.learn([(0, 1, "Browser", 1), (1, 1, "Browser", 1)])
        for number in 0..<3 {
            source.put(100, at: 100 * number, lane: 0, counting)
            source.put(100, at: 100 * number, lane: 1) { frame, _ in -self.counting(frame, 0) }
        }
        let writer = source.writer
        async let recording = BlockingThread.run { writer.run() }
        try await eventually("both files") {
            (try? WaveFile.read("\(self.folder)/tracks/Browser 2.wav").channels[0].count) == 300
        }
        // One of them leaves; the next source of that name goes on in its file, on any lane.
        source.learn([(1, 1, "Browser", 1)])
        source.learn([(1, 1, "Browser", 1), (0, 2, "Browser", 1)])
        source.put(100, at: 400, lane: 0, stream: 2, counting)
        source.put(100, at: 400, lane: 1) { frame, _ in -self.counting(frame, 0) }
        source.end()
        _ = try await recording
        assertSamples(try channels("Browser")[0], equal: expected([0..<300, 400..<500], count: 500))
        assertSamples(try channels("Browser 2")[0], equal: expected([0..<300, 400..<500], count: 500).map { 0 - $0 })
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/tracks").count, 2)
    }

    /// The channels of a mono source are linked one after the other, and that it is mono is known a little later.
    func testAMonoSourceIsAMonoFileFromItsFirstFrameOn() async throws {
        for linked in 0..<2 {
            let name = "Mono \(linked)"
            let source = try WriterSource(channels: 2, folder: "\(folder)/tracks-\(linked)")
            source.learn([(0, 1, name, 1)])
            source.put(100, at: 0, channels: 2) { frame, channel in channel == linked ? self.counting(frame, 0) : 0 }
            source.put(100, at: 100, channels: 2) { frame, _ in self.counting(frame, 0) }
            source.put(100, at: 200, channels: 1, counting)
            source.end()
            _ = source.writer.run()
            let file = try WaveFile.read("\(folder)/tracks-\(linked)/\(name).wav")
            XCTAssertEqual(file.channels.count, 1)
            assertSamples(file.channels[0], equal: expected([0..<300], count: 300))
        }
    }

    func testASourceThatIsMonoNoLongerLosesNothing() async throws {
        let source = try WriterSource(channels: 2, folder: "\(folder)/tracks")
        source.learn([(0, 1, "Voice", 1)])
        source.put(100, at: 0, channels: 1, counting)
        let writer = source.writer
        async let recording = BlockingThread.run { writer.run() }
        try await eventually("the first part") {
            (try? WaveFile.read("\(self.folder)/tracks/Voice.wav").channels[0].count) == 100
        }
        source.learn([(0, 1, "Voice", 2)])
        source.put(100, at: 100, channels: 2, counting)
        source.put(100, at: 200, channels: 1, counting)
        source.end()
        _ = try await recording
        assertSamples(try channels("Voice")[0], equal: expected([0..<100], count: 300))
        let stereo = try channels("Voice 2")
        XCTAssertEqual(stereo.count, 2)
        assertSamples(stereo[0], equal: expected([100..<300], count: 300))
        assertSamples(
            stereo[1],
            equal: expected([100..<200], count: 200, channel: 1) + expected([200..<300], count: 300)[200...])
    }

    /// The control side knows fewer and fewer channels of a source's port while that is being removed.
    func testASourceStaysAsWideAsItEverWas() throws {
        let source = try WriterSource(channels: 2, folder: "\(folder)/tracks")
        source.learn([(0, 1, "Voice", 2)])
        source.learn([(0, 1, "Voice", 1)])
        source.learn([])
        XCTAssertEqual(source.names.name(of: .init(lane: 0, number: 1))?.channelCount, 2)
        source.put(100, at: 0, channels: 2, counting)
        source.end()
        _ = source.writer.run()
        XCTAssertEqual(try channels("Voice").count, 2)
    }

    /// Blocks at any place: some are refused, and none traps or makes the writer wait for hours.
    func testNonsenseFromTheGraphEndsInATakeThatCanBePlayed() throws {
        for seed in 0..<40 as Range<UInt64> {
            var numbers = SeededGenerator(seed: seed)
            let name = "Voice \(seed)"
            let source = try WriterSource(
                lanes: 2, channels: 2, folder: "\(folder)/tracks-\(seed)", seconds: seed % 2 == 0 ? nil : 0.01)
            source.learn([(0, 1, name, 2), (1, 1, "Other", 1)])
            source.put(10, at: 0, channels: 2, counting)
            for _ in 0..<60 {
                let extremes = [Int.min, Int.min / 2, -1 << 40, -1 << 20, 1 << 30, 1 << 62, Int.max - 10_000]
                let place =
                    Int.random(in: 0..<10, using: &numbers) == 0
                    ? extremes.randomElement(using: &numbers)! : Int.random(in: -3000...5000, using: &numbers)
                source.put(
                    Int.random(in: 1...40, using: &numbers), at: place, lane: Int.random(in: 0...1, using: &numbers),
                    stream: UInt64.random(in: 1...3, using: &numbers),
                    channels: Int.random(in: 1...2, using: &numbers),
                    missed: Int.random(in: 0...(1 << 40), using: &numbers),
                    isContinuation: Bool.random(using: &numbers)
                ) { _, _ in 0.5 }
            }
            source.end()
            let figures = source.writer.run()
            XCTAssertLessThanOrEqual(figures.frames, 2 * 3600 * 48_000 + 10_000)
            for track in figures.tracks {
                XCTAssertEqual(track.frames, figures.frames)
                XCTAssertNotNil(track.file)
            }
        }
    }

    /// A stereo source on a lane of four channels comes on all four.
    func testASourceWithFewerChannelsThanItsLaneLosesNone() async throws {
        let source = try WriterSource(channels: 4, folder: "\(folder)/tracks")
        source.learn([(0, 1, "Voice", 2)])
        source.put(100, at: 0, channels: 4) { frame, channel in channel < 2 ? counting(frame, channel) : 0 }
        source.end()
        XCTAssertNil(source.writer.run().failure)
        let channels = try channels("Voice")
        XCTAssertEqual(channels.count, 4)
        for channel in 0..<4 {
            assertSamples(
                channels[channel], equal: expected(channel < 2 ? [0..<100] : [], count: 100, channel: channel))
        }
    }

    // MARK: Limits

    func testADurationEndsEverythingAndMakesNoFilesBehindIt() async throws {
        let source = try WriterSource(lanes: 2, folder: "\(folder)/tracks", seconds: 0.01)
        source.learn([(0, 1, "Voice", 1), (1, 1, "Late", 1)])
        source.put(1000, at: 0, counting)
        source.put(1000, at: 480, lane: 1, counting)
        let figures = source.writer.run()
        XCTAssertEqual(figures.frames, 480)
        XCTAssertEqual(figures.tracks.map(\.file), ["Voice.wav"])
        assertSamples(try channels("Voice")[0], equal: expected([0..<480], count: 480))
    }

    func testAJumpOverTheLongestSilenceEndsTheRecording() async throws {
        let source = try WriterSource(folder: "\(folder)/tracks")
        source.learn([(0, 1, "Voice", 1)])
        source.put(100, at: 0, counting)
        source.put(100, at: 2 * 3600 * 48_000 + 101, counting)
        let failure = source.writer.run().failure as? ToolFailure
        XCTAssertTrue(failure?.message.contains("more than 2 hours") == true, "\(failure as Any)")
        assertSamples(try channels("Voice")[0], equal: expected([0..<100], count: 100))
    }
}

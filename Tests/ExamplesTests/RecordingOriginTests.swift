// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

@testable import ToolSupport
@testable import track_recorder

/// What a file says of its origin.
final class RecordingOriginTests: ToolTestCase {
    private let signal = TestSignal(.noise(seed: 4), gain: 0.5)
    /// 2026-11-25 23:50:00.25 UTC.
    private let start = Duration.seconds(1_795_650_600) + .milliseconds(250)

    private func origin(_ title: String, sampleRate: Int = 48_000) -> SoundOrigin {
        SoundOrigin(title: title, originator: "track-recorder", start: start, sampleRate: sampleRate)
    }

    private func write(
        _ path: String, _ format: SampleFormat, as fileFormat: FileFormat, title: String = "Lead", channels: Int = 1
    ) throws -> SoundFileWriter {
        try SoundFileWriter(
            try OutputFile(path: path, replacing: fileFormat), channelCount: channels, sampleRate: 48_000,
            format: format, as: fileFormat, origin: origin(title))
    }

    /// The local time of the test's own process.
    private func local(_ seconds: Int) -> (date: String, time: String, sinceMidnight: Int) {
        var seconds = seconds
        var time = unsafe tm()
        unsafe localtime_r(&seconds, &time)
        func text(_ format: String) -> String {
            var buffer = [CChar](repeating: 0, count: 32)
            let count = unsafe strftime(&buffer, buffer.count, format, &time)
            return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        let sinceMidnight = unsafe (Int(time.tm_hour) * 60 + Int(time.tm_min)) * 60 + Int(time.tm_sec)
        return (text("%Y-%m-%d"), text("%H:%M:%S"), sinceMidnight)
    }

    func testTheChunkIsThereAndTheFileCanBePlayedAfterEveryWrite() throws {
        for fileFormat in [FileFormat.wav, .rf64] {
            for format in SampleFormat.allCases {
                let path = "\(folder)/\(fileFormat)-\(format).wav"
                var file = try write(path, format, as: fileFormat)
                var count = 0
                for more in [1, 1000, 7] {
                    try file.write(signal.samples(count: more)[...])
                    try file.writeSilence(frames: 3)
                    count += more + 3
                    XCTAssertEqual(try WaveFile.read(path).channels[0].count, count)
                    try file.suspend()
                    XCTAssertTrue(try file.resume())
                }
                try file.close()
                XCTAssertEqual(try WaveFile.read(path).channels[0].count, count)
                let chunk = try XCTUnwrap(BroadcastWave(path))
                let expected = local(1_795_650_600)
                XCTAssertEqual(chunk.description, "Lead")
                XCTAssertEqual(chunk.originator, "track-recorder")
                XCTAssertEqual(chunk.date, expected.date)
                XCTAssertEqual(chunk.time, expected.time)
                XCTAssertEqual(chunk.timeReference, expected.sinceMidnight * 48_000 + 12_000)
            }
        }
    }

    /// Mostly a hole. The header changes from RIFF to RF64, and the sound stays in its place.
    func testTheChunkStaysBeyondFourGibibytes() throws {
        let path = "\(folder)/long.wav"
        var file = try write(path, .float32, as: .wav, channels: 8)
        let sound = signal.samples(count: 80)
        try file.write(sound[...])
        let before = try XCTUnwrap(BroadcastWave(path))
        try file.writeSilence(frames: 3600 * 48_000)
        try file.close()
        XCTAssertEqual(try BroadcastWave(path)?.timeReference, before.timeReference)
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let head = [UInt8](try handle.read(upToCount: 4096) ?? Data())
        XCTAssertEqual(String(decoding: head[..<4], as: UTF8.self), "RF64")
        let place = try XCTUnwrap((12..<4000).first { Array("data".utf8) == Array(head[$0..<$0 + 4]) }) + 8
        let bytes = sound.flatMap { sample in (0..<4).map { UInt8(sample.bitPattern >> (8 * $0) & 0xFF) } }
        XCTAssertEqual(Array(head[place..<place + 320]), bytes)
    }

    func testTitlesThatAreTooLongOrNotForTerminals() throws {
        for (title, expected) in [
            (String(repeating: "x", count: 300), String(repeating: "x", count: 255)),
            (String(repeating: "ä", count: 300), String(repeating: "ä", count: 127)), ("a\u{1B}b", "a\u{FFFD}b"),
            ("", ""),
        ] {
            let path = "\(folder)/take.wav"
            try? FileManager.default.removeItem(atPath: path)
            try write(path, .int16, as: .wav, title: title).close()
            XCTAssertEqual(try BroadcastWave(path)?.description, expected)
        }
    }

    func testAFLACFileHasComments() throws {
        let path = "\(folder)/take.flac"
        var file = try write(path, .int24, as: .flac)
        try file.write(signal.samples(count: 10_000)[...])
        try file.close()
        XCTAssertEqual(try AudioClip(contentsOf: path).frameCount, 10_000)
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)).prefix(4096), as: UTF8.self)
        let expected = local(1_795_650_600)
        XCTAssertTrue(text.contains("=\(expected.date)T\(expected.time)"))
        XCTAssertTrue(text.contains("=Lead"))
    }

    /// All files of a recording say the same time, which lies between its connection and its end, in the recorder's time zone.
    func testAllFilesOfARecordingSayWhenItBegan() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        // The zone's name and hours as in POSIX: ten hours east of Greenwich, where a day begins earlier.
        let tool = try start(
            "track-recorder", ["--separate", "--output", "\(folder)/take", "--from", "Lead", "--from", "Pad"],
            at: daemon.environment(), adding: ["TZ": "TEST-10"])
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        let begin = time(nil)
        for name in ["Lead", "Pad"] {
            let app = try await connectClient(to: daemon.remote, as: name)
            _ = try await app.source(of: .counting, channels: .mono)
            try await eventually("its file") {
                ((try? WaveFile.read("\(self.folder)/take/\(name) out.wav").channels[0].count) ?? 0) > 0
            }
        }
        let end = time(nil)
        tool.signal(SIGINT)
        _ = try await figures(of: tool)
        let lead = try XCTUnwrap(BroadcastWave("\(folder)/take/Lead out.wav"))
        let pad = try XCTUnwrap(BroadcastWave("\(folder)/take/Pad out.wav"))
        XCTAssertEqual(lead.description, "Lead out")
        XCTAssertEqual(pad.description, "Pad out")
        XCTAssertEqual(lead.timeReference, pad.timeReference)
        XCTAssertEqual(lead.time, pad.time)
        let rate = try WaveFile.read("\(folder)/take/Lead out.wav").sampleRate
        let second = lead.timeReference / rate
        // A second more at both ends, for the rounding and for sound that is older than its connection.
        let possible = Set((begin - 1...end + 1).map { ($0 + 36_000) % 86_400 })
        XCTAssertTrue(possible.contains(second), "\(second) is not in \(possible)")
        XCTAssertEqual(lead.time.split(separator: ":").compactMap { Int($0) }.reduce(0) { $0 * 60 + $1 }, second)
    }

    /// The time of a block says that of the first frame, which came before.
    func testTheFirstFrameIsAsMuchOlderAsItsPlaceSays() {
        var block = CapturedBlock(stream: 1, position: 48_000 * 3, frameCount: 1, channelCount: 1)
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        block.nanoseconds = UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
        func reference(_ start: Int64) -> Int {
            Int(RecordingOrigin(start: start, block, sampleRate: 48_000).of("x").timeReference)
        }
        // The clocks are read one after the other, and the test may be held up in between; and midnight may pass.
        let day = 86_400 * 48_000
        let difference = (reference(48_000 * 3) - reference(0) + day) % day
        XCTAssertEqual(Double(difference), 144_000, accuracy: 24_000)
        for place in [Int64.min, .max, 1 << 62] { XCTAssertGreaterThanOrEqual(reference(place), 0) }
        block.nanoseconds = .max
        XCTAssertGreaterThanOrEqual(reference(0), 0)
    }
}

// SPDX-License-Identifier: MIT
import Foundation
import XCTest

@testable import PipeBusActions
@testable import reverse_audio

/// Two hours of eight channels at 96 kHz, in a file with a hole.
final class LongSoundTests: XCTestCase {
    private static let frameCount = 2 * 3_600 * 96_000
    private static let frameSize = 8 * 4

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// By EBU Tech 3306.
    private static func rf64() -> MemoryFile {
        let size = frameCount * frameSize
        let head =
            Array("RF64".utf8) + number(0xFFFF_FFFF, 4) + Array("WAVEds64".utf8) + number(28, 4) + number(size + 72, 8)
            + number(size, 8) + number(frameCount, 8) + number(0, 4) + Array("fmt ".utf8) + number(16, 4) + number(3, 2)
            + number(8, 2) + number(96_000, 4) + number(96_000 * frameSize, 4) + number(frameSize, 2) + number(32, 2)
            + Array("data".utf8) + number(0xFFFF_FFFF, 4)
        let file = MemoryFile()
        file.put(head, at: 0)
        file.size = head.count + size
        // Frames that say which they are.
        for frame in [0, 1, frameCount / 2, frameCount - 1] {
            let samples = (0..<8).flatMap { number(Int(Float(frame % 1_000_003 * 8 + $0).bitPattern), 4) }
            file.put(samples, at: head.count + frame * frameSize)
        }
        return file
    }

    /// The largest resident memory so far, in bytes.
    private static var peakMemory: Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }

    func testMemoryIsBounded() throws {
        let file = Self.rf64()
        let before = Self.peakMemory
        let input = try SoundInput(descriptor: file.descriptor, name: "concert.wav")
        XCTAssertEqual(input.format.container, .rf64)
        XCTAssertEqual(try input.frameCount, Self.frameCount)
        for frame in [Self.frameCount - 1, 0, Self.frameCount / 2, 1] {
            try input.seek(to: frame)
            XCTAssertEqual(
                try input.read(upTo: 1).samples, (0..<8).map { Double(frame % 1_000_003 * 8 + $0) }, "frame \(frame)")
        }
        // All of it at once would be 44 GB.
        try input.seek(to: 0)
        XCTAssertThrowsError(try input.read(upTo: .max)) { error in
            XCTAssertEqual((error as? SoundError)?.code, .invalidArgument)
        }
        for place in 0..<40 {
            try input.seek(to: place * (Self.frameCount / 40))
            XCTAssertEqual(try input.read(upTo: input.blockFrameCount).frameCount, 1 << 15)
        }
        XCTAssertEqual(input.blockFrameCount, 1 << 15)
        XCTAssertLessThan(Self.peakMemory - before, 64 << 20)
    }

    func testTheResultIsALongFile() throws {
        let file = Self.rf64()
        let input = try SoundInput(descriptor: file.descriptor, name: "concert.wav")
        XCTAssertEqual(input.resultFormat, SoundFormat(.rf64, .float32))
        // One that is unknown in length, and stays short, is a plain WAV file in the end.
        for (expected, container, head) in [
            (nil, SoundContainer.rf64, "RIFF"), (Self.frameCount, .rf64, "RIFF"), (1_000, .wav, "RIFF"),
        ] {
            let result = MemoryFile()
            let output = try SoundOutput(
                descriptor: result.descriptor, name: "result", format: SoundFormat(.wav, .float32), channelCount: 8,
                sampleRate: 96_000, expectedFrameCount: expected)
            XCTAssertEqual(output.format.container, container)
            try output.write(try input.read(upTo: 2))
            try output.finish()
            XCTAssertEqual(String(decoding: result.bytes[..<4], as: UTF8.self), head)
            XCTAssertEqual(try SoundInput(descriptor: result.descriptor, name: "result").frameCount, 2)
            try input.seek(to: 0)
        }
    }

    func testAFileThatWouldBeTooLong() throws {
        let file = MemoryFile()
        let output = try SoundOutput(
            descriptor: file.descriptor, name: "result", format: SoundFormat(.voc, .uint8), channelCount: 1,
            sampleRate: 8_000)
        let block = SoundBlock(samples: [Double](repeating: 0, count: 0x100_0000), channelCount: 1)
        XCTAssertThrowsError(try output.write(block)) {
            XCTAssertEqual(($0 as? SoundError)?.code, .notRepresentable)
            XCTAssert("\($0)".contains("16777151 frames at most"), "\($0)")
        }
        XCTAssertThrowsError(try output.finish())
    }
}

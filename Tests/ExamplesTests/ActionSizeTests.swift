// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Sounds of any length in constant memory.
final class ActionSizeTests: ActionTestCase {
    /// Writes an RF64 file that has holes for samples, but for those at its ends.
    private func writeLongSound(_ path: String, frameCount: Int, channelCount: Int) throws {
        func bytes(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let size = frameCount * channelCount * 3
        var head = Array("RF64".utf8) + bytes(0xFFFF_FFFF, 4) + Array("WAVEds64".utf8) + bytes(28, 4)
        head += bytes(size + 72, 8) + bytes(size, 8) + bytes(frameCount, 8) + bytes(0, 4)
        head += Array("fmt ".utf8) + bytes(16, 4) + bytes(1, 2) + bytes(channelCount, 2) + bytes(96_000, 4)
        head += bytes(96_000 * channelCount * 3, 4) + bytes(channelCount * 3, 2) + bytes(24, 2)
        head += Array("data".utf8) + bytes(0xFFFF_FFFF, 4)
        let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: path))
        try file.write(contentsOf: head + [1, 2, 3])
        try file.truncate(atOffset: UInt64(head.count + size))
        try file.seek(toOffset: UInt64(head.count + size - 3))
        try file.write(contentsOf: [4, 5, 6])
        try file.close()
    }

    /// The largest number of kilobytes that a process has had, as GNU time writes it.
    private func peak(of errors: String) throws -> Int {
        try XCTUnwrap(errors.split(separator: "\n").last.flatMap { Int($0) }, errors)
    }

    /// The same memory for a sound that is 64 times as long. Two hours of it are ``testTwoHours()``.
    func testMemoryDoesNotGrowWithTheLength() async throws {
        let session = try await actionSession()
        var peaks: [Int] = []
        for frameCount in [20_000, 1_280_000] {
            let path = "\(sounds)/\(frameCount).wav"
            try Data().write(to: URL(fileURLWithPath: path))
            try writeLongSound(path, frameCount: frameCount, channelCount: 8)
            let process = try start(
                "reverse-audio", [path, "\(sounds)/out.wav", "--force"], at: session.environment,
                through: ["/usr/bin/time", "-f", "%M"])
            let ending = try await process.waitForEnd(within: .seconds(300))
            XCTAssertEqual(ending, .exited(0), process.errors.text)
            peaks.append(try peak(of: process.errors.text))
            let out = try content("\(sounds)/out.wav")
            XCTAssertGreaterThan(out.count, frameCount * 24)
            XCTAssertEqual(Array(out.suffix(24)), [1, 2, 3] + [UInt8](repeating: 0, count: 21))
        }
        // Blocks of 2 MiB, whatever the length; the file has 30 MB.
        XCTAssertLessThan(peaks[1] - peaks[0], 12_000, "\(peaks)")
    }

    /// Two hours of 8 channels at 96 kHz, in 24 bits: 16.6 GB. It takes many minutes, and the room.
    func testTwoHours() async throws {
        try XCTSkipUnless(
            ProcessInfo.processInfo.environment["PIPEBUS_LONG"] != nil, "PIPEBUS_LONG is not set, and it takes long")
        let session = try await actionSession()
        let path = "\(sounds)/long.wav"
        try Data().write(to: URL(fileURLWithPath: path))
        let frameCount = 2 * 3600 * 96_000
        try writeLongSound(path, frameCount: frameCount, channelCount: 8)
        let start = ContinuousClock.now
        let process = try self.start(
            "reverse-audio", [path, "\(sounds)/out.wav"], at: session.environment,
            through: ["/usr/bin/time", "-f", "%M"])
        let ending = try await process.waitForEnd(within: .seconds(7200))
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        print("two hours: \(try peak(of: process.errors.text)) kB at most, \(start.duration(to: .now))")
        let size = try FileManager.default.attributesOfItem(atPath: "\(sounds)/out.wav")[.size] as? Int ?? 0
        XCTAssertGreaterThan(size, frameCount * 24)
        let file = try XCTUnwrap(FileHandle(forReadingAtPath: "\(sounds)/out.wav"))
        try file.seek(toOffset: UInt64(size - 24))
        XCTAssertEqual(try file.read(upToCount: 3).map(Array.init), [1, 2, 3])
        try await assertNothingTemporary()
    }
}

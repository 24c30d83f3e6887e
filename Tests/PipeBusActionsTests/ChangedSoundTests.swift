// SPDX-License-Identifier: MIT
import Foundation
import SeededRandom
import XCTest

@testable import PipeBusActions

/// Other processes may do anything to a file while it is read.
final class ChangedSoundTests: XCTestCase {
    private let frameCount = 50_000

    private func file(_ format: SoundFormat) throws -> MemoryFile {
        var random = SeededGenerator(seed: 1)
        let file = try XCTUnwrap(
            SoundFiles.write(SoundFiles.samples(frameCount, for: format, &random), format, channelCount: 1))
        setLastChange(of: file, to: 1_000_000_000)
        return file
    }

    /// A time that differs from the present: the clock of a file system may stand still for some milliseconds.
    private func setLastChange(of file: MemoryFile, to seconds: Int) {
        let time = timespec(tv_sec: seconds, tv_nsec: 0)
        XCTAssertEqual(unsafe futimens(file.descriptor, [time, time]), 0)
    }

    private func assertChanged(_ work: @autoclosure () throws -> some Any, _ what: String) {
        XCTAssertThrowsError(try work(), what) {
            XCTAssertEqual(($0 as? SoundError)?.code, .changed, "\(what): \($0)")
        }
    }

    private let changes: [(name: String, make: (MemoryFile) -> Void)] = [
        ("grown", { $0.put([1, 2, 3], at: $0.size) }),
        ("cut off", { $0.size = $0.size / 2 }),
        ("emptied", { $0.size = 0 }),
        ("overwritten", { $0.put([1, 2, 3], at: $0.size / 3) }),
    ]

    func testAChangeIsAnError() throws {
        for format in [
            SoundFormat(.wav, .int16), SoundFormat(.aiff, .float64), SoundFormat(.flac, .int24),
            SoundFormat(.ogg, .vorbis),
        ] {
            for change in changes {
                let file = try file(format)
                let input = try SoundInput(descriptor: file.descriptor, name: "take")
                XCTAssertFalse(try input.read(upTo: 100).isEmpty)
                change.make(file)
                assertChanged(try input.read(upTo: 100), "\(format), \(change.name)")
                // For a fixed size it was counted at the start, and a place is gone to without a read.
                if !format.hasFixedSize { assertChanged(try input.frameCount, "\(format), \(change.name)") }
            }
        }
    }

    /// What was decoded once does not need the file.
    func testADecodedFileIsReadAsItWas() throws {
        let file = try file(SoundFormat(.flac, .int16))
        let decoded = try XCTUnwrap(SoundFiles.decode(file))
        let input = try SoundInput(descriptor: file.descriptor, name: "take")
        XCTAssertEqual(try input.frameCount, frameCount)
        file.size = 0
        XCTAssertEqual(try input.read(upTo: frameCount).samples, decoded)
    }

    func testThePositionOfASharedDescriptorDoesNotMatter() throws {
        let file = try file(SoundFormat(.wav, .int16))
        let decoded = try XCTUnwrap(SoundFiles.decode(file))
        lseek(file.descriptor, 77, SEEK_SET)
        let input = try SoundInput(descriptor: file.descriptor, name: "take")
        let first = try input.read(upTo: 1_000)
        lseek(file.descriptor, 4_321, SEEK_SET)
        let second = try input.read(upTo: 1_000)
        XCTAssertEqual(first.samples + second.samples, Array(decoded[..<2_000]))
        XCTAssertEqual(lseek(file.descriptor, 0, SEEK_CUR), 4_321)
    }

    func testTheDescriptorMayBeClosed() throws {
        let file = try file(SoundFormat(.wav, .int16))
        let other = dup(file.descriptor)
        let input = try SoundInput(descriptor: other, name: "take")
        close(other)
        XCTAssertEqual(try input.read(upTo: 10).frameCount, 10)
    }
}

extension SoundFormat {
    fileprivate var hasFixedSize: Bool { encoding.byteCount != nil && container != .flac }
}

// SPDX-License-Identifier: MIT
import Foundation
import XCTest

@testable import PipeBusActions

/// No room: one sentence, and nothing traps.
final class FullDiskTests: XCTestCase {
    private func write(to descriptor: Int32, _ format: SoundFormat) throws {
        let output = try SoundOutput(
            descriptor: descriptor, name: "result", format: format, channelCount: 2, sampleRate: 48_000)
        // No encoder makes much less of it.
        var generator = SystemRandomNumberGenerator()
        let block = SoundBlock(
            samples: (0..<20_000).map { _ in .random(in: -1...1, using: &generator) }, channelCount: 2)
        for _ in 0..<30 { try output.write(block) }
        try output.finish()
    }

    private func assertFull(_ descriptor: Int32, _ words: String) {
        for format in [
            SoundFormat(.wav, .int16), SoundFormat(.flac, .int24), SoundFormat(.w64, .float64),
            SoundFormat(.aiff, .int24),
            SoundFormat(.caf, .int32), SoundFormat(.au, .int16), SoundFormat(.ogg, .vorbis),
        ] {
            XCTAssertThrowsError(try write(to: descriptor, format), "\(format)") {
                XCTAssertEqual(($0 as? SoundError)?.code, .noSpace, "\(format): \($0)")
                XCTAssert("\($0)".contains(words), "\(format): \($0)")
            }
        }
    }

    func testTheLargestSizeOfAFile() {
        // Without this the signal ends the process.
        let before = signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(1), &limit)
        var lower = limit
        lower.rlim_cur = 50_000
        let file = MemoryFile()
        XCTAssertEqual(unsafe setrlimit(__rlimit_resource_t(1), &lower), 0)
        assertFull(file.descriptor, "larger than a file may be")
        XCTAssertEqual(unsafe setrlimit(__rlimit_resource_t(1), &limit), 0)
        signal(SIGXFSZ, before)
    }

    func testAFullFileSystem() throws {
        let folder = NSTemporaryDirectory() + "pipebus-full-\(UInt64.random(in: 0 ... .max))"
        XCTAssertEqual(unsafe mkdir(folder, 0o700), 0)
        defer { unsafe rmdir(folder) }
        guard unsafe mount("tmpfs", folder, "tmpfs", 0, "size=65536") == 0 else {
            throw XCTSkip("only root can make a small file system")
        }
        defer { unsafe umount2(folder, 0) }
        do {
            let file = unsafe open(folder + "/result", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(file) }
            assertFull(file, "The disk is full")
            ftruncate(file, 0)
        }
        // The same for the samples of a compressed file.
        var random = SystemRandomNumberGenerator()
        let samples = (0..<100_000).map { _ in Int32.random(in: .min ... .max, using: &random) }
        let flac = try XCTUnwrap(
            SoundFiles.write(.integers(samples), SoundFormat(.flac, .int16), channelCount: 1))
        let input = try SoundInput(descriptor: flac.descriptor, name: "take")
        let before = ProcessInfo.processInfo.environment["TMPDIR"]
        unsafe setenv("TMPDIR", folder, 1)
        defer { if let before { unsafe setenv("TMPDIR", before, 1) } else { unsafe unsetenv("TMPDIR") } }
        XCTAssertThrowsError(try input.frameCount) {
            XCTAssertEqual(($0 as? SoundError)?.code, .noSpace)
            XCTAssert("\($0)".contains("the decoded sound of take in \(folder)"), "\($0)")
        }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), ["result"])
    }

    func testNoFolderForTheTemporaryFile() throws {
        let flac = try XCTUnwrap(
            SoundFiles.write(.integers([1 << 16, 2 << 16]), SoundFormat(.flac, .int16), channelCount: 1))
        let before = ProcessInfo.processInfo.environment["TMPDIR"]
        unsafe setenv("TMPDIR", "/nowhere/at/all", 1)
        defer { if let before { unsafe setenv("TMPDIR", before, 1) } else { unsafe unsetenv("TMPDIR") } }
        XCTAssertThrowsError(try SoundInput(descriptor: flac.descriptor, name: "take").frameCount) {
            XCTAssertEqual(($0 as? SoundError)?.code, .unwritable)
            XCTAssert("\($0)".hasPrefix("take needs a temporary file."), "\($0)")
            XCTAssert("\($0)".contains("let the variable TMPDIR name a folder that is there"), "\($0)")
        }
    }

    func testDescriptorsThatCannotBeWritten() throws {
        let format = SoundFormat(.wav, .int16)
        let zero = unsafe open("/dev/null", O_RDWR)
        defer { close(zero) }
        let folder = unsafe open("/", O_RDONLY)
        defer { close(folder) }
        let file = MemoryFile()
        let readOnly = unsafe open("/proc/self/fd/\(file.descriptor)", O_RDONLY)
        defer { close(readOnly) }
        for descriptor in [-1, zero, folder, readOnly] {
            XCTAssertThrowsError(try write(to: descriptor, format)) {
                XCTAssertEqual(($0 as? SoundError)?.code, .unwritable, "\($0)")
            }
        }
    }
}

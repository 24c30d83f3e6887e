// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `track-recorder --separate`: where it may put its files.
final class RecordingFolderTests: ToolTestCase {
    func testFoldersThatCannotBeUsedAreRefused() async throws {
        let daemon = try await startDaemon()
        func refused(_ path: String, _ words: String) async throws {
            try await assertOneSentence(
                start("track-recorder", ["--separate", "--output", path], at: daemon.environment()),
                from: "track-recorder", status: 1, saying: words)
        }
        let full = "\(folder)/full"
        try FileManager.default.createDirectory(atPath: full, withIntermediateDirectories: false)
        try "precious".write(toFile: "\(full)/Take.WAV", atomically: false, encoding: .utf8)
        try await refused(full, "Take.WAV")
        XCTAssertEqual(try String(contentsOfFile: "\(full)/Take.WAV", encoding: .utf8), "precious")
        try "text".write(toFile: "\(folder)/file", atomically: false, encoding: .utf8)
        try await refused("\(folder)/file", "it is a file")
        try await refused("\(folder)/none/new", "No such file")
        try await refused("\(folder)/\(String(repeating: "x", count: 300))", "File name too long")
        try await refused("/proc/self", "takes no new files")
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: full), ["Take.WAV"])
    }

    func testWithoutSoundAFolderStaysAsItWas() async throws {
        let daemon = try await startDaemon()
        for wasThere in [false, true] {
            let path = "\(folder)/tracks"
            if wasThere {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                try "text".write(toFile: "\(path)/notes.txt", atomically: false, encoding: .utf8)
            }
            let tool = try start("track-recorder", ["--separate", "--output", path], at: daemon.environment())
            try await tool.nextLine { $0 == "port=Recorder.in" }
            tool.signal(SIGTERM)
            let figures = try await figures(of: tool)
            XCTAssertEqual(figures["frames"], "0")
            XCTAssertEqual(figures["files"], "0")
            let contents = try? FileManager.default.contentsOfDirectory(atPath: path)
            XCTAssertEqual(contents, wasThere ? ["notes.txt"] : nil)
        }
    }

    func testAFileThatTurnsUpMeanwhileIsNotTouched() async throws {
        let bench = try await startBench()
        try "precious".write(toFile: "\(bench.path)/Test plain.wav", atomically: false, encoding: .utf8)
        try await bench.connect(try await bench.addSource("plain"))
        try await bench.stepper.step(1024)
        bench.tool.signal(SIGINT)
        _ = try await figures(of: bench.tool)
        XCTAssertEqual(try String(contentsOfFile: "\(bench.path)/Test plain.wav", encoding: .utf8), "precious")
        XCTAssertEqual(try WaveFile.read("\(bench.path)/Test plain 2.wav").channels[0].count, 1024)
    }
}

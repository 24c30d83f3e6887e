// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

final class HelpTests: ToolTestCase {
    func testEveryToolExplainsItselfWithoutADaemon() async throws {
        let options = [
            "tone-sender": [
                "--name", "--title", "--frequency", "--file", "--loop", "--gain", "--latency", "--duration", "--remote",
            ],
            "echo-filter": ["--name", "--delay", "--feedback", "--dry", "--channels", "--remote"],
            "track-recorder": [
                "--name", "--from", "--separate", "--lanes", "--immediate", "--bits", "--rate", "--format", "--output",
                "--duration", "--armed", "`record`",
                "--remote",
            ],
            "looper": ["--name", "--length", "--remote"],
            "spectrum": ["--name", "--duration", "--remote"],
            "streaming-player": ["--name", "--rate", "--channels", "--sample", "--remote"],
            "track-mixer": ["--name", "--levels", "volume 1 0.5", "--remote"],
            "pipebus": ["list", "graph", "connect", "disconnect", "watch", "demo", "daemon", "render", "completion"],
        ]
        for (tool, names) in options {
            let process = try start(tool, ["--help"])
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(0))
            XCTAssertEqual(process.errors.text, "")
            for name in names {
                XCTAssertTrue(process.output.text.contains(name), "\(tool) does not explain \(name)")
            }
        }
    }

    func testEveryCommandOfThePatchbayExplainsItself() async throws {
        for command in ["list", "graph", "connect", "disconnect", "watch", "demo"] {
            for arguments in [[command, "--help"], ["help", command]] {
                let process = try start("pipebus", arguments)
                let ending = try await process.waitForEnd()
                XCTAssertEqual(ending, .exited(0))
                XCTAssertTrue(process.output.text.contains("--remote"), process.output.text)
            }
        }
        for arguments in [[], ["help"]] {
            let process = try start("pipebus", arguments)
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(0))
            XCTAssertTrue(process.output.text.contains("disconnect"), process.output.text)
        }
    }

    /// The ranges that the tool checks, and that it takes one of two things.
    func testToneSenderExplainsWhatItTakes() async throws {
        let process = try start("tone-sender", ["--help"])
        try await process.waitForEnd()
        let text = process.output.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for words in [
            "tone-sender --frequency <hz> [options] tone-sender --file <sound> [--loop] [options]", "1 to 96000",
            "-120 to 24; by default -12 for a tone and 0 for a file", "0 to 1048576", "0.001 to 604800",
            "Either this or --file is needed, and not both", "Either this or --frequency is needed, and not both",
        ] {
            XCTAssertTrue(text.contains(words), "\"\(words)\" is not in: \(text)")
        }
    }

    func testEveryToolHasTheVersionOfThePackage() async throws {
        for tool in [
            "tone-sender", "echo-filter", "looper", "spectrum", "streaming-player", "track-recorder", "track-mixer",
            "voice-synth", "reverse-audio", "normalize-loudness", "pipebus",
        ] {
            let process = try start(tool, ["--version"])
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(0), process.errors.text)
            XCTAssertEqual(process.output.lines, [ToolVersion.number])
        }
        // The newest heading of the changelog.
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../CHANGELOG.md"
        let changes = try String(contentsOfFile: path, encoding: .utf8)
        let heading = try XCTUnwrap(changes.split(separator: "\n").first { $0.hasPrefix("## ") })
        if heading == "## Unreleased" {
            XCTAssertTrue(ToolVersion.number.hasSuffix("-dev"))
        } else {
            XCTAssertTrue(heading.hasPrefix("## \(ToolVersion.number)"), "\(heading)")
        }
    }

    func testOutputThatCannotBeWrittenIsNoSuccess() async throws {
        let tool = Programs.path(of: "pipebus")
        let process = try start("pipebus", [], through: ["/bin/sh", "-c", "exec \(tool) --help > /dev/full", "sh"])
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: "No space left on device")
    }
}

// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus quit` of an app that is stopped.
final class QuitCommandTests: ToolTestCase {
    private func stoppedTone(at daemon: HeadlessPipeWire) async throws -> ChildProcess {
        let bus = try await connectClient(to: daemon.remote)
        let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
        try await waitForPort("Tone.out", of: tone, seenBy: bus)
        tone.signal(SIGSTOP)
        return tone
    }

    func testByForceItGoesOnToEnd() async throws {
        let daemon = try await startDaemon()
        let tone = try await stoppedTone(at: daemon)
        let quit = try start("pipebus", ["quit", "Tone", "--force"], at: daemon.environment())
        let ending = try await quit.waitForEnd()
        XCTAssertEqual(ending, .exited(0), quit.errors.text)
        XCTAssertEqual(quit.output.text, "ended=Tone")
        // As at any other SIGTERM, not by SIGKILL.
        let toneEnding = try await tone.waitForEnd()
        XCTAssertNotEqual(toneEnding, .killed(signal: SIGKILL))
    }

    func testASignalDoesNotTakeTheRequestBack() async throws {
        let daemon = try await startDaemon()
        let tone = try await stoppedTone(at: daemon)
        let quit = try start("pipebus", ["quit", "Tone", "--timeout", "60"], at: daemon.environment())
        // A patchbay has no port, so the graph does not show it.
        try await eventually("its handler") {
            let status = try String(contentsOfFile: "/proc/\(quit.pid)/status", encoding: .utf8)
            let caught = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }?.split(separator: "\t").last
            return caught.flatMap { UInt64($0, radix: 16) }.map { $0 & 1 << (SIGINT - 1) != 0 } ?? false
        }
        quit.signal(SIGINT)
        try await quit.waitForEnd()
        XCTAssertTrue(quit.errors.text.contains("Tone has the request to end, and may still do so."), quit.errors.text)
        tone.signal(SIGCONT)
    }
}

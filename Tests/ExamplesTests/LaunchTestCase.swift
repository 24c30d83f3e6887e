// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The base of tests of `pipebus launch`, on apps in processes of their own, on a session bus of their own.
class LaunchTestCase: ToolTestCase {
    static let id = "org.example.synth"

    func session(at daemon: HeadlessPipeWire) async throws -> DesktopSession {
        let session = try await DesktopSession.start(in: folder, daemon: daemon.environment())
        addTeardownBlock { try await session.close([Self.id]) }
        return session
    }

    func launch(
        _ arguments: [String], in session: DesktopSession, through wrapper: [String] = []
    ) throws -> ChildProcess {
        try start("pipebus", ["launch"] + arguments, at: session.environment, through: wrapper)
    }

    func assertLaunched(
        _ arguments: [String], in session: DesktopSession, through wrapper: [String] = [], line: UInt = #line
    ) async throws {
        let process = try launch(arguments, in: session, through: wrapper)
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), process.errors.text, line: line)
        XCTAssertTrue(process.output.text.hasPrefix("port="), process.output.text, line: line)
    }

    func assertFailure(
        _ arguments: [String], in session: DesktopSession, saying words: String, line: UInt = #line
    ) async throws {
        let process = try launch(arguments, in: session)
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: words)
    }
}

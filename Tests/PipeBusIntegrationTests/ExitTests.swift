// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Processes that end without closing their client while their audio runs, and host apps with signal handlers of their
/// own: nothing crashes, and nothing stays in the graph.
final class ExitTests: DaemonTestCase {
    func testExit() async throws { try await check("exit", endsWith: .exited(3), times: 10) }
    func testTheReturnFromMain() async throws { try await check("returns", endsWith: .exited(0), times: 10) }
    func testAbort() async throws { try await check("abort", endsWith: .killed(signal: SIGABRT), times: 2) }
    func testAnotherProgramInThisProcess() async throws {
        try await check("exec", endsWith: .killed(signal: SIGKILL), times: 2)
    }

    func testExitWith14() async throws {
        let newer = try PipeWireInstallation.newer()
        try await check("exit", endsWith: .exited(3), times: 10, installation: newer)
        try await check("returns", endsWith: .exited(0), times: 10, installation: newer)
    }

    func testAHandlerThatWasThereBeforeIsCalledAndComesBack() async throws {
        let process = try await check("handlerBefore", endsWith: .exited(4)) { $0.signal(SIGINT) }
        XCTAssertEqual(
            process.output.lines,
            ["ready", "handled", "The app was asked to end (SIGINT).", "handler installed"])
    }

    func testAHandlerThatIsInstalledLaterStays() async throws {
        let process = try await check("handlerAfter", endsWith: .exited(4)) { process in
            process.signal(SIGINT)
            _ = try await process.nextLine { $0 == "handled" }
            process.signal(SIGTERM)
        }
        XCTAssertEqual(
            process.output.lines,
            ["ready", "handled", "The app was asked to end (SIGTERM).", "handler installed"])
    }

    func testAHandlerThatCallsTheOneBeforeIt() async throws {
        let process = try await check("chainedHandler", endsWith: .exited(4)) { $0.signal(SIGINT) }
        XCTAssertEqual(
            process.output.lines,
            ["ready", "handled", "The app was asked to end (SIGINT).", "handler installed"])
    }

    /// - Parameter body: what is done to the process once its audio runs.
    /// - Returns: the last process.
    @discardableResult
    private func check(
        _ way: String, endsWith expected: ChildProcess.Ending, times: Int = 1,
        installation: PipeWireInstallation = .chosen, _ body: (ChildProcess) async throws -> Void = { _ in },
        line: UInt = #line
    ) async throws -> ChildProcess {
        let daemon = try await startDaemon(installation: installation)
        let before = try await GraphDump.take(daemon).inventory
        var last: ChildProcess?
        for _ in 0..<times {
            let process = try ChildProcess(
                Programs.path(of: "exit-host"), [way], environment: daemon.environment(client: installation))
            _ = try await process.nextLine { $0 == "ready" }
            try await body(process)
            if way == "exec" {
                // Before the end: the other program must have nothing of the client.
                try await assertEmpty(daemon, before, line: line)
                process.signal(SIGKILL)
            }
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, expected, process.errors.text, line: line)
            try await assertEmpty(daemon, before, line: line)
            last = process
        }
        return try XCTUnwrap(last)
    }

    private func assertEmpty(_ daemon: HeadlessPipeWire, _ before: Set<String>, line: UInt) async throws {
        try await eventually("the graph to be as before") {
            try await GraphDump.take(daemon).inventory == before
        }
    }
}

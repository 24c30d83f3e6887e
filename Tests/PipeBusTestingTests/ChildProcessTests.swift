// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTestSupport
import PipeBusTesting
import XCTest

final class ChildProcessTests: BusTestCase {
    func testLinesOfBothStreamsArrive() async throws {
        let process = try ChildProcess("/bin/sh", ["-c", "echo one; echo two >&2; printf three"])
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0))
        XCTAssertEqual(process.output.lines, ["one", "three"])
        XCTAssertEqual(process.errors.lines, ["two"])
    }

    func testANextLineIsTheFirstThatFitsAfterTheLastOne() async throws {
        let process = try ChildProcess("/bin/sh", ["-c", "seq 1 9"])
        let five = try await process.nextLine { $0 > "4" }
        let six = try await process.nextLine()
        XCTAssertEqual([five, six], ["5", "6"])
        await assertThrows("a line that never comes") { try await process.nextLine { $0 == "5" } }
    }

    func testLinesThatWereReadAreNotKeptForEver() async throws {
        let process = try ChildProcess("cat")
        for number in 0..<400 {
            process.send("\(number) " + String(repeating: "x", count: 1000))
            let line = try await process.nextLine()
            XCTAssertEqual(line.prefix { $0 != " " }, "\(number)")
        }
        XCTAssertLessThan(process.output.text.utf8.count, 150_000)
        XCTAssertEqual(process.output.lines.last?.hasPrefix("399 "), true)
    }

    func testManyShortLinesThatWereReadAreNotKeptForEver() async throws {
        let process = try ChildProcess("seq", ["1", "5000"])
        for number in 1...4500 {
            let line = try await process.nextLine()
            XCTAssertEqual(line, "\(number)")
        }
        try await process.waitForEnd()
        // Of the lines that were read, the newest; of the others, all.
        let lines = process.output.lines
        XCTAssertLessThanOrEqual(lines.count, 2500)
        XCTAssertTrue(lines.contains("4400"))
        XCTAssertEqual(lines.suffix(500), (4501...5000).map { "\($0)" }[...])
    }

    func testLinesThatWereNotReadAreKept() async throws {
        let process = try ChildProcess("seq", ["1", "9999"])
        try await process.waitForEnd()
        let last = try await process.nextLine { $0 == "9000" }
        XCTAssertEqual(last, "9000")
        let next = try await process.nextLine()
        XCTAssertEqual(next, "9001")
    }

    func testAWholeOutputIsKeptFromItsStart() async throws {
        let tool = try ChildProcess("seq", ["300000"], keepsWholeOutput: true)
        _ = try await tool.waitForEnd()
        XCTAssertEqual(tool.output.lines.count, 300_000)
        XCTAssertEqual(tool.output.lines.first, "1")
    }

    func testWaitingEndsInTimeAndReportsTheOutput() async throws {
        let process = try ChildProcess("/bin/sh", ["-c", "echo something; exec cat"])
        await assertThrows("a wait in vain") {
            try await process.nextLine(within: .milliseconds(50)) { $0 == "else" }
        } _: { error in
            XCTAssertTrue("\(error)".contains("something"), "\(error)")
        }
        await assertThrows("a wait in vain") { try await process.waitForEnd(within: .milliseconds(50)) }
    }

    func testWhatIsSentIsRead() async throws {
        let process = try ChildProcess("cat")
        process.send("hello")
        let line = try await process.nextLine()
        XCTAssertEqual(line, "hello")
        process.closeInput()
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0))
        // The process has ended: no signal to this process, no error.
        process.send("hello?")
        XCTAssertFalse(process.signal(SIGTERM))
    }

    func testSendingToADeadProcessWithAnOpenInputIsNoSignalToUs() async throws {
        let process = try ChildProcess("true")
        try await process.waitForEnd()
        for _ in 0..<3 { process.send("anybody?") }
    }

    func testStatusAndSignalAreReported() async throws {
        let failing = try await ChildProcess("/bin/sh", ["-c", "exit 7"]).waitForEnd()
        XCTAssertEqual(failing, .exited(7))
        let process = try ChildProcess("cat")
        XCTAssertTrue(process.signal(SIGTERM))
        let killed = try await process.waitForEnd()
        XCTAssertEqual(killed, .killed(signal: SIGTERM))
    }

    func testItEndsWithItsObject() async throws {
        var process: ChildProcess? = try ChildProcess("/bin/sh", ["-c", "echo $$; exec sleep 100"])
        let line = try await process?.nextLine()
        let pid = try XCTUnwrap(line.flatMap { pid_t($0) })
        process = nil
        try await eventually("the process to end") { kill(pid, 0) != 0 }
    }

    func testAProgramThatIsNotThereIsAnError() async {
        await assertThrows("a program that is not there") {
            try ChildProcess("/nonexistent/program")
        } _: { error in
            XCTAssertTrue("\(error)".contains("/nonexistent/program"), "\(error)")
        }
    }

    func testTheEnvironmentIsExactlyTheGivenOne() async throws {
        let process = try ChildProcess("/usr/bin/env", environment: ["A": "b=c", "D": ""])
        try await process.waitForEnd()
        XCTAssertEqual(process.output.lines, ["A=b=c", "D="])
    }

    func testIsolatedClientsLoseAllVariablesOfPipeWire() {
        unsafe setenv("PIPEWIRE_LATENCY", "1/1", 1)
        defer { unsafe unsetenv("PIPEWIRE_LATENCY") }
        let environment = ChildEnvironment.isolated(
            runtimeDirectory: "/run/x", remote: "/run/x/pipewire-0", installation: .system)
        XCTAssertEqual(
            environment.filter { $0.key.hasPrefix("PIPEWIRE_") },
            ["PIPEWIRE_REMOTE": "/run/x/pipewire-0", "PIPEWIRE_RUNTIME_DIR": "/run/x"])
        XCTAssertEqual(environment["PATH"], ChildEnvironment.current["PATH"])
    }

    func testIsolatedClientsOfOneVersionLoadNoLibraryOfAnother() throws {
        let old = (
            root: ChildEnvironment.current["PIPEBUS_PIPEWIRE_ROOT"], path: ChildEnvironment.current["LD_LIBRARY_PATH"]
        )
        defer {
            set("PIPEBUS_PIPEWIRE_ROOT", old.root)
            set("LD_LIBRARY_PATH", old.path)
        }
        set("PIPEBUS_PIPEWIRE_ROOT", "/opt/newer")
        let newer = PipeWireInstallation(root: "/opt/newer")
        let libraries = try XCTUnwrap(newer.libraries)
        for (path, expected) in [(libraries, nil), ("/a:\(libraries):/b", "/a:/b"), ("/a", "/a")] as [(String, String?)]
        {
            set("LD_LIBRARY_PATH", path)
            let environment = ChildEnvironment.isolated(runtimeDirectory: "/run/x", remote: "r", installation: .system)
            XCTAssertEqual(environment["LD_LIBRARY_PATH"], expected)
        }
        let environment = ChildEnvironment.isolated(runtimeDirectory: "/run/x", remote: "r", installation: newer)
        XCTAssertEqual(environment["LD_LIBRARY_PATH"], libraries)
    }

    private func set(_ name: String, _ value: String?) {
        if let value { unsafe setenv(name, value, 1) } else { unsafe unsetenv(name) }
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTestSupport
import XCTest

@testable import PipeBusTesting

/// What proc(5) says of processes.
final class ProcessTreeTests: BusTestCase {
    func testAProgramMayHaveAnyName() throws {
        for (line, parent, isRunning) in [
            ("12 (cat) S 7 12 12 0 -1", 7, true), ("12 (a) Z 9 (b) R 8 1 1", 8, true),
            ("12 (x)) ) Z 1 12 12", 1, false),
            ("12 (\u{301}) X 3 1 1", 3, false),
        ] as [(String, Int32, Bool)] {
            let status = try XCTUnwrap(ProcessStatus(line: Array(line.utf8)[...]), line)
            XCTAssertEqual(status.parent, parent, line)
            XCTAssertEqual(status.isRunning, isRunning, line)
        }
        for line in ["", "12 (cat", "12 (cat) S", "12 (cat) S x 1"] {
            XCTAssertNil(ProcessStatus(line: Array(line.utf8)[...]), line)
        }
    }

    func testDescendants() async throws {
        let shell = try ChildProcess("/bin/sh", ["-c", "sleep 600 & echo $!; wait"])
        let line = try await shell.nextLine()
        let sleeper = try XCTUnwrap(Int32(line))
        XCTAssertTrue(ProcessTree.isDescendant(sleeper, of: shell.pid))
        XCTAssertTrue(ProcessTree.isDescendant(sleeper, of: getpid()))
        XCTAssertFalse(ProcessTree.isDescendant(shell.pid, of: sleeper))
        XCTAssertFalse(ProcessTree.isDescendant(shell.pid, of: shell.pid))
        XCTAssertFalse(ProcessTree.isDescendant(-1, of: getpid()))
        XCTAssertTrue(Set([shell.pid, sleeper]).isSubset(of: ProcessTree.descendants))
        kill(sleeper, SIGKILL)
        try await shell.waitForEnd()
        XCTAssertFalse(ProcessTree.descendants.contains(shell.pid))
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTesting
import XCTest

@testable import PipeWireClient

final class DaemonProcessTests: XCTestCase {
    func testAProcessThatIsStoppedAndEnds() async throws {
        let child = try ChildProcess("cat", [], endMethod: .endOfInput)
        let process = try XCTUnwrap(DaemonProcess(pid: child.pid))
        XCTAssertFalse(process.hasEnded)
        XCTAssertFalse(process.isStopped)
        XCTAssertFalse(process.listens(at: RemoteAddress(remote: "/nowhere/at-all")))
        child.signal(SIGSTOP)
        try await eventually("it to stop") { process.isStopped }
        XCTAssertFalse(process.hasEnded)
        child.signal(SIGCONT)
        child.signal(SIGKILL)
        try await eventually("its end") { process.hasEnded }
        try await child.waitForEnd()
        XCTAssertTrue(process.hasEnded)
        XCTAssertFalse(process.isStopped)
        XCTAssertNil(DaemonProcess(pid: child.pid))
    }

    func testNoProcess() {
        for pid: Int32 in [0, -1, .min, .max] { XCTAssertNil(DaemonProcess(pid: pid)) }
    }

    func testTheStatusOfAProcess() {
        func status(_ name: String, _ state: String, flags: Int) -> DaemonProcess.Status? {
            DaemonProcess.Status(
                parsing: "77 (\(name)) \(state) 12 77 77 0 -1 \(flags) 1 2 3 4 5 6 7 8 20 0 3 0 123456 789 10\n")
        }
        var sound = DaemonProcess.Status(
            name: "pipewire", parent: 12, start: 123_456, isStopped: false, isEnding: false)
        XCTAssertEqual(status("pipewire", "S", flags: 4_194_304), sound)
        sound.name = "a) S 1 (b"
        XCTAssertEqual(status("a) S 1 (b", "R", flags: 0), sound)
        XCTAssertEqual(status("pipewire", "T", flags: 0)?.isStopped, true)
        XCTAssertEqual(status("pipewire", "t", flags: 0)?.isStopped, true)
        XCTAssertEqual(status("pipewire", "R", flags: 4_194_308)?.isEnding, true, "PF_EXITING")
        XCTAssertEqual(status("pipewire", "Z", flags: 0)?.isEnding, true)
        for text in ["", "77", ")77(", "77 (x)", "77 (x) S 12", "77 (x) S a 77 77 0 -1 b 1 2 3 4 5 6 7 8 20 0 3 0 c"] {
            XCTAssertNil(DaemonProcess.Status(parsing: text), text)
        }
    }
}

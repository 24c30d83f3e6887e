// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import XCTest

final class HeadlessPipeWireLifeTests: BusTestCase {
    func testItIsReadyInMilliseconds() async throws {
        var times: [Duration] = []
        for _ in 0..<10 {
            let start = ContinuousClock.now
            let daemon = try await HeadlessPipeWire.start()
            times.append(ContinuousClock.now - start)
            try await daemon.close()
        }
        times.sort()
        print("ready after \(times[times.count / 2]), at worst \(times[times.count - 1])")
        // A bound for a busy machine; what it takes is printed above.
        XCTAssertLessThan(times[times.count / 2], .milliseconds(500))
    }

    func testNothingIsLeftAfterClosing() async throws {
        let daemon = try await HeadlessPipeWire.start()
        XCTAssertTrue(daemon.isRunning)
        XCTAssertTrue(exists(daemon.directory) && isAlive(daemon.pid))
        try await daemon.close()
        XCTAssertFalse(exists(daemon.directory) || isAlive(daemon.pid))
        XCTAssertFalse(daemon.isRunning)
        try await daemon.close()
    }

    func testNothingIsLeftWhenTheObjectGoes() async throws {
        var daemon: HeadlessPipeWire? = try await HeadlessPipeWire.start()
        let directory = try XCTUnwrap(daemon?.directory)
        let pid = try XCTUnwrap(daemon?.pid)
        daemon = nil
        try await eventually("the daemon to go") { !exists(directory) && !isAlive(pid) }
    }

    func testNothingIsLeftWhenItsOwnerIsKilled() async throws {
        for part in ["daemon", "stepper"] {
            let host = try Programs.start("kit-host", [part])
            let ready = try await host.nextLine { $0.hasPrefix("ready ") }
            let remote = String(ready.dropFirst("ready ".count))
            let directory = String(remote[..<(try XCTUnwrap(remote.lastIndex(of: "/")))])
            XCTAssertTrue(exists(directory))
            let pid = part == "daemon" ? pid_t(try await host.nextLine()) : nil
            host.signal(SIGKILL)
            try await host.waitForEnd()
            try await eventually("the \(part) to go") { !exists(directory) && pid.map(isAlive) != true }
        }
    }

    func testItEndsWhenItsTimeIsUp() async throws {
        let daemon = try await HeadlessPipeWire.start(limit: .seconds(1))
        try await eventually("the watchdog") { !daemon.isRunning }
        try await eventually("the directory to go") { !exists(daemon.directory) }
        try await daemon.close()
    }

    func testADaemonThatDiesIsNoticed() async throws {
        let daemon = try await HeadlessPipeWire.start()
        daemon.signal(SIGKILL)
        try await eventually("its end to be noticed") { !daemon.isRunning }
        try await daemon.close()
        XCTAssertFalse(exists(daemon.directory))
    }

    func testADaemonThatDoesNotStartGivesTheReason() async throws {
        await assertThrows("a daemon that is not there") {
            try await HeadlessPipeWire.start(installation: PipeWireInstallation(root: "/nonexistent"))
        } _: { error in
            XCTAssertTrue("\(error)".contains("/nonexistent/usr/bin/pipewire"), "\(error)")
        }
        let folder = try installation(ofScript: "echo it is broken >&2")
        defer { try? FileManager.default.removeItem(at: folder) }
        await assertThrows("a daemon that ends at once") {
            try await HeadlessPipeWire.start(installation: PipeWireInstallation(root: folder.path))
        } _: { error in
            XCTAssertTrue("\(error)".contains("it is broken"), "\(error)")
        }
    }

    func testItsLogIsKept() async throws {
        unsafe setenv("PIPEWIRE_DEBUG", "3", 1)
        let daemon = try await HeadlessPipeWire.start()
        unsafe unsetenv("PIPEWIRE_DEBUG")
        try await eventually("a line in the log") { daemon.log.contains("Listening on") }
        XCTAssertTrue("\(daemon.failure("It failed"))".contains("Listening on"))
        try await daemon.close()
        XCTAssertTrue(daemon.log.contains("Listening on"))
    }

    /// A folder whose daemon is a script.
    private func installation(ofScript script: String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pipebus-test-\(UUID())")
        let programs = folder.appending(path: "usr/bin")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        let program = programs.appending(path: "pipewire")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        return folder
    }

    private func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    private func isAlive(_ pid: pid_t) -> Bool { kill(pid, 0) == 0 }
}

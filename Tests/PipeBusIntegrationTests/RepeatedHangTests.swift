// SPDX-License-Identifier: MIT
import Dispatch
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A source that is stopped for a moment again and again, never for long.
final class RepeatedHangTests: DaemonTestCase {
    func testItIsDisconnected() async throws { try await check(.chosen) }
    func testItIsDisconnectedOnANewerPipeWire() async throws { try await check(.newer()) }

    private func check(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
        let scene = try await HangScene.start(on: daemon)
        let pid = scene.other.process.pid
        // 100 of every 125 ms.
        let queue = DispatchQueue(label: "stops", qos: .userInteractive)
        let stop = DispatchSource.makeTimerSource(queue: queue)
        stop.setEventHandler { kill(pid, SIGSTOP) }
        stop.schedule(deadline: .now(), repeating: .milliseconds(125))
        let go = DispatchSource.makeTimerSource(queue: queue)
        go.setEventHandler { kill(pid, SIGCONT) }
        go.schedule(deadline: .now() + .milliseconds(100), repeating: .milliseconds(125))
        defer {
            stop.cancel()
            go.cancel()
        }
        let start = ContinuousClock.now
        stop.resume()
        go.resume()
        try await eventually("the notice", within: .seconds(30)) {
            scene.notices.all.contains { $0.kind == .sourceStalled && $0.message.contains("Other") }
        }
        let detected = start.duration(to: .now)
        try await scene.waitUntil(isStalled: true)
        // The other source is heard meanwhile, and this one is tried again.
        try await scene.runCycles(20)
        try await eventually("it to be connected again") {
            scene.notices.all.contains { $0.kind == .sourceRestored }
        }
        try await eventually("another notice", within: .seconds(30)) {
            scene.notices.all.count { $0.kind == .sourceStalled } == 2
        }
        stop.cancel()
        go.cancel()
        queue.sync {}
        kill(pid, SIGCONT)
        try await scene.waitUntil(isStalled: false)
        try await scene.waitUntilHeard()
        scene.assertSteady()
        print("found after \(Int(detected / .milliseconds(1))) ms")
        try await scene.close()
    }

    /// It is connected later each time, and the notice says so.
    func testTheNoticeSaysHowLongItIsAway() async throws {
        let scene = try await HangScene.start(on: startDaemon(.init(quantum: 1024)))
        for end in ["again when it answers.", "again 1 s after it answers.", "again 2 s after it answers."] {
            let count = scene.notices.all.count { $0.kind == .sourceStalled }
            try await scene.hang(.stopped, seconds: 0)
            try await eventually("the notice") { scene.notices.all.count { $0.kind == .sourceStalled } > count }
            let message = scene.notices.all.last { $0.kind == .sourceStalled }?.message ?? ""
            XCTAssertTrue(message.hasSuffix(end), message)
            kill(scene.other.process.pid, SIGCONT)
            try await scene.waitUntil(isStalled: false)
            try await scene.waitUntilHeard()
        }
        try await scene.close()
    }
}

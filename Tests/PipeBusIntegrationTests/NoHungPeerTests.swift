// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Graphs that stand still, or seem to, without a source that hangs: nobody is accused.
final class NoHungPeerTests: DaemonTestCase {
    private static let kinds = [Notice.Kind.sourceStalled, .upstreamStalled, .blockStalled]

    /// Waits for a time in which a fault would be found.
    private func wait(_ seconds: Double = 1.5) async throws {
        let start = ContinuousClock.now
        try await eventually("some time to pass", within: .seconds(20)) { start.duration(to: .now) > .seconds(seconds) }
    }

    private func assertNobodyIsAccused(
        _ scene: HangScene, file: StaticString = #filePath, line: UInt = #line
    ) async throws {
        let posted = scene.notices.all.filter { Self.kinds.contains($0.kind) }
        XCTAssertEqual(posted, [], file: file, line: line)
        let sources = try await scene.receiver.sources
        XCTAssertEqual(sources.map(\.isStalled), [false, false], file: file, line: line)
    }

    func testAGraphThatRuns() async throws {
        for installation in PipeWireInstallation.all {
            for quantum in [64, 1024, 8192] {
                let daemon = try await startDaemon(.init(quantum: quantum), installation: installation)
                let scene = try await HangScene.start(on: daemon)
                try await wait()
                try await assertNobodyIsAccused(scene)
                try await scene.close()
            }
        }
    }

    func testAGraphThatIsIdle() async throws {
        let stage = try await Stage.start()
        let log = NoticeLog(stage.taker.notices)
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let sender = try await stage.sender("out") { _, _ in 0.5 }
        try await stage.taker.connect(sender, to: receiver)
        for _ in 0..<3 {
            try await stage.step(1024, cycles: 3)
            try await wait(0.7)
        }
        let sources = try await receiver.sources
        XCTAssertEqual(sources.map(\.isStalled), [false])
        XCTAssertEqual(log.all.filter { Self.kinds.contains($0.kind) }, [])
        try await stage.close()
    }

    /// No version reports the cycles of such a driver.
    func testAGraphThatFreewheels() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 8192, driver: .freewheel), installation: installation)
            let scene = try await HangScene.start(on: daemon)
            kill(scene.other.process.pid, SIGSTOP)
            try await wait(1)
            try await assertNobodyIsAccused(scene)
            kill(scene.other.process.pid, SIGCONT)
            try await wait(0.5)
            try await assertNobodyIsAccused(scene)
            try await scene.close()
        }
    }

    func testADaemonThatIsStopped() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let scene = try await HangScene.start(on: daemon)
            for _ in 0..<3 {
                daemon.signal(SIGSTOP)
                try await wait(1)
                daemon.signal(SIGCONT)
                try await scene.runCycles(30)
            }
            try await assertNobodyIsAccused(scene)
            try await scene.close()
        }
    }

    /// As in a debugger.
    func testTheProcessItself() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let steady = try await Peer.start("Steady", on: daemon, client: installation)
            try await steady.addSender("out", .constant(0.5))
            let taker = try await Peer.start("Taker", on: daemon, client: installation)
            try await taker.addReceiver("in")
            try await taker.join("Steady/out", to: "Taker/in")
            for _ in 0..<3 {
                kill(taker.process.pid, SIGSTOP)
                try await wait(1)
                kill(taker.process.pid, SIGCONT)
                let before = try await taker.report("in").counts.cycles
                try await eventually("cycles") { try await taker.report("in").counts.cycles >= before + 30 }
            }
            let notices = try await taker.notices().filter { notice in
                Self.kinds.contains { $0.rawValue == notice.kind }
            }
            XCTAssertEqual(notices, [])
            let sources = try await taker.sources("in")
            XCTAssertEqual(sources.map(\.isStalled), [false])
            for peer in [steady, taker] { try await peer.close() }
        }
    }

    /// The whole session at once, as a suspended virtual machine: everybody continues in any order.
    func testEverythingAtOnce() async throws {
        let daemon = try await startDaemon()
        let steady = try await Peer.start("Steady", on: daemon)
        try await steady.addSender("out", .constant(0.5))
        let taker = try await Peer.start("Taker", on: daemon)
        try await taker.addReceiver("in")
        try await taker.join("Steady/out", to: "Taker/in")
        let pids = [daemon.pid, steady.process.pid, taker.process.pid]
        for _ in 0..<3 {
            for pid in pids { kill(pid, SIGSTOP) }
            try await wait(0.5)
            for pid in pids.shuffled() { kill(pid, SIGCONT) }
            let before = try await taker.report("in").counts.cycles
            try await eventually("cycles") { try await taker.report("in").counts.cycles >= before + 20 }
        }
        let notices = try await taker.notices().filter { notice in Self.kinds.contains { $0.rawValue == notice.kind } }
        XCTAssertEqual(notices, [])
        for peer in [steady, taker] { try await peer.close() }
    }

    /// The driver belongs to a client that is stopped: nothing ticks.
    func testTheDriver() async throws {
        for installation in PipeWireInstallation.all {
            let graph = try await SteppedGraph.start(installation: installation)
            let giver = try await graph.peer("Giver", client: installation)
            try await giver.addSender("out", .constant(0.5))
            let taker = try await graph.peer("Taker", client: installation)
            try await taker.addReceiver("in")
            try await taker.join("Giver/out", to: "Taker/in")
            try await graph.step([(1024, 20)])
            kill(graph.hostPID, SIGSTOP)
            try await wait(1)
            kill(graph.hostPID, SIGCONT)
            try await graph.step([(1024, 20)])
            let sources = try await taker.sources("in")
            XCTAssertEqual(sources.map(\.isStalled), [false])
            let notices = try await taker.notices().filter { notice in
                Self.kinds.contains { $0.rawValue == notice.kind }
            }
            XCTAssertEqual(notices, [])
            try await graph.close()
        }
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Whose fault the xruns of a receiver are.
final class XrunCulpritTests: DaemonTestCase {
    private func culprits(_ port: LocalPort) -> [Xrun.Culprit] { port.xruns.compactMap(\.culprit) }

    /// The watchdog has the profiler bound while a source hangs, so its xrun has a culprit with every daemon.
    func testASourceThatHangsForLong() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
            let scene = try await HangScene.start(on: daemon)
            try await scene.runCycles(20)
            let before = scene.receiver.xrunCount
            try await scene.hang(.inItsBlock, seconds: 0.6)
            // The block of the cycle in which it is counted may still run.
            try await eventually("the xrun", within: .seconds(20)) {
                scene.receiver.xrunCount > before && scene.hearing.moments.contains { $0.cycle.missedFrames > 0 }
            }
            let cycle = try XCTUnwrap(scene.hearing.moments.last { $0.cycle.missedFrames > 0 }?.cycle)
            XCTAssertTrue(cycle.isRecoveringFromXrun)
            XCTAssertGreaterThan(cycle.xrunCount, before)
            try await eventually("the culprit", within: .seconds(20)) {
                culprits(scene.receiver).contains { $0.title.hasPrefix("Other") && !$0.isThisApp }
            }
            // What the block saw is what the list has.
            let statistics = try await scene.receiver.statistics
            XCTAssertGreaterThanOrEqual(statistics.gaps, UInt64(before + 1))
            let xrun = try XCTUnwrap(scene.receiver.xruns.last { $0.culprit?.title.hasPrefix("Other") == true })
            let next = try XCTUnwrap(scene.hearing.moments.first { $0.cycle.position >= xrun.position }?.cycle)
            XCTAssertEqual(next.position, xrun.position + UInt64(xrun.missedFrames))
            XCTAssertEqual(next.missedFrames, xrun.missedFrames)
            XCTAssertEqual(next.clock, xrun.clock)
            XCTAssertEqual(next.startTime, xrun.time)
            try await scene.close()
        }
    }

    /// Shorter than what the watchdog notices. With 1.4 the profiler is bound after the first xrun; with the older one the app
    /// has to ask for it.
    func testASourceThatIsLateAgainAndAgain() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
            let scene = try await HangScene.start(on: daemon)
            if installation.root == nil { await scene.bus.setXrunDiagnosis(.always) }
            let start = ContinuousClock.now
            var pauses = 0
            try await eventually("the culprit", within: .seconds(60)) {
                // A hang each half second.
                if start.duration(to: .now) > .milliseconds(500 * pauses) {
                    pauses += 1
                    try await scene.other.hang("out", for: 0.09)
                }
                return culprits(scene.receiver).contains { $0.title.hasPrefix("Other") && !$0.isThisApp }
            }
            XCTAssertFalse(culprits(scene.receiver).contains { $0.title.hasPrefix("Steady") })
            await scene.bus.setXrunDiagnosis(.never)
            try await scene.close()
        }
    }

    private func connectWithoutProfiler(_ installation: PipeWireInstallation) async throws -> BusClient {
        let daemon = try await startDaemon(
            .init(quantum: 1024, hasNullSink: true, hasProfiler: false), installation: installation)
        return try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: daemon.remote, allowsConnectionsToSelf: true)
    }

    /// The app's own block: known without any profiler.
    func testTheAppItself() async throws {
        for installation in PipeWireInstallation.all {
            let bus = try await connectWithoutProfiler(installation)
            let isLate = Flag()
            let sender = try await bus.sender("out", channels: .mono, state: 0) { count, cycle, output in
                count += 1
                // Once: five cycles or so.
                if count == 40, !isLate.isRaised {
                    var pause = timespec(tv_sec: 0, tv_nsec: 100_000_000)
                    isLate.raise()
                    unsafe nanosleep(&pause, nil)
                }
            }
            let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
            try await bus.connect(sender, to: receiver)
            try await eventually("the culprit", within: .seconds(20)) {
                [sender, receiver].allSatisfy { port in
                    culprits(port).contains { $0.title == "Test out" && $0.isThisApp }
                }
            }
            await bus.close()
        }
    }

    /// A block that is late in cycle after cycle: each xrun of the app's other port has a culprit, not only the last one.
    func testTheAppItselfAgainAndAgain() async throws {
        for installation in PipeWireInstallation.all {
            let bus = try await connectWithoutProfiler(installation)
            let isHeard = Flag()
            let sender = try await bus.sender("out", channels: .mono, state: 0) { count, cycle, output in
                guard isHeard.isRaised, count < 40 else { return }
                count += 1
                var pause = timespec(tv_sec: 0, tv_nsec: 30_000_000)
                unsafe nanosleep(&pause, nil)
            }
            let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
            try await bus.connect(sender, to: receiver)
            try await eventually("cycles") { try await receiver.statistics.cycles > 10 }
            isHeard.raise()
            try await eventually("the culprits", within: .seconds(20)) {
                receiver.xrunCount >= 10
                    && receiver.xruns.allSatisfy { $0.culprit?.title == "Test out" && $0.culprit?.isThisApp == true }
            }
            await bus.close()
        }
    }

    /// Its driver makes up for the time within milliseconds, in which no node can keep up.
    func testADaemonThatWasFrozen() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
            let bus = try await BusClient.connect(
                as: "org.pipebus.test", name: "Test", remote: daemon.remote, allowsConnectionsToSelf: true)
            let sender = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
            let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
            await bus.setXrunDiagnosis(.always)
            try await bus.connect(sender, to: receiver)
            let isShown = Flag()
            let reader = Task {
                for await activity in bus.activity(every: .milliseconds(50))
                where activity.nodes.contains(where: { $0.culprit == "Dummy-Driver" && !$0.isCulprit }) {
                    isShown.raise()
                }
            }
            // Whether a node is late then is a matter of luck.
            for _ in 0..<10 where !isShown.isRaised || !culprits(receiver).contains(where: isDriver) {
                let cycles = try await receiver.statistics.cycles
                try await eventually("cycles") { try await receiver.statistics.cycles > cycles + 20 }
                daemon.signal(SIGSTOP)
                let start = ContinuousClock.now
                try await eventually("a second") { start.duration(to: .now) > .seconds(1) }
                daemon.signal(SIGCONT)
                let end = ContinuousClock.now
                // The older version reports a second late.
                try await eventually("the culprit or three seconds") {
                    isShown.isRaised && culprits(receiver).contains(where: isDriver)
                        || end.duration(to: .now) > .seconds(3)
                }
            }
            XCTAssertTrue(isShown.isRaised)
            XCTAssertTrue(culprits(receiver).contains(where: isDriver), "\(culprits(receiver))")
            await bus.close()
            await reader.value
        }
    }

    private func isDriver(_ culprit: Xrun.Culprit) -> Bool { culprit.title == "Dummy-Driver" && !culprit.isThisApp }
}

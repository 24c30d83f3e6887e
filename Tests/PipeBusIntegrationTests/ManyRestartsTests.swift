// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// Daemons that end again and again, at any moment of a client's life.
///
/// `PIPEBUS_RESTARTS` says how often, instead of 50 times.
final class ManyRestartsTests: DaemonTestCase {
    /// The moment of the first sound on each clock.
    private final class Sound: Sendable {
        let began = Atomic<UInt64>(0)
    }

    private struct Hearing: Sendable {
        let sound: Sound
        var clock: GraphClock?
    }

    func testFiftyRestartsInARowLeaveNothingBehind() async throws { try await restart(.chosen) }
    func testFiftyRestartsOfANewerPipeWire() async throws { try await restart(.newer()) }

    private func restart(_ installation: PipeWireInstallation) async throws {
        let count = ProcessInfo.processInfo.environment["PIPEBUS_RESTARTS"].flatMap { Int($0) } ?? 50
        let daemon = try await startDaemon(installation: installation, limit: .seconds(3600))
        let giver = try await BusClient.connect(
            as: "org.pipebus.giver", name: "Giver", remote: daemon.remote, allowsConnectionsToSelf: true)
        let taker = try await BusClient.connect(
            as: "org.pipebus.taker", name: "Taker", remote: daemon.remote, allowsConnectionsToSelf: true)
        _ = try await giver.sender("out", channels: .mono, state: ()) { _, _, output in
            output.fill(0) { _ in 0.5 }
        }
        let sound = Sound()
        let input = try await taker.receiver("in", channels: .mono, fade: .none, state: Hearing(sound: sound)) {
            state, cycle, mix in
            guard state.clock != cycle.clock, mix[0][0] != 0 else { return }
            state.clock = cycle.clock
            state.sound.began.store(cycle.startTime.nanoseconds, ordering: .relaxed)
        }
        try await taker.connect("Giver", to: input)
        var first = try ProcessFigures()
        var times: [Double] = []
        for round in 1...max(count, 11) {
            let cycles = try await input.statistics.cycles
            try await daemon.kill()
            // Sometimes at once, sometimes after the clients have noticed it.
            if round.isMultiple(of: 3) { for await state in taker.stateUpdates where state != .running { break } }
            try daemon.startAgain()
            try await daemon.waitUntilItListens()
            let socket = ProcessFigures.now
            try await eventually("sound, round \(round)") {
                try await input.statistics.cycles > cycles + 2 && sound.began.load(ordering: .relaxed) > socket
            }
            times.append(Double(sound.began.load(ordering: .relaxed) - socket) / 1e6)
            // After the caches of libpipewire and of the allocator are filled.
            if round == 10 { first = try ProcessFigures() }
            if round.isMultiple(of: 100) {
                let now = try ProcessFigures()
                print("restart \(round): \(now.descriptors) descriptors, \(now.memory) kB")
            }
        }
        let last = try ProcessFigures()
        // After an xrun the profiler is bound for ten seconds, and takes some.
        try await eventually("no descriptor more than before", within: .seconds(30)) {
            try ProcessFigures().descriptors <= first.descriptors
        }
        // 990 restarts have left 800 kB (Docs/Reliability.md).
        if !Sanitizer.isPresent {
            XCTAssertLessThan(last.memory - first.memory, 1536, "kilobytes that \(count - 10) restarts have left")
        }
        times.sort()
        FaultTable.shared.add(
            FaultTable.Row(
                "\(times.count) restarts in a row", saw: ["interrupted daemonGone", "running"],
                back: "\(Int(times[times.count / 2])), at most \(Int(times.last ?? 0))",
                kept: "\(last.memory - first.memory) kB, \(last.descriptors - first.descriptors) descriptors",
                on: installation))
        await giver.close()
        await taker.close()
    }

    /// - Parameter round: another moment of the restart for each.
    private func close(_ daemon: HeadlessPipeWire, _ round: Int) async throws {
        let bus = try await BusClient.connect(
            as: "org.pipebus.brief", name: "Brief", remote: daemon.remote, waitsForDaemon: true)
        _ = try await bus.sender("out", state: ()) { _, _, _ in }
        _ = try await bus.receiver("in", state: ()) { _, _, _ in }
        async let closing: Void = {
            for _ in 0..<(round * round * 10) { await Task.yield() }
            await bus.close()
            await bus.close()
        }()
        try await daemon.restart()
        await closing
        XCTAssertEqual(bus.state.reason?.kind, .closedByApp)
    }

    func testAClientMayBeClosedAtAnyMomentOfARestart() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            // Each of a process's first threads may get an arena of the allocator's, of a megabyte.
            for round in 0..<30 { try await close(daemon, round) }
            var leaks = try await LeakCheck([("this process", getpid())], warmUp: 5, at: daemon)
            for round in 0..<20 {
                try await close(daemon, round)
                try leaks.measure()
            }
            try await leaks.assertNothingIsLeft(by: "daemon killed, app closing")
            FaultTable.shared.add(
                FaultTable.Row(
                    "daemon killed, app closing", saw: ["closed closedByApp"], back: "the app has closed",
                    kept: leaks.words, on: installation))
        }
    }
}

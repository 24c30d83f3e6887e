// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The daemon ends and comes back, at every moment of an app's life.
///
/// Also here: `ConnectingFaultTests`, `ManyRestartsTests`, `ReconnectTests`, and for the tools `ToolsOverRestartsTests`.
final class DaemonFaultTests: FaultTestCase {
    private static let seen = ["interrupted daemonGone", "running"]

    func testKilledWhileIdle() async throws {
        try await check(
            FaultCase(
                name: "daemon killed, app idle",
                perform: { scene in
                    try await scene.disconnect()
                    let seen = scene.events.count
                    var moments = try await scene.replaceDaemon()
                    let running = try await scene.waitUntilTheAppSees("running", after: seen)
                    moments.back = "ports after \(FaultScene.milliseconds(running, since: moments.ended))"
                    try await scene.connect()
                    try await scene.setTags()
                    return moments
                },
                sees: Self.seen))
    }

    func testKilledWhileStreaming() async throws {
        try await check(
            FaultCase(
                name: "daemon killed, app streaming",
                perform: { scene in try await scene.replaceDaemon() },
                sees: Self.seen))
    }

    func testAwayForASecond() async throws {
        try await check(
            FaultCase(
                name: "daemon away for a second",
                perform: { scene in try await scene.replaceDaemon { try await scene.wait(1) } }, sees: Self.seen))
    }

    func testKilledWhileFrozen() async throws {
        try await check(
            FaultCase(
                name: "daemon frozen for half a second, and killed",
                perform: { scene in
                    scene.daemon.signal(SIGSTOP)
                    try await scene.wait(0.5)
                    return try await scene.replaceDaemon()
                },
                sees: Self.seen))
    }

    func testFrozenForTwoSeconds() async throws {
        try await check(
            FaultCase(
                name: "daemon frozen for 2 s",
                perform: { scene in
                    let struck = ProcessFigures.now
                    scene.daemon.signal(SIGSTOP)
                    try await scene.wait(2)
                    scene.daemon.signal(SIGCONT)
                    return FaultCase.Moments(struck: struck, ended: ProcessFigures.now)
                },
                sees: [], leastSilence: 1800))
    }

    func testOutOfDescriptorsAfterARestart() async throws {
        try await check(
            FaultCase(
                name: "out of descriptors when the daemon is back, for half a second",
                perform: { scene in
                    let seen = scene.events.count
                    var moments = try await scene.replaceDaemon { try await scene.limitDescriptors(to: 8) }
                    try await scene.waitUntilTheAppSees("interrupted outOfDescriptors", after: seen)
                    try await scene.wait(0.5)
                    try await scene.limitDescriptors(to: 1024)
                    moments.ended = ProcessFigures.now
                    return moments
                },
                sees: ["interrupted daemonGone", "interrupted outOfDescriptors", "running"]))
    }
}

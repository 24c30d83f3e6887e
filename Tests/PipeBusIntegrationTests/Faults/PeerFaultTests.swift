// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A source that ends, stops or is stuck, beside another one that must not be harmed; and the app itself, stopped.
final class PeerFaultTests: FaultTestCase {
    /// Lets time pass in which a source hangs, since a moment. The app finds that, and hears the other one meanwhile.
    private static func hang(
        for seconds: Double, since struck: UInt64, after seen: Int, in scene: FaultScene
    ) async throws {
        try await scene.waitUntilTheAppSees("sourceStalled", after: seen)
        let passed = Double(ProcessFigures.now - struck) / 1e9
        try await scene.hearSteady(for: max(seconds - passed, 0.5))
    }

    private static func stopped(_ seconds: Double) -> FaultCase {
        FaultCase(
            name: "source stopped for \(Int(seconds)) s",
            perform: { scene in
                let seen = scene.events.count
                let struck = ProcessFigures.now
                scene.voice.process.signal(SIGSTOP)
                try await hang(for: seconds, since: struck, after: seen, in: scene)
                scene.voice.process.signal(SIGCONT)
                return FaultCase.Moments(struck: struck, ended: ProcessFigures.now)
            },
            sees: ["sourceStalled", "sourceRestored"], interrupted: [FaultScene.voiceTag], leastSilence: seconds * 900)
    }

    /// As in a debugger, or by a machine that sleeps.
    private static func appStopped(_ seconds: Double) -> FaultCase {
        FaultCase(
            name: "app stopped for \(Int(seconds)) s",
            perform: { scene in
                let struck = ProcessFigures.now
                scene.app.process.signal(SIGSTOP)
                try await scene.wait(seconds)
                scene.app.process.signal(SIGCONT)
                return FaultCase.Moments(struck: struck, ended: ProcessFigures.now)
            },
            sees: ["interrupted suspended", "running"], leastSilence: seconds * 900,
            leastMissedFrames: UInt64(seconds * 0.9 * 48_000))
    }

    func testStopped() async throws { try await check(Self.stopped(2)) }
    func testAppStopped() async throws { try await check(Self.appStopped(2)) }

    /// All at once, since each takes 20 seconds.
    func testStoppedForLong() async throws {
        try await withThrowingTaskGroup { group in
            for installation in PipeWireInstallation.all {
                for fault in [Self.stopped(20), Self.appStopped(20)] {
                    let daemon = try await startDaemon(installation: installation)
                    group.addTask { try await FaultScene.check(fault, on: daemon) }
                }
            }
            try await group.waitForAll()
        }
    }

    func testStuckInItsCallback() async throws {
        try await check(
            FaultCase(
                name: "source stuck in its callback for 3 s",
                perform: { scene in
                    let seen = scene.events.count
                    let struck = ProcessFigures.now
                    try await scene.voice.hang("out", for: 3)
                    try await Self.hang(for: 2, since: struck, after: seen, in: scene)
                    return FaultCase.Moments(struck: struck, ended: struck + 3_000_000_000)
                },
                sees: ["sourceStalled", "sourceRestored"], interrupted: [FaultScene.voiceTag], leastSilence: 1800))
    }

    func testKilledInItsCallback() async throws {
        try await check(
            FaultCase(
                name: "source killed in its callback",
                perform: { scene in
                    let struck = ProcessFigures.now
                    try await scene.voice.hang("out", for: 20)
                    // Some cycles.
                    try await scene.wait(0.07)
                    scene.voice.process.signal(SIGKILL)
                    let killed = ProcessFigures.now
                    try await scene.voice.process.waitForEnd()
                    try await scene.waitForSound(of: FaultScene.steadyTag, after: killed)
                    try await scene.replaceVoice()
                    return FaultCase.Moments(struck: struck, ended: killed, back: "its app has ended")
                },
                sees: [], interrupted: [FaultScene.voiceTag]))
    }
}

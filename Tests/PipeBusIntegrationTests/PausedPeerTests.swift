// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// PipeWire pauses a port whose peers are all paused, as when a player is. The app misses nothing meanwhile.
final class PausedPeerTests: DaemonTestCase {
    func testThePauseIsNoXrun() async throws { try await pause(.chosen) }
    func testThePauseIsNoXrunOnANewerPipeWire() async throws { try await pause(.newer()) }

    private func pause(_ installation: PipeWireInstallation) async throws {
        // A driver that goes on meanwhile, because another app has work.
        let daemon = try await startDaemon(.init(hasNullSink: true), installation: installation)
        // A filter of 0.3.65 cannot be paused.
        let environment = daemon.environment(client: try .newer())
        let player = try await ClockSender.start("Player", in: environment)
        let other = try await ClockSender.start("Other", in: environment)
        try await daemon.perform("pw-link", "Other:out_FL", "null-sink:playback_FL")
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let hearing = Hearing()
        let receiver = try await hearing.separate(on: bus, channels: .stereo)
        try await bus.connect("Player", to: receiver)
        try await receiver.reports(latencies: [0])
        for _ in 0..<3 {
            try await cycles(10, of: receiver)
            try await player.setActive(false)
            try await eventually("the pause") {
                let before = hearing.moments.count
                let start = ContinuousClock.now
                try await eventually("time to pass") { start.duration(to: .now) > .milliseconds(300) }
                return hearing.moments.count == before
            }
            let before = hearing.moments.count
            let missed = try await receiver.statistics.missedFrames
            let end = try XCTUnwrap(hearing.moments.last?.cycle.position)
            try await player.setActive(true)
            try await eventually("the next cycle") { hearing.moments.count > before + 10 }
            let first = hearing.moments[before].cycle
            XCTAssertTrue(first.isDiscontinuous)
            XCTAssertEqual(first.missedFrames, 0)
            XCTAssertGreaterThan(first.position, end + 10_000, "the pause is in the positions")
            // A real xrun may come in the first cycles.
            let later = try await receiver.statistics.missedFrames
            XCTAssertLessThan(later - missed, 10_000)
            let sources = try await receiver.sources
            XCTAssertEqual(sources.map(\.isStalled), [false])
        }
        _ = other
        await bus.close()
    }

    private func cycles(_ count: UInt64, of receiver: ReceiverPort) async throws {
        let end = try await receiver.statistics.cycles + count
        try await eventually("\(count) cycles more") { try await receiver.statistics.cycles >= end }
    }
}

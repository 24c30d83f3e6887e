// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// A sender of other people that gives NaN for a while, beside one that does not.
final class InvalidSampleOnGraphTests: DaemonTestCase {
    private let count = 40
    /// The number of such blocks, on a machine so busy that every other cycle is missed.
    private let fewest = 20

    /// Connects both and has the second give NaN in some blocks.
    private func run(
        _ bus: BusClient, _ receiver: ReceiverPort, _ hearing: Hearing, on daemon: HeadlessPipeWire
    ) async throws {
        let notices = NoticeLog(bus.notices)
        let environment = daemon.environment(client: .system)
        let good = try await ClockSender.start("Good", in: environment)
        let bad = try await ClockSender.start("Bad", in: environment)
        try await bus.connect("Good", to: receiver)
        try await bus.connect("Bad", to: receiver)
        try await runCycles(20, of: receiver)
        // In the first cycles not all channels are linked.
        hearing.forget()
        try await bad.spoil(blocks: count)
        try await eventually("the blocks to be counted") {
            try await receiver.statistics.invalidBlocks >= UInt64(self.fewest)
        }
        try await eventually("the meter to show it") {
            for await readings in receiver.meters {
                return Dictionary(uniqueKeysWithValues: readings.map { ($0.source.title, $0.meter.hasInvalidSamples) })
                    == ["Good": false, "Bad": true]
            }
            return false
        }
        XCTAssertFalse(receiver.mixMeter.hasInvalidSamples)
        for lane in 0..<2 {
            XCTAssertTrue(receiver.meter(ofLane: lane).heldPeak <= 1)
            XCTAssertTrue(receiver.meter(ofLane: lane).rms <= 1)
        }
        try await eventually("the notice") { notices.all.contains { $0.kind == .invalidSamples } }
        // Afterwards everything is as before.
        try await runCycles(20, of: receiver)
        try await bad.spoil(blocks: 3)
        try await runCycles(300, of: receiver)
        let blocks = try await receiver.statistics.invalidBlocks
        XCTAssertTrue((UInt64(fewest)...UInt64(2 * count)).contains(blocks), "\(blocks)")
        let invalid = notices.all.filter { $0.kind == .invalidSamples }
        XCTAssertEqual(invalid.map(\.port), [receiver.name], "\(invalid)")
        XCTAssertTrue(invalid[0].message.hasPrefix("Bad gives Test in "), invalid[0].message)
        withExtendedLifetime(good) {}
    }

    private func runCycles(_ count: UInt64, of receiver: ReceiverPort) async throws {
        let before = try await receiver.statistics.cycles
        try await eventually("cycles") { try await receiver.statistics.cycles >= before + count }
    }

    private func onBoth(_ check: (HeadlessPipeWire) async throws -> Void) async throws {
        try await check(try await startDaemon(.init(quantum: 256), installation: .chosen))
        if let newer = try? PipeWireInstallation.newer() {
            try await check(try await startDaemon(.init(quantum: 256), installation: newer))
        }
    }

    func testSeparateStreamsLoseOnlyThoseBlocks() async throws {
        try await onBoth { daemon in
            let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
            let hearing = Hearing()
            let receiver = try await hearing.separate(on: bus, channels: .stereo)
            try await run(bus, receiver, hearing, on: daemon)
            let gaps = Int(try await receiver.statistics.gaps)
            let runs = (0..<2).map { lane in
                let blocks = hearing.moments.compactMap { $0.lanes[lane]?.channels }
                return ClockRuns((0..<2).map { channel in blocks.flatMap { $0[channel] } })
            }
            XCTAssertEqual(runs.map(\.otherFrames), [0, 0], "\(runs)")
            XCTAssertLessThanOrEqual(runs[0].silentFramesWithin, 256 * gaps, "\(runs[0])")
            let silent = runs[1].runs.filter { $0.content == .silence }.reduce(0) { $0 + $1.length }
            XCTAssertGreaterThanOrEqual(silent, 256 * fewest, "\(runs[1])")
            await bus.close()
        }
    }

    func testAMixLosesOnlyThatSource() async throws {
        try await onBoth { daemon in
            let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
            let hearing = Hearing()
            let receiver = try await hearing.mixed(on: bus, channels: .stereo)
            try await run(bus, receiver, hearing, on: daemon)
            let gaps = Int(try await receiver.statistics.gaps)
            let mix = [hearing.mix(0), hearing.mix(1)]
            XCTAssertFalse(mix.joined().contains { !$0.isFinite })
            XCTAssertTrue(receiver.mixMeter.rms.isFinite)
            // The good one alone, or both, which are in time with each other: nothing else comes of them.
            let runs = ClockRuns(mix)
            let doubled = ClockRuns(mix.map { $0.map { $0 / 2 } })
            let both = doubled.counts.reduce(0) { $0 + $1.length }
            let alone = runs.counts.filter { $0.length >= 256 }.reduce(0) { $0 + $1.length }
            XCTAssertGreaterThan(both, 256 * 200)
            XCTAssertGreaterThanOrEqual(alone, 256 * fewest)
            XCTAssertLessThanOrEqual(runs.silentFramesWithin, 256 * gaps)
            await bus.close()
        }
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A receiver's held latency ends when nothing is connected.
///
/// In real time, because PipeWire runs a receiver for some cycles before the app knows that it has a source again.
final class HeldLatencyInRealTimeTests: DaemonTestCase {
    func testASourceAfterATimeWithoutAnyIsNotDelayed() async throws { try await check(.chosen) }

    func testASourceAfterATimeWithoutAnyIsNotDelayedOnANewerPipeWire() async throws {
        try await check(PipeWireInstallation.newer())
    }

    private func check(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(quantum: 64), installation: installation)
        let environment = daemon.environment(client: .system)
        let fast = try await ClockSender.start("Fast", in: environment)
        let slow = try await ClockSender.start("Slow", latency: 12_000, in: environment)
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let receiver = try await bus.receiver("in", channels: .stereo, lanes: 8, state: ()) { _, _, _ in }
        for _ in 0..<10 {
            try await bus.connect("Slow", to: receiver)
            try await daemon.perform("pw-link", "Fast:out_FL", "Test.in:input_2_FL")
            try await receiver.reports(latencies: [0, 12_000])
            try await frames(20_000, of: receiver)
            try await bus.disconnect("Slow", from: receiver)
            try await bus.disconnect("Fast", from: receiver)
            let rest = try await receiver.sources.count
            XCTAssertEqual(rest, 0)
            try await daemon.perform("pw-link", "Fast:out_FL", "Test.in:input_1_FL")
            try await receiver.reports(latencies: [0])
            try await frames(20_000, of: receiver)
            let delays = try await receiver.sources.map(\.delay.frames)
            XCTAssertEqual(delays, [0])
            try await bus.disconnect("Fast", from: receiver)
        }
        _ = (fast, slow)
        await bus.close()
    }

    /// Waits until a receiver has processed more frames.
    private func frames(_ count: Int, of receiver: ReceiverPort) async throws {
        let end = try await receiver.statistics.frames + UInt64(count)
        try await eventually("\(count) frames more") { try await receiver.statistics.frames >= end }
    }
}

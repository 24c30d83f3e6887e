// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Another client links a source of another latency into an occupied lane. The link is moved, and no report of its
/// latency affects the sound that was there.
final class MovedLinkTests: DaemonTestCase {
    /// So long that a busy machine misses few cycles. No latency here is a multiple of it.
    private let quantum = 1024

    private func check(
        _ installation: PipeWireInstallation, alignment: Alignment, first: Int, second: Int, third: Int?
    ) async throws {
        let daemon = try await startDaemon(.init(quantum: quantum), installation: installation)
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let hearing = Hearing()
        let receiver = try await hearing.separate(on: bus, channels: .stereo, alignment: alignment)
        let environment = daemon.environment(client: .system)
        var senders = [try await ClockSender.start("First", latency: first, in: environment)]
        try await bus.connect("First", to: receiver)
        try await receiver.reports(latencies: [first])
        if let third {
            // So old that no source has to be delayed for the next one.
            senders.append(try await ClockSender.start("Third", latency: third, in: environment))
            try await bus.connect("Third", to: receiver)
            try await receiver.reports(latencies: [first, third])
        }
        try await runCycles(60, of: receiver)
        hearing.forget()
        let before = try await receiver.statistics
        let latencies = [first] + (third.map { [$0] } ?? [])
        for _ in 0..<5 {
            let sender = try await ClockSender.start("Second", latency: second, in: environment)
            for (number, channel) in ["FL", "FR"].enumerated() {
                let tool = try daemon.run("pw-link", ["Second:out_\(channel)", "Test.in:input_1_\(channel)"])
                let ending = try await tool.waitForEnd()
                XCTAssertEqual(ending, .exited(0), "\(tool.failure("failed"))")
                try await eventually("channel \(number) to be moved") {
                    let links = await bus.graph.connections.filter { $0.destination == receiver.id }.flatMap(\.links)
                    return links.count == 2 * latencies.count + number + 1 && links.count { $0.input < 2 } == 2
                }
            }
            try await receiver.reports(latencies: latencies + [second])
            try await runCycles(8, of: receiver)
            sender.process.closeInput()
            try await sender.process.waitForEnd()
            try await receiver.reports(latencies: latencies)
            try await runCycles(8, of: receiver)
        }
        let after = try await receiver.statistics
        let moments = hearing.moments
        let scene = "latencies \(first) and \(second) with \(third ?? 0), \(installation)"
        XCTAssertEqual(after.realignments, before.realignments, scene)
        let age = third ?? first
        XCTAssertEqual(Set(moments.compactMap { $0.lanes[0]?.source.age.frames }), [age], scene)
        XCTAssertEqual(Set(moments.compactMap { $0.lanes[0]?.source.isLatencyUncertain }), [false], scene)
        let blocks = moments.compactMap { $0.lanes[0]?.channels }
        let runs = ClockRuns((0..<2).map { channel in blocks.flatMap { $0[channel] } })
        XCTAssertEqual(runs.otherFrames, 0, "\(scene): \(runs)")
        // On a busy machine cycles are missed or given twice, so the count goes on some whole cycles from where it was.
        XCTAssertEqual(Set(runs.offsets.map { $0 % quantum }).count, 1, "\(scene): \(runs)")
        await bus.close()
    }

    private func runCycles(_ count: UInt64, of receiver: ReceiverPort) async throws {
        let before = try await receiver.statistics.cycles
        try await eventually("cycles") { try await receiver.statistics.cycles >= before + count }
    }

    private func onBoth(_ check: (PipeWireInstallation) async throws -> Void) async throws {
        try await check(.chosen)
        if let newer = try? PipeWireInstallation.newer() { try await check(newer) }
    }

    func testAnOlderOneChangesNothingForAReceiverThatDoesNotAlign() async throws {
        try await onBoth { try await check($0, alignment: .immediate, first: 0, second: 5000, third: nil) }
    }

    func testAnOlderOneWithoutAWaitingCallChangesNothing() async throws {
        try await onBoth { try await check($0, alignment: .synchronized, first: 0, second: 5000, third: 9000) }
    }

    func testAYoungerOneChangesNothing() async throws {
        try await onBoth { try await check($0, alignment: .synchronized, first: 5000, second: 100, third: nil) }
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The latency of a source into whose lane another program links others, again and again: each is moved to a lane of its own, and the
/// source never counts as late as they are.
final class MovedLatencyTests: DaemonTestCase {
    func testASourceKeepsItsLatencyWhileOthersAreMoved() async throws {
        let daemon = try await startDaemon(.init(quantum: 1024))
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let receiver = try await bus.receiver("in", lanes: 8, state: ()) { _, _, _ in }
        let steady = try await ClockSender.start("Steady", latency: 480, in: daemon.environment())
        try await bus.connect("Steady", to: receiver)
        try await eventually("its latency") { try await receiver.sources.map(\.latencyRange.frames) == [480...480] }

        let updates = receiver.sourceUpdates
        let wrong = Task {
            var wrong: [String] = []
            for await changes in updates {
                for source in changes.sources
                where source.title.hasPrefix("Steady") && source.latencyRange.frames != 480...480 {
                    wrong.append("\(source.latencyRange.frames)")
                }
            }
            return wrong
        }
        func link(_ other: ClockSender, lane: Int) async throws {
            for position in ["FL", "FR"] {
                let tool = try daemon.run(
                    "pw-link", ["\(other.name):out_\(position)", "\(receiver.nodeName):input_\(lane)_\(position)"])
                _ = try await tool.waitForEnd()
            }
        }
        // New ones each time: a source that comes back soon after it was moved stays where it is linked.
        for round in 0..<20 {
            var others: [ClockSender] = []
            for (name, latency) in [("First", 1023), ("Second", 700), ("Third", 900)] {
                others.append(
                    try await ClockSender.start("\(name) \(round)", latency: latency, in: daemon.environment()))
            }
            try await bus.connect(others[0].name, to: receiver)
            try await link(others[1], lane: 1)
            try await link(others[2], lane: 2)
            try await eventually("four sources") { try await receiver.sources.count == 4 }
            // Links have met in the lanes of two sources: PipeWire's sums may be wrong since, and all latencies are watched. So
            // that of the next link is known at once.
            try await link(others[0], lane: 1)
            for other in others { other.process.signal(SIGKILL) }
            try await eventually("one source") { try await receiver.sources.count == 1 }
        }
        await receiver.close()
        let found = await wrong.value
        XCTAssertEqual(found, [])
        steady.process.closeInput()
    }
}

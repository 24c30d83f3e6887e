// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Filters and receivers get a sender's sound in the cycle in which it was made: the signal carries that position,
/// which is compared with the position at which it is heard.
final class ZeroAddedFramesTests: BusTestCase {
    private let steps = Steps(list: Steps.random(cycles: 300, seed: 2).list + [(1024, 500), (16, 2_000)])

    func testFromASenderToAReceiver() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        let sender = try await graph.peer("Sender")
        let receiver = try await graph.peer("Receiver")
        try await sender.addSender("out", channels: 2, .counting, by: .position)
        try await receiver.addReceiver("in", channels: 2, expecting: .counting, by: .position)
        try await receiver.join("Sender", to: "Receiver")
        try await graph.step(steps.list)
        let report = try await receiver.report("in")
        assertExact(report, frames: steps.frames, cycles: steps.cycles, "receiver")
        try await graph.close()
    }

    func testThroughThreeFilters() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        // The receiver first, against the stream: which node was made first must not matter.
        let receiver = try await graph.peer("Receiver")
        try await receiver.addReceiver("in", channels: 2, expecting: .counting, by: .position)
        var previous = "Receiver"
        var filters: [Peer] = []
        for name in ["Last", "Middle", "First"] {
            let filter = try await graph.peer(name)
            try await filter.addFilter("fx", channels: 2, expecting: .counting, by: .position)
            try await filter.join(name, to: previous)
            filters.append(filter)
            previous = name
        }
        let sender = try await graph.peer("Sender")
        try await sender.addSender("out", channels: 2, .counting, by: .position)
        try await sender.join("Sender", to: "First")
        try await graph.step(steps.list)
        for filter in filters {
            assertExact(try await filter.report("fx"), frames: steps.frames, cycles: steps.cycles, filter.name)
        }
        assertExact(try await receiver.report("in"), frames: steps.frames, cycles: steps.cycles, "receiver")
        try await graph.close()
    }
}

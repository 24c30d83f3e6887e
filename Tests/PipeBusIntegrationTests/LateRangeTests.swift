// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A feedback link and other links at one input: a cycle and frames are declared in different units, and PipeWire
/// combines each unit by itself.
final class LateRangeTests: DaemonTestCase {
    private struct Scene {
        let graph: SteppedGraph
        let bus: BusClient
        let first: FilterPort
        let second: FilterPort
        let input: ReceiverPort

        init(_ graph: SteppedGraph, cycle: Int) async throws {
            self.graph = graph
            bus = try await BusClient.connect(
                as: "org.pipebus.one", name: "One", remote: graph.remote, allowsConnectionsToSelf: true)
            first = try await Scene.filter("first", on: bus)
            second = try await Scene.filter("second", on: bus)
            input = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
            try await graph.step([(cycle, 3)])
        }

        static func filter(_ name: String, on bus: BusClient) async throws -> FilterPort {
            try await bus.filter(name, inputs: .mono, state: ()) { _, _, _, _ in }
        }

        func sender(_ name: String, latency: Int) async throws -> SenderPort {
            try await bus.sender(name, channels: .mono, latency: .frames(latency), state: ()) { _, _, _ in }
        }

        func expectLatency(_ expected: ClosedRange<Int>, cycle: Int) async throws {
            try await graph.settle()
            try await graph.step([(cycle, 4)])
            try await eventually("\(expected) in cycles of \(cycle)") {
                try await input.sources.first?.latencyRange.frames == expected
            }
        }

        func close() async throws {
            await bus.close()
            try await graph.close()
        }
    }

    func testTheLargestCountsWhateverACycleIs() async throws {
        let scene = try await Scene(try await SteppedGraph.start(installation: .chosen), cycle: 64)
        let early = try await scene.sender("early", latency: 100)
        let old = try await scene.sender("old", latency: 700)
        let new = try await scene.sender("new", latency: 0)
        try await scene.bus.connect(early, to: scene.first)
        try await scene.bus.connect(old, to: scene.first)
        try await scene.bus.connect(new, to: scene.second)
        try await scene.bus.connect(scene.first, to: scene.input)
        try await scene.bus.connect(scene.first, to: scene.second)
        // Late: what is new comes to the first one a cycle old.
        try await scene.bus.connect(scene.second, to: scene.first)
        for cycle in [64, 256, 1024, 2048, 256] {
            try await scene.expectLatency(min(100, cycle)...max(700, cycle), cycle: cycle)
        }
        try await scene.close()
    }

    /// In an app of its own, and with more behind it.
    func testBehindALoopACycleIsNotAddedToTheFramesOfOthers() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        let scene = try await Scene(graph, cycle: 256)
        let other = try await BusClient.connect(
            as: "org.pipebus.two", name: "Two", remote: graph.remote, allowsConnectionsToSelf: true)
        let sum = try await Scene.filter("sum", on: other)
        let end = try await Scene.filter("end", on: scene.bus)
        let old = try await scene.sender("old", latency: 3000)
        let new = try await scene.sender("new", latency: 0)
        try await scene.bus.connect(new, to: scene.second)
        try await scene.bus.connect(scene.first, to: scene.second)
        try await scene.bus.connect(scene.second, to: scene.first)
        try await scene.bus.connect(scene.first, to: sum)
        try await scene.bus.connect(old, to: sum)
        try await scene.bus.connect(sum, to: end)
        try await scene.bus.connect(end, to: scene.input)
        for cycle in [256, 1024, 64] { try await scene.expectLatency(cycle...3000, cycle: cycle) }
        await other.close()
        try await scene.close()
    }
}

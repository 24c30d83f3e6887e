// SPDX-License-Identifier: MIT
import ConnectionGraph
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Senders of other people that come, go and change their latencies, and one whose every frame has to come through.
final class HeldLatencyOnGraphTests: BusTestCase {
    private struct Scene {
        let graph: SteppedGraph
        let environment: [String: String]
        let bus: BusClient
        let hearing: Hearing
        let receiver: ReceiverPort

        static func start(_ installation: PipeWireInstallation, alignment: Alignment = .synchronized) async throws
            -> Scene
        {
            let graph = try await SteppedGraph.start(installation: installation)
            let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: graph.remote)
            let hearing = Hearing()
            let receiver = try await hearing.separate(on: bus, channels: .stereo, alignment: alignment)
            return Scene(graph: graph, bus: bus, hearing: hearing, receiver: receiver)
        }

        private init(graph: SteppedGraph, bus: BusClient, hearing: Hearing, receiver: ReceiverPort) {
            self.graph = graph
            self.bus = bus
            self.receiver = receiver
            self.hearing = hearing
            environment = ChildEnvironment.isolated(
                runtimeDirectory: graph.directory, remote: graph.remote, installation: .system)
        }

        func sender(_ name: String, latency: Int) async throws -> ClockSender {
            try await ClockSender.start(name, latency: latency, in: environment)
        }

        func connect(_ name: String, reporting latencies: [Int]) async throws {
            try await bus.connect(name, to: receiver)
            try await receiver.reports(latencies: latencies)
        }

        func step(_ cycles: Int) async throws { try await graph.step([(1000, cycles)]) }

        /// The runs of a source's sound.
        func runs(of title: String) -> ClockRuns {
            let lanes = hearing.moments.compactMap { moment in
                moment.lanes.values.first { $0.source.id == ids[title] }
            }
            return ClockRuns((0..<2).map { channel in lanes.flatMap { $0.channels[channel] } })
        }

        var ids: [String: GraphPort.ID] = [:]

        mutating func remember(_ title: String) async {
            ids[title] = await bus.graph.ports.first { $0.nodeName == title }?.id
        }

        func close() async throws {
            await bus.close()
            try await graph.close()
        }
    }

    private func onBoth(_ check: (PipeWireInstallation) async throws -> Void) async throws {
        try await check(.chosen)
        if let newer = try? PipeWireInstallation.newer() { try await check(newer) }
    }

    func testWhenTheSlowestIsKilledTheOthersGoOnAndInSilenceTheyAreOnTimeAgain() async throws {
        try await onBoth { installation in
            var scene = try await Scene.start(installation)
            let first = try await scene.sender("First", latency: 0)
            let second = try await scene.sender("Second", latency: 12_000)
            try await scene.connect("First", reporting: [0])
            await scene.remember("First")
            try await scene.step(20)
            let before = try await scene.receiver.statistics.realignments
            XCTAssertEqual(before, 0)
            try await scene.connect("Second", reporting: [0, 12_000])
            try await scene.step(20)
            let counted = try await scene.receiver.statistics.realignments
            XCTAssertEqual(counted, 1, "a slower one has come")
            XCTAssertEqual(scene.receiver.latency.duration, .milliseconds(250))
            scene.hearing.forget()
            try await scene.step(10)
            second.process.signal(SIGKILL)
            let ending = try await second.process.waitForEnd()
            XCTAssertEqual(ending, .killed(signal: SIGKILL))
            try await scene.receiver.reports(latencies: [0])
            try await scene.step(40)
            var runs = scene.runs(of: "First")
            XCTAssertEqual(runs.runs.map(\.length), [50_000], "\(runs)")
            let delays = try await scene.receiver.sources.map(\.delay.frames)
            XCTAssertEqual(delays, [12_000])
            XCTAssertEqual(scene.receiver.latency.duration, .milliseconds(250))
            // In silence it is on time again, and the sound after it is whole.
            try await first.setSilent(true)
            try await scene.step(14)
            XCTAssertEqual(scene.receiver.latency.duration, .zero)
            try await first.setSilent(false)
            scene.hearing.forget()
            try await scene.step(20)
            runs = scene.runs(of: "First")
            XCTAssertEqual(runs.runs.map(\.length), [20_000], "\(runs)")
            XCTAssertEqual(Set(scene.hearing.moments.compactMap { $0.lanes[0]?.source.age.frames }), [0])
            // Without a request and without a cycle: the audio thread's change is published by itself.
            try await eventually("the shorter delay") { try await scene.receiver.sources.map(\.delay.frames) == [0] }
            let after = try await scene.receiver.statistics.realignments
            XCTAssertEqual(after, 1)
            try await scene.close()
        }
    }

    func testASenderThatFollowsIsAsLateAsWhatIsHeld() async throws {
        var scene = try await Scene.start(.chosen)
        let first = try await scene.sender("First", latency: 0)
        let second = try await scene.sender("Second", latency: 12_000)
        let out = try await scene.bus.sender("out", latency: .following("in", plus: 10), state: ()) { _, _, _ in }
        try await scene.connect("First", reporting: [0])
        await scene.remember("First")
        try await scene.connect("Second", reporting: [0, 12_000])
        try await scene.step(20)
        XCTAssertEqual(out.latency.frames, 12_010)
        try await scene.bus.disconnect("Second", from: scene.receiver)
        try await scene.step(2)
        XCTAssertEqual(out.latency.frames, 12_010)
        try await first.setSilent(true)
        try await scene.step(20)
        try await eventually("the latency that is published") { out.latency.frames == 10 }
        _ = second
        try await scene.close()
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// An app that gives what it made of what it took: its sender is as late as its sources, by itself.
final class FollowingLatencyTests: BusTestCase {
    /// A sound whose every sample holds the time at which it was made.
    private static let when: Stage.Signal = { position, _ in Float(position + 10_000) }

    private func startMixer(on stage: Stage) async throws -> BusClient {
        try await BusClient.connect(
            as: "org.pipebus.mixer", name: "Mixer", remote: stage.graph.remote, allowsConnectionsToSelf: true)
    }

    func testWhatAMixerGivesIsAlignedWithWhatItTook() async throws {
        let stage = try await Stage.start()
        let late = try await stage.sender("late", latency: 4800, Self.when)
        let prompt = try await stage.sender("prompt", Self.when)
        let mixer = try await startMixer(on: stage)
        let mix = PassOn()
        let input = try await mix.receiver("in", on: mixer)
        let output = try await mix.sender("out", on: mixer, latency: .following(input))
        XCTAssertEqual(output.latency.frames, 0)
        XCTAssertEqual(late.latency.frames, 4800)
        XCTAssertEqual(late.latency.duration, .milliseconds(100), "the daemon announces the graph's rate")
        try await mixer.connect(late, to: input)
        try await input.reports(latencies: [4800])
        try await eventually("the sender to follow") { output.latency.frames == 4800 }

        let hearing = Hearing()
        let taken = try await hearing.separate(on: stage.taker)
        try await stage.taker.connect(output, to: taken)
        try await stage.taker.connect(prompt, to: taken)
        try await taken.reports(latencies: [0, 4800])
        let id = try XCTUnwrap(taken.graphID)
        try await eventually("the graph to have the same latencies") {
            let latencies = await stage.taker.graph.latencies
            return latencies.latency(arrivingAt: id)?.frames == 0...4800
                && latencies.latency(leaving: output.graphID ?? id)?.frames == 4800...4800
        }
        try await stage.graph.settle()
        try await stage.step(512, cycles: 12)
        hearing.forget()
        try await stage.step(333, cycles: 20)
        XCTAssertEqual(hearing.moments.count, 20)
        for moment in hearing.moments {
            let lanes = moment.lanes.values.map { $0.channels[0] }
            XCTAssertEqual(lanes.count, 2)
            guard lanes.count == 2 else { break }
            // Both were made 4800 frames ago, to the frame.
            let expected = (0..<333).map { Float(moment.start - 4800 + $0 + 10_000) }
            assertSamples(lanes[0], equal: expected)
            assertSamples(lanes[1], equal: expected)
        }
        for moment in hearing.moments {
            for lane in moment.lanes.values { XCTAssertEqual(lane.source.age.duration, .milliseconds(100)) }
        }
        let sources = try await taken.sources
        XCTAssertEqual(Set(sources.map(\.latency.duration)), [.zero, .milliseconds(100)])
        XCTAssertEqual(Set(sources.map(\.delay.duration)), [.zero, .milliseconds(100)])
        for latency in [late.latency, output.latency, input.latency, taken.latency] {
            XCTAssertEqual(latency.duration, .milliseconds(100), "\(latency)")
        }
        await mixer.close()
        await late.close()
        XCTAssertEqual(late.latency.duration, .milliseconds(100), "of a port that is closed, as it was")
        try await stage.close()
    }

    func testTheSumIsKeptUpToDate() async throws {
        let stage = try await Stage.start()
        let first = try await stage.sender("first", latency: 100, Self.when)
        let second = try await stage.sender("second", latency: 700, Self.when)
        let mixer = try await startMixer(on: stage)
        let mix = PassOn()
        // The sender first: the receiver may be added later.
        let output = try await mix.sender("out", on: mixer, latency: .following("in", plus: 32))
        XCTAssertEqual(output.latency.frames, 32)
        let input = try await mix.receiver("in", on: mixer)
        try await mixer.connect(first, to: input)
        try await eventually("the first source to count") { output.latency.frames == 132 }
        try await mixer.connect(second, to: input)
        try await eventually("the slower source to count") { output.latency.frames == 732 }
        try await second.setLatency(5000)
        try await eventually("the change to count") { output.latency.frames == 5032 }
        // The neighbours hear of it as of any latency.
        let taken = try await Hearing().mixed(on: stage.taker)
        try await stage.taker.connect(output, to: taken)
        try await taken.reports(latencies: [5032])
        try await output.setLatency(.following(input, plus: 1))
        XCTAssertEqual(output.latency.frames, 5001)
        try await taken.reports(latencies: [5001])
        await input.close()
        try await eventually("nothing to be followed") { output.latency.frames == 1 }
        try await output.setLatency(7)
        try await taken.reports(latencies: [7])
        await mixer.close()
        try await stage.close()
    }

    func testSoundThatComesBackDoesNotMakeItGrow() async throws {
        let stage = try await Stage.start()
        let late = try await stage.sender("late", latency: 480, Self.when)
        let delay = try await stage.delay("delay", by: 1000)
        let mixer = try await startMixer(on: stage)
        let mix = PassOn()
        let input = try await mix.receiver("in", on: mixer)
        let output = try await mix.sender("out", on: mixer, latency: .following("in"))
        try await mixer.connect(late, to: input)
        try await mixer.connect(output, to: delay)
        try await mixer.connect(delay, to: input)
        try await stage.step(1024, cycles: 20)
        // Late by its own way, the filter's and the cycle that a loop costs.
        try await input.reports(latencies: [480, 480 + 1000 + 1024])
        try await stage.step(1024, cycles: 20)
        try await stage.graph.settle()
        XCTAssertEqual(output.latency.frames, 480)
        try await input.reports(latencies: [480, 480 + 1000 + 1024])
        await mixer.close()
        try await stage.close()
    }

    /// Two mixers of different apps, each of which takes the other one's mix.
    func testACircleOfAppsDoesNotMakeItGrow() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        var clients: [BusClient] = []
        for name in ["One", "Two", "Three"] {
            clients.append(
                try await BusClient.connect(
                    as: "org.pipebus.\(name)", name: name, remote: graph.remote, allowsConnectionsToSelf: true))
        }
        let late = try await clients[2].sender("late", channels: .mono, latency: 3000, state: ()) { _, _, _ in }
        var outputs: [SenderPort] = []
        for client in clients.prefix(2) {
            let mix = PassOn()
            _ = try await mix.receiver("in", on: client)
            outputs.append(try await mix.sender("out", on: client, latency: .following("in")))
        }
        try await clients[2].connect(late, to: "One.in")
        try await eventually("the first mixer to follow") { outputs[0].latency.frames == 3000 }
        try await clients[2].connect("One.out", to: "Two.in")
        try await eventually("the second mixer to follow") { outputs[1].latency.frames == 3000 }
        try await clients[2].connect("Two.out", to: "One.in")
        for _ in 0..<20 {
            try await graph.settle()
            try await graph.step([(1024, 10)])
            XCTAssertLessThanOrEqual(outputs[0].latency.frames, 3000)
            XCTAssertLessThanOrEqual(outputs[1].latency.frames, 3000 + 1024)
        }
        try await clients[2].disconnect("Two.out", from: "One.in")
        try await eventually("both as before") { outputs.map(\.latency.frames) == [3000, 3000] }
        for client in clients { await client.close() }
        try await graph.close()
    }

    func testWhatCannotBeFollowedIsRefused() async throws {
        let stage = try await Stage.start()
        let mixer = try await startMixer(on: stage)
        let tone = try await mixer.sender("tone", state: ()) { _, _, _ in }
        for (latency, words) in [
            (PortLatency.following("tone"), "\"tone\" is none"), (.following("out"), "\"out\" is none"),
            (.following("in", plus: -1), "0 to 1048576"), (.following("in", plus: .max), "0 to 1048576"),
            (.frames(.min), "0 to 1048576"), (.following("a:b"), ": or /"), (.following(""), "may not be empty"),
        ] {
            await assertThrows("\(latency)") {
                try await mixer.sender("out", latency: latency, state: ()) { _, _, _ in }
            } _: { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument, "\(error)")
                XCTAssertTrue("\(error)".contains(words), "\(error)")
            }
        }
        await assertThrows("a port that does not run after it") {
            try await tone.setLatency(.following("in"))
        } _: { error in
            XCTAssertTrue("\(error)".contains("run after"), "\(error)")
        }
        await mixer.close()
        try await stage.close()
    }
}

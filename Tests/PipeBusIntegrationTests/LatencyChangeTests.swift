// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// Latencies that change while everything runs.
final class LatencyChangeTests: BusTestCase {
    /// Five processes in a row.
    private func checkChain(daemon: PipeWireInstallation, client: PipeWireInstallation) async throws {
        let graph = try await SteppedGraph.start(installation: daemon)
        let receiver = try await graph.peer("Receiver", client: client)
        try await receiver.addReceiver("in", channels: 2)
        let filters = ["First", "Second", "Third"]
        var peers: [String: Peer] = [:]
        for (index, name) in filters.enumerated() {
            let peer = try await graph.peer(name, client: client)
            try await peer.addFilter("fx", channels: 2, latency: 10 * (index + 1))
            peers[name] = peer
        }
        let sender = try await graph.peer("Sender", client: client)
        try await sender.addSender("out", channels: 2, .constant(0.5), latency: 1000)
        func expectLatency(_ frames: Int, _ what: String) async throws {
            try await eventually("\(frames) frames, \(what)") {
                try await receiver.latencies("in") == ["Third fx": [frames, frames]]
            }
        }
        try await receiver.join("Third", to: "Receiver")
        try await receiver.join("Second", to: "Third")
        try await sender.join("Sender", to: "First")
        try await sender.join("First", to: "Second")
        try await expectLatency(1060, "linked")
        try await sender.setLatency(4000, of: "out")
        try await expectLatency(4060, "the sender's changed")
        try await graph.step([(1024, 3)])
        try await peers["Second"]?.setLatency(1_048_576, of: "fx")
        try await expectLatency(1_052_616, "the middle one's changed")
        try await peers["Second"]?.setLatency(0, of: "fx")
        // Less waits a moment, since it may be the first sign of a link that goes.
        try await eventually("less") { try await receiver.latencies("in") == ["Third fx": [4040, 4040]] }
        try await graph.step([(1024, 3)])
        try await receiver.perform(.part(source: "Second", destination: "Third"))
        try await sender.setLatency(500, of: "out")
        try await peers["First"]?.setLatency(7, of: "fx")
        try await eventually("the rest") { try await receiver.latencies("in") == ["Third fx": [30, 30]] }
        try await receiver.join("Second", to: "Third")
        try await expectLatency(537, "linked again")
        try await graph.close()
    }

    func testAChangeReachesAReceiverThreeFiltersAway() async throws {
        try await checkChain(daemon: .chosen, client: .chosen)
    }

    func testWithANewerPipeWire() async throws {
        let newer = try PipeWireInstallation.newer()
        try await checkChain(daemon: newer, client: newer)
        try await checkChain(daemon: newer, client: .system)
    }

    func testWhatAPortSaysOfItself() async throws {
        let stage = try await Stage.start()
        let sender = try await stage.sender("out", latency: 5) { _, _ in 0 }
        let filter = try await stage.delay("fx", by: 480)
        XCTAssertEqual([sender.latency.frames, filter.latency.frames], [5, 480])
        try await sender.setLatency(0)
        try await filter.setLatency(1_048_576)
        XCTAssertEqual([sender.latency.frames, filter.latency.frames], [0, 1_048_576])
        for frames in [-1, 1_048_577, .min, .max] {
            let setters: [(Int) async throws -> Void] = [
                { try await sender.setLatency(.frames($0)) }, filter.setLatency,
            ]
            for set in setters {
                await assertThrows("\(frames) frames") {
                    try await set(frames)
                } _: { error in
                    XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument, "\(error)")
                }
            }
        }
        XCTAssertEqual([sender.latency.frames, filter.latency.frames], [0, 1_048_576], "as before")
        await sender.close()
        await stage.givers.close()
        let setters: [(Int) async throws -> Void] = [
            { try await sender.setLatency(.frames($0)) }, filter.setLatency,
        ]
        for set in setters {
            await assertThrows("a closed port") {
                try await set(1)
            } _: { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .closed, "\(error)")
            }
        }
        XCTAssertEqual([sender.latency.frames, filter.latency.frames], [0, 1_048_576], "read at any time")
        try await stage.close()
    }

    /// A filter on one of two ways changes how long it takes, and says so: what inverts the other way still silences it.
    func testADiamondStaysAlignedAfterAChange() async throws {
        let noise = TestSignal(.noise(seed: 4))
        let stage = try await Stage.start()
        let hearing = Hearing()
        let dry = try await stage.sender("dry") { position, channel in
            noise.sample(frame: UInt64(bitPattern: position), channel: channel)
        }
        let delay = VariableDelay(480)
        let wet = try await stage.givers.filter("wet", inputs: .mono, latency: 480, state: VariableDelay.Past(delay)) {
            past, _, input, output in
            let from = input[0]
            var to = output[0]
            for frame in from.indices { to[frame] = -past.pass(from[frame]) }
        }
        try await eventually("it to be seen") { await stage.taker.graph.port(wet.id) != nil }
        let receiver = try await hearing.mixed(on: stage.taker)
        try await stage.taker.connect(dry, to: wet)
        try await stage.taker.connect(dry, to: receiver)
        try await stage.taker.connect(wet, to: receiver)
        for frames in [480, 0, 9000, 1, 480, 64] {
            delay.set(frames)
            try await wet.setLatency(frames)
            try await receiver.reports(latencies: [0, frames])
            // Nothing is silent here, so a shorter one is held until it is given up.
            try await receiver.realign()
            // The delays glide to their new places, and the line holds old sound.
            try await stage.step(1024, cycles: 12)
            hearing.forget()
            try await stage.graph.step([(64, 20), (1000, 3)])
            XCTAssertNil(hearing.mix().firstIndex { $0 != 0 }, "\(frames)")
            XCTAssertEqual(hearing.mix().count, 4280)
            XCTAssertEqual(
                Set(hearing.moments.map { $0.start - ($0.timestamp?.position ?? 0) }), [Int64(frames)], "\(frames)")
        }
        try await stage.close()
    }

    /// The daemon reports the new latency to the receiver before the audio of that latency comes. The sound must not
    /// break.
    func testAChangeWhileTheGraphRuns() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let sender = try await stage.sender("out") { _, _ in 0.5 }
        try await stage.taker.connect(sender, to: receiver)
        try await stage.stepping(256) {
            for frames in [100, 5, 2000, 0, 17] {
                try await sender.setLatency(.frames(frames))
                try await receiver.reports(latencies: [frames])
            }
        }
        try await stage.close()
    }
}

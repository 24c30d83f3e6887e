// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Sources that meet in a receiver add up exactly, sample by sample and in the same cycle.
final class SummingTests: BusTestCase {
    private let steps = Steps(list: [(1024, 200), (16, 500), (8192, 20)] + Steps.random(cycles: 100, seed: 3).list)

    func testOppositesGiveExactSilence() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        let receiver = try await graph.peer("Receiver")
        try await receiver.addReceiver("in", channels: 2, expecting: .constant(0))
        for (name, gain) in [("Plus", 1), ("Minus", -1)] as [(String, Float)] {
            let sender = try await graph.peer(name)
            try await sender.addSender("out", channels: 2, TestSignal(.counting, gain: gain), by: .position)
            try await receiver.join(name, to: "Receiver")
        }
        try await graph.step(steps.list)
        let report = try await receiver.report("in")
        assertUndisturbed(report, frames: steps.frames, cycles: steps.cycles, "receiver")
        XCTAssertEqual(report.leadingSilence, steps.frames, "a sample is \(report.faultSample)")
        // There was something to be silenced.
        let meters = try await receiver.meters("in")
        XCTAssertEqual(Set(meters.map(\.title)), ["Plus out", "Minus out"])
        let loudest = Float(min(steps.frames, (1 << 24) - 1))
        XCTAssertTrue(meters.allSatisfy { $0.peak >= loudest / 2 }, "\(meters)")
        try await graph.close()
    }

    func testEightEqualSendersGiveExactlyEightTimesOne() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        // Eight times the largest is below 2²⁴, so every sum is an integer that a float holds.
        let signal = TestSignal(.counting, modulus: 1 << 20)
        let receiver = try await graph.peer("Receiver")
        try await receiver.addReceiver(
            "in", channels: 2, lanes: 8, expecting: TestSignal(.counting, gain: 8, modulus: 1 << 20), by: .position)
        let senders = try await graph.peer("Sender")
        for number in 1...8 {
            try await senders.addSender("out\(number)", channels: 2, signal, by: .position)
            try await receiver.join("Sender/out\(number)", to: "Receiver")
        }
        try await graph.step(steps.list)
        assertExact(try await receiver.report("in"), frames: steps.frames, cycles: steps.cycles, "receiver")
        try await graph.close()
    }

    func testMonoGoesToBothSidesOfStereo() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        let receiver = try await graph.peer("Receiver")
        try await receiver.addReceiver("in", channels: 2, expecting: .constant(0.25))
        let sender = try await graph.peer("Sender")
        try await sender.addSender("out", channels: 1, .constant(0.25))
        try await receiver.join("Sender", to: "Receiver")
        try await graph.step(steps.list)
        assertExact(try await receiver.report("in"), frames: steps.frames, cycles: steps.cycles, "receiver")
        try await graph.close()
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The same sound twice, once unchanged and once through a filter that inverts and delays it.
final class DiamondTests: BusTestCase {
    private let noise = TestSignal(.noise(seed: 9))
    private let latency = 480

    private func connect(_ stage: Stage, _ hearing: Hearing, _ alignment: Alignment) async throws -> (
        dry: SenderPort, wet: FilterPort, receiver: ReceiverPort
    ) {
        let noise = noise
        let dry = try await stage.sender("dry", channels: .stereo) { position, channel in
            noise.sample(frame: UInt64(bitPattern: position), channel: channel)
        }
        let wet = try await stage.delay("wet", channels: .stereo, by: latency, gain: -1)
        let receiver = try await hearing.mixed(on: stage.taker, channels: .stereo, alignment: alignment)
        try await stage.taker.connect(dry, to: wet)
        try await stage.taker.connect(dry, to: receiver)
        return (dry, wet, receiver)
    }

    func testAlignedItIsExactlySilent() async throws {
        let stage = try await Stage.start()
        let hearing = Hearing()
        let (_, wet, receiver) = try await connect(stage, hearing, .synchronized)
        // Alone, every sample as it is.
        try await stage.step(1000)
        assertSamples(hearing.mix(1), equal: noise.samples(count: 1000, channel: 1), channel: 1)
        try await stage.taker.connect(wet, to: receiver)
        try await receiver.reports(latencies: [0, latency])
        let id = try XCTUnwrap(receiver.graphID)
        try await eventually("the graph to have the latencies") { [latency] in
            await stage.taker.graph.latencies.mismatch(at: id) == latency
        }
        // The filter has heard nothing yet, and the dry sound's delay goes from nothing to its own.
        try await stage.step(1000)
        hearing.forget()
        try await stage.graph.step([(64, 100), (16, 100), (8192, 3)] + Steps.random(cycles: 30, seed: 8).list)
        for channel in 0..<2 {
            XCTAssertEqual(hearing.mix(channel).firstIndex { $0 != 0 }, nil)
            XCTAssertGreaterThan(hearing.mix(channel).count, 100_000)
        }
        XCTAssertEqual(Set(hearing.moments.map { $0.start - ($0.timestamp?.position ?? 0) }), [Int64(latency)])
        // There was something to be silenced, and the meters of the lanes are before the mix.
        for lane in 0..<2 { XCTAssertGreaterThan(receiver.meter(ofLane: lane).peak, 0.99) }
        try await stage.close()
    }

    func testImmediateItIsACombFilter() async throws {
        let stage = try await Stage.start()
        let hearing = Hearing()
        let (_, wet, receiver) = try await connect(stage, hearing, .immediate)
        try await stage.taker.connect(wet, to: receiver)
        try await receiver.reports(latencies: [0, latency])
        try await stage.step(1000, cycles: 3)
        let expected = (0..<3000).map { frame in
            noise.sample(frame: UInt64(frame), channel: 0)
                - (frame >= latency ? noise.sample(frame: UInt64(frame - latency), channel: 0) : 0)
        }
        assertSamples(hearing.mix(), equal: expected)
        try await stage.close()
    }
}

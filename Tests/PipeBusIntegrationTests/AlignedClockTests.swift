// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Aligned sources over changes of the cycle's length, the rate and the driver: they are aligned again, to the sample.
final class AlignedClockTests: BusTestCase {
    func testExactlyOnASteppedGraph() async throws { try await check(.chosen) }
    func testExactlyOnASteppedGraphOf14() async throws { try await check(.newer()) }

    private func check(_ installation: PipeWireInstallation) async throws {
        let latency = 480
        let noise = TestSignal(.noise(seed: 7))
        let signal: Stage.Signal = { position, channel in
            noise.sample(frame: UInt64(bitPattern: position), channel: channel)
        }
        let stage = try await Stage.start(installation: installation)
        let hearing = Hearing()
        let receiver = try await hearing.separate(on: stage.taker)
        let early = try await stage.sender("early", signal)
        let late = try await stage.sender("late", latency: latency, signal)
        for sender in [early, late] { try await stage.taker.connect(sender, to: receiver) }
        try await eventually("the latency") { try await receiver.sources.map(\.latency.frames).contains(latency) }
        try await stage.step(1024, cycles: 4)
        let changes: [(what: String, change: (SteppedGraph) async throws -> Void)] = [
            ("nothing", { _ in }),
            ("44100 Hz", { try await $0.setClock(0, sampleRate: 44_100) }),
            ("96000 Hz", { try await $0.setClock(0, sampleRate: 96_000) }),
            ("48000 Hz", { try await $0.setClock(0, sampleRate: 48_000) }),
            ("a driver", { try await $0.setClock(9001, sampleRate: 48_000) }),
            (
                "a driver elsewhere, after 5 ms",
                { graph in
                    try await graph.setClock(9002, sampleRate: 48_000)
                    try await graph.moveClock(to: 123_456_789, afterMilliseconds: 5)
                }
            ),
            (
                "a driver with another rate, after 300 ms",
                { graph in
                    try await graph.moveClock(to: 64, afterMilliseconds: 300)
                    try await graph.setClock(9003, sampleRate: 44_100)
                }
            ),
            (
                "the first one",
                { graph in
                    try await graph.setClock(0, sampleRate: 48_000)
                    try await graph.moveClock(to: 1 << 40, afterMilliseconds: 20)
                }
            ),
        ]
        for (what, change) in changes {
            hearing.forget()
            try await change(stage.graph)
            try await stage.graph.step([
                (64, 3), (128, 3), (256, 3), (512, 3), (1024, 2), (8192, 1), (16, 3), (1024, 2),
            ])
            let moments = hearing.moments
            XCTAssertEqual(moments.count, 20, what)
            XCTAssertEqual(
                moments.map(\.cycle.isDiscontinuous), [what != "nothing"] + Array(repeating: false, count: 19))
            let start = moments[0].start
            for moment in moments {
                XCTAssertEqual(moment.lanes.count, 2, what)
                for (lane, heard) in moment.lanes {
                    let made = heard.source.timestamp.position
                    XCTAssertEqual(made, moment.start - Int64(latency), what)
                    for (frame, sample) in heard.channels[0].enumerated() {
                        let position = made + Int64(frame)
                        let isRight = sample == signal(position, 0) || position < start && lane == 0 && sample == 0
                        guard isRight else { return XCTFail("\(what): lane \(lane), made at \(position - start)") }
                    }
                }
            }
        }
        try await stage.close()
    }
}

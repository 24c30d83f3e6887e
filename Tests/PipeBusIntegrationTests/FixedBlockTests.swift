// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import RealtimeKit
import SeededRandom
import XCTest

/// Senders and filters with blocks of a fixed size on an exact graph: their sound has the age that they publish, to the frame.
final class FixedBlockTests: DaemonTestCase {
    private static let sizes = [1, 7, 64, 441, 1000, 1024, 4096, 10_000]
    private let signal: Stage.Signal = { position, _ in Float(position % 100_003) + 1 }

    private static func least(_ size: Int, _ quantum: Int) -> Int {
        var (larger, smaller) = (size, quantum)
        while smaller > 0 { (larger, smaller) = (smaller, larger % smaller) }
        return size - larger
    }

    /// A filter that inverts its input, and checks its calls.
    private func filter(_ name: String, on stage: Stage, size: Int, faults: Box<[String]>) async throws -> FilterPort {
        try await stage.givers.filter(
            name, inputs: .mono, fade: .none, blockSize: size, state: UInt64(0)
        ) { next, cycle, input, output in
            if cycle.frameCount != size || input.frameCount != size || output.frameCount != size {
                faults.value.append("\(name): \(cycle.frameCount) frames")
            }
            if cycle.position != next, !cycle.isDiscontinuous { faults.value.append("\(name): an untold gap") }
            next = cycle.position + UInt64(cycle.frameCount)
            let from = input[0]
            output.fill(0) { frame in -from[frame] }
        }
    }

    /// Checks that the sound of each lane is what its timestamp says.
    private func check(
        _ hearing: Hearing, _ gains: [Int: Float], _ what: String, file: StaticString = #filePath, line: UInt = #line
    ) {
        let moments = hearing.moments
        XCTAssertGreaterThan(moments.count, 2, file: file, line: line)
        for (lane, gain) in gains {
            for moment in moments {
                guard let heard = moment.lanes[lane] else {
                    return XCTFail("lane \(lane) is empty, \(what)", file: file, line: line)
                }
                let start = heard.source.timestamp.position
                let expected = (0..<Int64(moment.cycle.frameCount)).map { gain * signal(start + $0, 0) }
                if heard.channels[0] != expected {
                    let first = zip(heard.channels[0], expected).enumerated().first { $0.element.0 != $0.element.1 }
                    return XCTFail(
                        "lane \(lane), frame \(first?.offset ?? -1): \(first.map { "\($0.element)" } ?? ""), \(what)",
                        file: file, line: line)
                }
            }
        }
    }

    func testTheAgeOfTheSoundIsTheOneThatIsPublished() async throws {
        let stage = try await Stage.start()
        let faults = Box<[String]>([])
        let hearing = Hearing()
        let receiver = try await hearing.separate(on: stage.taker, lanes: 20, alignment: .immediate)
        let source = try await stage.sender("out", signal)
        let delay = try await stage.delay("delay", by: 480)
        try await stage.taker.connect(source, to: delay)
        var sizes: [String: Int] = [:]
        var ports: [LocalPort] = []
        var filters: [(port: FilterPort, size: Int)] = []
        for size in Self.sizes {
            let filter = try await filter("fx-\(size)", on: stage, size: size, faults: faults)
            ports.append(filter)
            try await eventually("it to be seen") { await stage.taker.graph.port(filter.id) != nil }
            // One of them has a source that is late itself.
            try await stage.taker.connect(size == 1000 ? delay : source, to: filter)
            sizes["Givers \(filter.name)"] = size
            filters.append((filter, size))
            let sender = try await stage.givers.sender(
                "ahead-\(size)", channels: .mono, blockSize: size, state: ()
            ) { [signal] _, cycle, output in
                var samples = output[0]
                for frame in samples.indices { samples[frame] = signal(Int64(cycle.position) + Int64(frame), 0) }
            }
            try await eventually("it to be seen") { await stage.taker.graph.port(sender.id) != nil }
            ports.append(sender)
        }
        for port in ports { try await stage.taker.connect(port, to: receiver) }
        try await stage.graph.settle()
        var gains: [Int: Float] = [:]
        for source in try await receiver.sources {
            gains[source.lane] = source.title.contains("fx") ? -1 : 1
        }
        XCTAssertEqual(gains.count, 16)
        func waitForLatencies(_ what: String, _ expected: @escaping @Sendable (Int) -> Int) async throws {
            let sizes = sizes
            try await eventually("the latencies, \(what)") {
                try await receiver.sources.allSatisfy { source in
                    let latency = sizes[source.title].map { $0 == 1000 ? expected($0) + 480 : expected($0) }
                    return source.latency.frames == latency ?? 0
                }
            }
        }
        for quantum in [1024, 441, 17, 8192, 1000, 16, 256] {
            // The delay is the least one a second after the change, when the sound that waits with the old one has left.
            try await stage.step(quantum, cycles: 62_000 / quantum + 2)
            try await waitForLatencies("in cycles of \(quantum)") { Self.least($0, quantum) }
            XCTAssertEqual(filters.map(\.port.latency.frames), filters.map { Self.least($0.size, quantum) })
            hearing.forget()
            try await stage.step(quantum, cycles: 21_000 / quantum + 3)
            check(hearing, gains, "in cycles of \(quantum)")
        }
        // Another length in each cycle: soon all have the longest delay that they ever need.
        var generator = SeededGenerator(seed: 9)
        func random(_ count: Int) -> [(frames: Int, cycles: Int)] {
            (0..<count).map { _ in (Int.random(in: 16...3000, using: &generator), 1) }
        }
        try await stage.graph.step(random(150))
        try await waitForLatencies("in cycles of any length") { $0 - 1 }
        hearing.forget()
        try await stage.graph.step(random(60))
        check(hearing, gains, "in cycles of any length")
        XCTAssertEqual(faults.value, [])
        try await stage.close()
    }

    /// Sound that a sender fetches ahead has to be there so much earlier: that is latency, and it is published.
    func testLiveSoundThatIsFetchedAheadIsAsOldAsIsPublished() async throws {
        let stage = try await Stage.start()
        let source = try await stage.sender("out", latency: 33, signal)
        for size in [300, 1024, 4096] {
            let ring = SampleRing(channelCount: 1, minimumCapacity: 1 << 15)
            let input = try await stage.givers.receiver(
                "in-\(size)", channels: .mono, fade: .none, panLaw: .balance, state: ring.makeWriter()
            ) { writer, _, mix in _ = writer.tryWrite(mix.channels) }
            let output = try await stage.givers.sender(
                "on-\(size)", channels: .mono, latency: .following(input), blockSize: size,
                state: ring.makeReader()
            ) { reader, _, output in _ = reader.read(into: &output) }
            let hearing = Hearing()
            let receiver = try await hearing.separate(
                on: stage.taker, "heard-\(size)", alignment: .immediate)
            try await eventually("them to be seen") { await stage.taker.graph.port(output.id) != nil }
            try await stage.taker.connect(output, to: receiver)
            try await stage.taker.connect(source, to: input)
            try await stage.graph.settle()
            // The reserve grows with the first blocks.
            try await stage.step(256, cycles: 200)
            let latency = 33 + Self.least(size, 256)
            try await receiver.reports(latencies: [latency])
            XCTAssertEqual(output.latency.frames, latency)
            hearing.forget()
            try await stage.step(256, cycles: 60)
            let lane = try await receiver.sources.first?.lane ?? -1
            check(hearing, [lane: 1], "blocks of \(size)")
            for port in [input, output] as [LocalPort] { await port.close() }
            await receiver.close()
        }
        try await stage.close()
    }

    func testASenderThatBecomesLiveIsAsLateAsItsBlocks() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let sender = try await stage.givers.sender("out", channels: .mono, latency: 5, blockSize: 1024, state: ()) {
            _, _, _ in
        }
        try await eventually("it to be seen") { await stage.taker.graph.port(sender.id) != nil }
        try await stage.taker.connect(sender, to: receiver)
        try await stage.stepping(256) {
            try await receiver.reports(latencies: [5])
            try await sender.setFromLiveSource(true)
            try await receiver.reports(latencies: [773])
            try await sender.setLatency(100)
            try await receiver.reports(latencies: [868])
            XCTAssertEqual(sender.latency.frames, 868)
            try await sender.setFromLiveSource(false)
            try await receiver.reports(latencies: [100])
        }
        try await stage.close()
    }

    func testSizesThatNoBlockHas() async throws {
        let stage = try await Stage.start()
        let bus = stage.givers
        for size in [0, -1, 65_537, .max, .min] {
            let calls: [() async throws -> Void] = [
                { _ = try await bus.sender("a", blockSize: size, state: ()) { _, _, _ in } },
                { _ = try await bus.filter("b", blockSize: size, state: ()) { _, _, _, _ in } },
                { _ = try await bus.inPlaceFilter("c", blockSize: size, state: ()) { _, _, _ in } },
            ]
            for call in calls {
                await assertThrows("blocks of \(size)") {
                    try await call()
                } _: { error in
                    XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument, "\(error)")
                    XCTAssertEqual("\(error)".contains("1 to 65536 frames, not \(size)"), true, "\(error)")
                }
            }
        }
        try await stage.close()
    }

    func testABypassOnTheGraphKeepsTheAge() async throws {
        let stage = try await Stage.start()
        let hearing = Hearing()
        let receiver = try await hearing.separate(on: stage.taker, alignment: .immediate)
        let source = try await stage.sender("out", signal)
        let filter = try await stage.givers.inPlaceFilter(
            "fx", channels: .mono, latency: 0, fade: .none, blockSize: 1000, state: ()
        ) { _, _, channels in
            var samples = channels[0]
            for frame in samples.indices { samples[frame] *= 2 }
        }
        try await eventually("it to be seen") { await stage.taker.graph.port(filter.id) != nil }
        try await stage.taker.connect(source, to: filter)
        try await stage.taker.connect(filter, to: receiver)
        try await stage.showToGivers(filter, receiver)
        try await stage.step(256, cycles: 20)
        try await receiver.reports(latencies: [992])
        try await stage.step(256, cycles: 20)
        let lane = try await receiver.sources.first?.lane ?? -1
        for (isBypassed, gain) in [(true, Float(1)), (false, 2), (true, 1)] {
            try await filter.setBypassed(isBypassed)
            try await stage.step(256, cycles: 30)
            hearing.forget()
            try await stage.step(256, cycles: 10)
            check(hearing, [lane: gain], "bypassed: \(isBypassed)")
        }
        // What is passed on follows the cycles' length too.
        try await stage.step(500, cycles: 120)
        try await receiver.reports(latencies: [500])
        try await stage.step(500, cycles: 10)
        hearing.forget()
        try await stage.step(500, cycles: 10)
        check(hearing, [lane: 1], "bypassed in other cycles")
        try await filter.setBypassed(false)
        try await stage.step(500, cycles: 10)
        hearing.forget()
        try await stage.step(500, cycles: 10)
        check(hearing, [lane: 2], "not bypassed any more")
        try await stage.close()
    }
}

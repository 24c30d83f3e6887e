// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Filters of both kinds on an exact graph: what they are given, when they are called, and what comes out when nothing is
/// connected.
final class FilterTests: DaemonTestCase {
    private let signal: Stage.Signal = { position, channel in Float((position + Int64(channel) * 7) % 1000) / 1000 }

    func testOneThatWorksInPlaceFindsItsInputInItsOutput() async throws {
        for channels in [1, 2, 8] {
            let stage = try await Stage.start()
            let source = try await stage.sender("out", channels: .channels(channels), signal)
            let filter = try await stage.givers.inPlaceFilter(
                "gain", channels: .channels(channels), fade: .none, state: Float(-0.5)
            ) { gain, _, channels in
                for channel in 0..<channels.count {
                    var samples = channels[channel]
                    for frame in samples.indices { samples[frame] *= gain }
                }
            }
            let hearing = Hearing()
            let receiver = try await hearing.mixed(on: stage.taker, channels: .channels(channels), panLaw: .balance)
            try await eventually("the filter to be seen") { await stage.taker.graph.port(filter.id) != nil }
            try await stage.taker.connect(source, to: filter)
            try await stage.taker.connect(filter, to: receiver)
            try await stage.showToGivers(filter, receiver)
            try await stage.graph.settle()
            for frames in [64, 1000, 16, 8192] { try await stage.step(frames, cycles: 2) }
            let moments = hearing.moments
            XCTAssertEqual(moments.count, 8)
            for moment in moments {
                for channel in 0..<channels {
                    let expected = (0..<moment.cycle.frameCount).map {
                        -0.5 * signal(moment.start + Int64($0), channel)
                    }
                    assertSamples(moment.mix[channel], equal: expected, channel: channel)
                }
            }
            try await stage.close()
        }
    }

    func testItIsConnectedIfEitherSideIsAndCalledOnlyWithADestination() async throws {
        let stage = try await Stage.start()
        let source = try await stage.sender("out", signal)
        let seen = Box<[AudioCycle]>([])
        let filter = try await stage.givers.filter("fx", inputs: .mono, state: ()) { _, cycle, _, _ in
            seen.value.append(cycle)
        }
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker)
        try await eventually("the filter to be seen") { await stage.taker.graph.port(filter.id) != nil }
        XCTAssertFalse(filter.isConnected)
        try await stage.taker.connect(source, to: filter)
        try await eventually("it to be connected") { filter.isConnected }
        try await stage.graph.settle()
        try await stage.step(256, cycles: 4)
        XCTAssertEqual(seen.value, [], "nobody would hear it")
        for round in 0..<3 {
            try await stage.taker.connect(filter, to: receiver)
            try await stage.showToGivers(filter, receiver)
            try await stage.graph.settle()
            seen.value = []
            try await stage.step(256, cycles: 3)
            XCTAssertEqual(seen.value.map(\.isDiscontinuous), [true, false, false], "round \(round)")
            XCTAssertEqual(seen.value.map(\.missedFrames), [0, 0, 0], "what nobody wanted was not missed")
            XCTAssertEqual(seen.value.map(\.isConnected), [true, true, true])
            try await stage.taker.disconnect(filter, from: receiver)
            try await stage.graph.settle()
            seen.value = []
            try await stage.step(256, cycles: 3)
            XCTAssertEqual(seen.value, [])
        }
        // And with a destination alone.
        try await stage.taker.disconnect(source, from: filter)
        try await eventually("it to be unconnected") { !filter.isConnected }
        try await stage.taker.connect(filter, to: receiver)
        try await eventually("it to be connected") { filter.isConnected }
        try await stage.graph.settle()
        try await stage.step(256, cycles: 3)
        XCTAssertEqual(seen.value.count, 3)
        let state = try await filter.state
        XCTAssertEqual(state.destinations.map(\.id), [receiver.id])
        XCTAssertEqual(state.sources, [])
        try await stage.close()
    }

    /// A filter that gives what it takes.
    private func passing(on stage: Stage, isInPlace: Bool, fade: Fade = .standard) async throws -> FilterPort {
        if isInPlace {
            return try await stage.givers.inPlaceFilter("fx", channels: .mono, fade: fade, state: ()) { _, _, _ in }
        }
        return try await stage.givers.filter("fx", inputs: .mono, fade: fade, state: ()) { _, _, input, output in
            var to = output[0]
            let from = input[0]
            for frame in to.indices { to[frame] = from[frame] }
        }
    }

    /// Without a source a filter is given silence in every cycle, never what it was given last.
    func testWithoutASourceItIsGivenSilence() async throws {
        for isInPlace in [false, true] {
            let stage = try await Stage.start()
            let sources = [try await stage.sender("one", signal), try await stage.sender("two", signal)]
            let filter = try await passing(on: stage, isInPlace: isInPlace, fade: .none)
            let hearing = Hearing()
            let receiver = try await hearing.mixed(on: stage.taker, panLaw: .balance)
            try await eventually("the filter to be seen") { await stage.taker.graph.port(filter.id) != nil }
            try await stage.taker.connect(filter, to: receiver)
            for count in [1, 2] {
                for source in sources.prefix(count) { try await stage.taker.connect(source, to: filter) }
                try await stage.graph.settle()
                hearing.forget()
                try await stage.step(256, cycles: 4)
                XCTAssertNotEqual(Set(hearing.mix()), [0], "it was heard")
                for source in sources.prefix(count) { try await stage.taker.disconnect(source, from: filter) }
                try await stage.graph.settle()
                hearing.forget()
                try await stage.step(256, cycles: 4)
                XCTAssertEqual(hearing.moments.count, 4)
                XCTAssertEqual(Set(hearing.mix()), [0], "\(count) sources, in place: \(isInPlace)")
            }
            try await stage.close()
        }
    }

    /// A source is connected and disconnected, by this client and by others, 100 times.
    func testComingAndGoingMakesNoStep() async throws {
        for isInPlace in [false, true] {
            let stage = try await Stage.start()
            let source = try await stage.sender("out") { _, _ in 1 }
            let filter = try await passing(on: stage, isInPlace: isInPlace)
            let hearing = Hearing()
            let receiver = try await hearing.mixed(on: stage.taker, panLaw: .balance)
            try await eventually("the filter to be seen") { await stage.taker.graph.port(filter.id) != nil }
            try await stage.taker.connect(filter, to: receiver)
            var generator = SystemRandomNumberGenerator()
            for round in 0..<25 {
                try await stage.taker.connect(source, to: filter)
                try await stage.graph.settle()
                try await stage.step(Int.random(in: 16...300, using: &generator), cycles: 2)
                if round.isMultiple(of: 2) {
                    try await stage.taker.disconnect(source, from: filter)
                } else {
                    try await stage.graph.run("pw-link", ["-d", "Givers.out:output_MONO", "Givers.fx:input_MONO"])
                }
                try await stage.graph.settle()
                try await stage.step(Int.random(in: 16...300, using: &generator), cycles: 2)
            }
            let mix = hearing.mix()
            XCTAssertGreaterThan(mix.max() ?? 0, 0.5, "it was heard")
            // A fade of 240 frames, on the way of another one.
            let bound = 2 * Float.pi / 2 / 240 * 1.02
            let steps = zip(mix, mix.dropFirst()).map { abs($1 - $0) }
            XCTAssertLessThan(steps.max() ?? 0, bound)
            try await stage.close()
        }
    }

    /// A block that leaves its outputs alone gives silence, not what it gave some cycles ago.
    func testABlockThatDoesNothingGivesSilence() async throws {
        let stage = try await Stage.start()
        let isSilent = Flag()
        let source = try await stage.givers.sender("out", channels: .mono, state: ()) { _, _, output in
            guard !isSilent.isRaised else { return }
            var samples = output[0]
            for frame in samples.indices { samples[frame] = 1 }
        }
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker, panLaw: .balance)
        try await eventually("it to be seen") { await stage.taker.graph.port(source.id) != nil }
        try await stage.taker.connect(source, to: receiver)
        try await stage.showToGivers(source, receiver)
        try await stage.graph.settle()
        try await stage.step(256, cycles: 20)
        XCTAssertEqual(Set(hearing.mix().suffix(2048)), [1])
        isSilent.raise()
        hearing.forget()
        try await stage.step(256, cycles: 20)
        XCTAssertEqual(Set(hearing.mix()), [0])
        try await stage.close()
    }
}

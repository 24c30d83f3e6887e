// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A receiver's sources.
final class SourceTests: BusTestCase {
    func testASourceKeepsItsLaneWhileOthersComeAndGo() async throws {
        let stage = try await Stage.start()
        let hearing = Hearing()
        let receiver = try await hearing.separate(on: stage.taker, lanes: 4)
        var senders: [SenderPort] = []
        for number in 1...5 {
            senders.append(try await stage.sender("out\(number)") { _, _ in Float(number) })
        }
        for sender in senders.prefix(3) { try await stage.taker.connect(sender, to: receiver) }
        var lanes = try await lanes(of: receiver)
        XCTAssertEqual(lanes, ["out1": 0, "out2": 1, "out3": 2])
        try await stage.step(64)
        try await stage.taker.disconnect(senders[1], from: receiver)
        lanes = try await self.lanes(of: receiver)
        XCTAssertEqual(lanes, ["out1": 0, "out3": 2])
        try await stage.step(64)
        // The first lane that is free, wherever it is.
        try await stage.taker.connect(senders[3], to: receiver)
        try await stage.taker.connect(senders[4], to: receiver)
        lanes = try await self.lanes(of: receiver)
        XCTAssertEqual(lanes, ["out1": 0, "out4": 1, "out3": 2, "out5": 3])
        try await stage.step(64)
        let heard = hearing.moments.map { moment in
            moment.lanes.filter { $0.value.source.isConnected }.mapValues { $0.channels[0].last }
        }
        XCTAssertEqual(heard, [[0: 1, 1: 2, 2: 3], [0: 1, 2: 3], [0: 1, 1: 4, 2: 3, 3: 5]])
        await assertThrows("a fifth") {
            try await stage.taker.connect(senders[1], to: receiver)
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .noFreeLane, "\(error)")
        }
        try await stage.close()
    }

    private func lanes(of receiver: ReceiverPort) async throws -> [String: Int] {
        Dictionary(uniqueKeysWithValues: try await receiver.sources.map { ($0.port.name, $0.lane) })
    }

    func testAMonoSourceOnBothSidesIsOneOfOneChannel() async throws {
        let stage = try await Stage.start()
        let hearing = Hearing()
        let receiver = try await hearing.separate(on: stage.taker, channels: .stereo, lanes: 3)
        let mono = try await stage.sender("mono") { _, _ in 0.5 }
        let stereo = try await stage.sender("stereo", channels: .stereo) { _, channel in Float(channel) + 1 }
        try await stage.taker.connect(mono, to: receiver)
        try await stage.taker.connect(stereo, to: receiver)
        let sources = try await receiver.sources
        XCTAssertEqual(sources.map(\.id), [mono.id, stereo.id])
        XCTAssertEqual(sources.map(\.channelCount), [1, 2])
        try await stage.step(64)
        let heard = hearing.moments.first?.lanes.mapValues { $0.channels.map { $0[63] } }
        XCTAssertEqual(heard, [0: [0.5], 1: [1, 2]])
        try await stage.close()
    }

    /// The sources are the same with links of any client, in any order.
    func testLinksOfAPatchbayMakeTheSameSources() async throws {
        let stage = try await Stage.start()
        let hearing = Hearing()
        let receiver = try await hearing.separate(on: stage.taker, channels: .stereo, lanes: 3)
        let mono = try await stage.sender("mono") { _, _ in 0.5 }
        let stereo = try await stage.sender("stereo", channels: .stereo) { _, channel in Float(channel) + 1 }
        try await stage.givers.connect(mono.nodeName, to: "Taker.in", lingers: true)
        try await stage.graph.run("pw-link", ["Givers.stereo:output_FR", "Taker.in:input_2_FR"])
        try await eventually("both") { try await receiver.sources.map(\.channelCount) == [1, 2] }
        try await stage.step(64)
        var heard = hearing.moments.last?.lanes.mapValues { $0.channels.map { $0[63] } }
        XCTAssertEqual(heard, [0: [0.5], 1: [0, 2]], "one side of two is not mono")
        let before = hearing.moments.last?.lanes.mapValues(\.source.sourceGeneration)
        try await stage.graph.run("pw-link", ["Givers.stereo:output_FL", "Taker.in:input_2_FL"])
        try await stage.step(64)
        heard = hearing.moments.last?.lanes.mapValues { $0.channels.map { $0[63] } }
        XCTAssertEqual(heard, [0: [0.5], 1: [1, 2]])
        XCTAssertEqual(hearing.moments.last?.lanes.mapValues(\.source.sourceGeneration), before, "it is the same one")
        // Half of the mono one: then it is on one side, as anything else would be.
        try await stage.graph.run("pw-link", ["-d", "Givers.mono:output_MONO", "Taker.in:input_1_FR"])
        try await eventually("the half to go") { try await receiver.sources.first?.channelCount == 2 }
        try await stage.step(64)
        try await stage.step(64)
        heard = hearing.moments.last?.lanes.mapValues { $0.channels.map { $0[63] } }
        XCTAssertEqual(heard, [0: [0.5, 0], 1: [1, 2]])
        let ids = try await receiver.sources.map(\.id)
        XCTAssertEqual(ids, [mono.id, stereo.id])
        try await stage.close()
    }

    func testTheContextStaysWhileTheSourceDoes() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let sender = try await stage.sender("out") { _, _ in 0 }
        let other = try await stage.sender("other") { _, _ in 0 }
        try await stage.taker.connect(sender, to: receiver)
        try await receiver.setContext(17, for: sender.id)
        try await stage.taker.connect(other, to: receiver)
        try await sender.setTitle("Renamed")
        var source = try await receiver.source(titled: "Renamed")
        XCTAssertEqual(source.context as? Int, 17)
        let contextOfOther = try await receiver.source(titled: "Givers other").context
        XCTAssertNil(contextOfOther)
        try await receiver.setContext(nil, for: sender.id)
        source = try await receiver.source(titled: "Renamed")
        XCTAssertNil(source.context)
        try await receiver.setContext(18, for: sender.id)
        try await stage.taker.disconnect(sender, from: receiver)
        try await stage.taker.connect(sender, to: receiver)
        source = try await receiver.source(titled: "Renamed")
        XCTAssertNil(source.context, "it is another connection")
        try await stage.close()
    }

    func testTheAppIsPublishedWithItsIcon() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let plain = try await BusClient.connect(
            as: "org.pipebus.plain", name: "Plain", remote: stage.graph.remote, allowsConnectionsToSelf: true)
        let sender = try await stage.sender("out") { _, _ in 0 }
        let other = try await plain.sender("out", channels: .mono, state: ()) { _, _, _ in }
        try await stage.taker.connect(sender, to: receiver)
        try await stage.taker.connect(other.nodeName, to: receiver)
        let sources = try await receiver.sources
        XCTAssertEqual(sources.map(\.iconName), ["audio-card", nil])
        XCTAssertEqual(sources.map { $0.peer?.name }, ["Givers", "Plain"])
        XCTAssertEqual(sources.map(\.isPipeBus), [true, true])
        XCTAssertEqual(
            sources.map(\.identity),
            [
                Source.Identity(applicationID: "org.pipebus.givers", nodeName: "Givers.out"),
                Source.Identity(applicationID: "org.pipebus.plain", nodeName: "Plain.out"),
            ])
        await plain.close()
        try await stage.close()
    }

    func testTheLatencyOfThePortIsThatOfTheSlowestChain() async throws {
        let stage = try await Stage.start()
        let hearing = Hearing()
        let aligned = try await hearing.mixed(on: stage.taker, "aligned")
        let immediate = try await hearing.mixed(on: stage.taker, "immediate", alignment: .immediate)
        let filter = try await stage.delay("fx", by: 480)
        let late = try await stage.sender("late", latency: 4320) { _, _ in 0 }
        let later = try await stage.sender("later", latency: 96_000) { _, _ in 0 }
        let sender = try await stage.sender("out", latency: 48) { _, _ in 0 }
        try await stage.taker.connect(late, to: filter)
        for receiver in [aligned, immediate] {
            XCTAssertEqual(receiver.latency.duration, .zero)
            try await stage.taker.connect(sender, to: receiver)
            try await receiver.reports(latencies: [48])
            XCTAssertEqual(receiver.latency.duration, .zero, "the graph's rate is not known yet")
        }
        try await stage.step(64)
        for receiver in [aligned, immediate] {
            XCTAssertEqual(receiver.latency.duration, .milliseconds(1))
            try await stage.taker.connect(filter, to: receiver)
            try await receiver.reports(latencies: [48, 4800])
            XCTAssertEqual(receiver.latency.duration, .milliseconds(100))
            // Beyond the capacity: it counts, and the others do not wait for it.
            try await stage.taker.connect(later, to: receiver)
            try await receiver.reports(latencies: [48, 4800, 96_000])
            XCTAssertEqual(receiver.latency.duration, .seconds(2))
        }
        let delays = try await aligned.sources.map(\.delay.frames)
        XCTAssertEqual(delays, [4752, 0, 0])
        var areAligned = try await aligned.sources.map(\.isAligned)
        XCTAssertEqual(areAligned, [true, true, false])
        areAligned = try await immediate.sources.map(\.isAligned)
        XCTAssertEqual(areAligned, [false, false, false])
        for receiver in [aligned, immediate] {
            try await stage.taker.disconnect(later, from: receiver)
            try await stage.taker.disconnect(filter, from: receiver)
            XCTAssertEqual(receiver.latency.duration, .milliseconds(1))
        }
        try await stage.close()
    }
}

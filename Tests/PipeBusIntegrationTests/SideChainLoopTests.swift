// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A filter does not wait for a key that is late because the filter is: its latency would grow with every round.
final class SideChainLoopTests: BusTestCase {
    /// A filter with a key, which is heard.
    private struct Keyed {
        let filter: FilterPort
        let isKeyed: Box<Bool>
        var key: ReceiverPort { filter.auxiliaryInputs[0] }
    }

    private func add(
        _ name: String, to bus: BusClient, of stage: Stage, latency: Int = 64, blockSize: Int? = nil
    ) async throws -> Keyed {
        let isKeyed = Box(false)
        let filter = try await bus.filter(
            name, inputs: .mono, auxiliaryInputs: [AuxiliaryInput("key", channels: .mono, fade: .none)],
            latency: latency, fade: .none, blockSize: blockSize, state: ()
        ) { _, _, input, auxiliary, output in
            isKeyed.value = auxiliary.isConnected(0)
            let (main, key) = (input[0], auxiliary[0][0])
            output.fill(0) { frame in 0.5 * main[frame] + 0.25 * key[frame] }
        }
        try await eventually("\(name) to be seen") { await stage.taker.graph.port(filter.id) != nil }
        try await eventually("its key to be seen") { await stage.taker.graph.port(filter.auxiliaryInputs[0].id) != nil }
        return Keyed(filter: filter, isKeyed: isKeyed)
    }

    /// A sender that the filter's input hears, and an ear that hears the filter.
    private func put(_ keyed: [Keyed], between source: SenderPort?, on stage: Stage, ear name: String = "ear")
        async throws
    {
        let ear = try await Hearing().separate(
            on: stage.taker, name, channels: .mono, lanes: keyed.count, alignment: .immediate)
        for keyed in keyed {
            if let source { try await stage.taker.connect(source, to: keyed.filter) }
            try await stage.taker.connect(keyed.filter, to: ear)
        }
    }

    /// Waits for latencies that last while they could be published more than ten times.
    private func assertLasting(
        _ expected: [Int], on stage: Stage, file: StaticString = #filePath, line: UInt = #line,
        _ latencies: () -> [Int]
    ) async throws {
        try await stage.graph.settle()
        let start = ContinuousClock.now
        var since = start
        while since.duration(to: .now) < .milliseconds(600) {
            try await stage.step(256)
            let found = latencies()
            if found == expected { continue }
            since = .now
            guard start.duration(to: since) < .seconds(10) else {
                return XCTFail("\(found) instead of \(expected)", file: file, line: line)
            }
        }
    }

    func testTwoFiltersThatKeyEachOther() async throws {
        let stage = try await Stage.start()
        let one = try await add("one", to: stage.givers, of: stage)
        let two = try await add("two", to: stage.taker, of: stage)
        try await put([one, two], between: try await stage.sender("out", SideChainScene.signal), on: stage)
        try await stage.taker.connect(one.filter, to: two.key)
        // The second one waits for the first.
        try await assertLasting([64, 128], on: stage) { [one.filter.latency.frames, two.filter.latency.frames] }
        try await stage.taker.connect(two.filter, to: one.key)
        try await assertLasting([64, 64], on: stage) { [one.filter.latency.frames, two.filter.latency.frames] }
        XCTAssertTrue(one.isKeyed.value && two.isKeyed.value, "the keys are heard")
        // Another source of the key is waited for.
        let kick = try await stage.sender("kick", latency: 480, SideChainScene.signal)
        try await stage.taker.connect(kick, to: two.key)
        try await assertLasting([64, 544], on: stage) { [one.filter.latency.frames, two.filter.latency.frames] }
        try await stage.taker.disconnect(kick, from: two.key)
        // Nothing else is aligned there, so no latency is held.
        try await assertLasting([64, 64], on: stage) { [one.filter.latency.frames, two.filter.latency.frames] }
        try await stage.taker.disconnect(two.filter, from: one.key)
        try await assertLasting([64, 128], on: stage) { [one.filter.latency.frames, two.filter.latency.frames] }
        try await stage.close()
    }

    func testAFilterThatKeysItself() async throws {
        let stage = try await Stage.start()
        let filter = try await add("fx", to: stage.taker, of: stage, latency: 0, blockSize: 1024)
        try await put([filter], between: try await stage.sender("out", SideChainScene.signal), on: stage)
        try await stage.taker.connect(filter.filter, to: filter.key)
        try await assertLasting([768], on: stage) { [filter.filter.latency.frames] }
        XCTAssertTrue(filter.isKeyed.value, "the key is heard")
        try await stage.close()
    }

    /// The key of the first is the second, whose sound is the first's input.
    func testAKeyThatIsMadeOfTheFiltersSound() async throws {
        let stage = try await Stage.start()
        let one = try await add("one", to: stage.givers, of: stage)
        let two = try await add("two", to: stage.taker, of: stage)
        try await put([one], between: try await stage.sender("out", SideChainScene.signal), on: stage)
        try await put([two], between: nil, on: stage, ear: "end")
        try await stage.taker.connect(one.filter, to: two.filter)
        try await stage.taker.connect(two.filter, to: one.key)
        let kick = try await stage.sender("kick", latency: 1000, SideChainScene.signal)
        try await stage.taker.connect(kick, to: two.key)
        try await assertLasting([64, 1000], on: stage) { [one.filter.latency.frames, two.filter.latency.frames] }
        try await stage.close()
    }

    /// A sender that passes a key on, into the filter that waits for the key.
    func testASenderThatFollowsTheKeyOfItsDestination() async throws {
        let stage = try await Stage.start()
        let filter = try await add("fx", to: stage.taker, of: stage)
        let sender = try await stage.taker.sender(
            "again", channels: .mono, latency: .following(filter.key, plus: 64), state: ()
        ) { _, _, output in output.fill(0) { _ in 0.25 } }
        try await put([filter], between: sender, on: stage)
        try await stage.taker.connect(
            try await stage.sender("kick", latency: 480, SideChainScene.signal), to: filter.key)
        try await assertLasting([544, 64], on: stage) { [sender.latency.frames, filter.filter.latency.frames] }
        try await stage.close()
    }

    /// Two senders, each of which passes the key of one filter on into the other filter.
    func testSendersThatFollowEachOthersKeys() async throws {
        let stage = try await Stage.start()
        let (one, two) = (
            try await add("one", to: stage.taker, of: stage), try await add("two", to: stage.taker, of: stage)
        )
        let kick = try await stage.sender("kick", latency: 480, SideChainScene.signal)
        var senders: [SenderPort] = []
        for (from, to) in [(one, two), (two, one)] {
            let sender = try await stage.taker.sender(
                "to \(to.filter.name)", channels: .mono, latency: .following(from.key, plus: 64), state: ()
            ) { _, _, output in output.fill(0) { _ in 0.25 } }
            try await stage.taker.connect(kick, to: from.key)
            try await put([to], between: sender, on: stage, ear: "ear of \(to.filter.name)")
            senders.append(sender)
        }
        let (first, second) = (senders[0], senders[1])
        try await assertLasting([544, 544, 64, 64], on: stage) {
            [first, second].map(\.latency.frames) + [one, two].map(\.filter.latency.frames)
        }
        try await stage.close()
    }

    /// A key that is made of another key of the same filter is no loop.
    func testAKeyThatFollowsAnotherKey() async throws {
        let stage = try await Stage.start()
        let filter = try await stage.taker.filter(
            "fx", inputs: .mono,
            auxiliaryInputs: [AuxiliaryInput("a", channels: .mono), AuxiliaryInput("b", channels: .mono)], state: ()
        ) { _, _, _, _, _ in }
        let sender = try await stage.taker.sender(
            "a to b", channels: .mono, latency: .following(filter.auxiliaryInputs[0], plus: 64), state: ()
        ) { _, _, output in output.fill(0) { _ in 0.25 } }
        let kick = try await stage.sender("kick", latency: 480, SideChainScene.signal)
        try await put(
            [Keyed(filter: filter, isKeyed: Box(true))], between: try await stage.sender("out", SideChainScene.signal),
            on: stage)
        try await stage.taker.connect(kick, to: filter.auxiliaryInputs[0])
        try await stage.taker.connect(sender, to: filter.auxiliaryInputs[1])
        // The input and the first key wait for the second one.
        try await assertLasting([544, 544], on: stage) { [sender.latency.frames, filter.latency.frames] }
        let aligned = try await filter.auxiliaryInputs[1].sources.map(\.isAligned)
        XCTAssertEqual(aligned, [true])
        try await stage.close()
    }
}

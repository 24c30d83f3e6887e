// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A filter that is put into a connection to another filter and taken out of it, sample by sample.
final class InsertAtFilterTests: BusTestCase {
    func testAHundredTimesNothingIsLost() async throws {
        for (isForeign, rounds, installation) in [
            (false, 100, PipeWireInstallation.chosen), (true, 20, .chosen), (true, 20, try .newer()),
        ] {
            let scene = try await FilterInsertion(isForeign: isForeign, installation: installation)
            try await scene.exchange(rounds: rounds)
            scene.assertWhole()
            XCTAssertGreaterThan(scene.hearing.moments.count, 500)
            try await scene.close()
        }
    }

    /// A filter that halves a steady sound: a step would show.
    func testTheStepIsNoSteeperThanTheFade() async throws {
        let scene = try await FilterInsertion(gain: 0.5, isForeign: true, signal: { _, _ in 1 })
        let steepest: Float = .pi / 2 / 240 * 0.5 * 1.01
        for _ in 0..<5 {
            try await scene.insert()
            try await scene.stage.step(256, cycles: 2)
            XCTAssertEqual(scene.hearing.mix().last, 0.5)
            try await scene.takeOut()
            try await scene.stage.step(256, cycles: 2)
            XCTAssertEqual(scene.hearing.mix().last, 1)
        }
        let samples = scene.hearing.mix().dropFirst(2048)
        for (sample, next) in zip(samples, samples.dropFirst()) where abs(next - sample) > steepest {
            return XCTFail("from \(sample) to \(next)")
        }
        try await scene.close()
    }

    func testWithoutAFadeTheExchangeIsBetweenTwoFrames() async throws {
        let scene = try await FilterInsertion(
            gain: 0.5, signal: { _, _ in 1 },
            make: {
                try await FilterInsertion.plain(on: $0, fade: .none)
            })
        scene.hearing.forget()
        try await scene.insert()
        try await scene.stage.step(256, cycles: 2)
        XCTAssertEqual(Set(scene.hearing.mix()), [1, 0.5])
        XCTAssertEqual(scene.hearing.mix(), scene.hearing.mix().sorted { $0 > $1 })
        try await scene.close()
    }

    /// The sound behind the filter is older then. It is whole again once that has settled.
    func testWithAFilterThatTakesTimeItIsWholeAgain() async throws {
        let scene = try await FilterInsertion(by: 480, isForeign: true)
        for _ in 0..<5 {
            for (change, frames) in [(scene.insert, 480), (scene.takeOut, 0)] {
                try await change()
                try await scene.settle(at: frames)
                scene.hearing.forget()
                try await scene.stage.step(256, cycles: 10)
                scene.assertWhole(from: 0)
            }
        }
        try await scene.close()
    }

    /// The tap passes on the age of the sound: nobody behind the filter sees another one.
    func testTheLatencyOfTheSourceStays() async throws {
        let scene = try await FilterInsertion(age: 1000, isForeign: true)
        try await scene.settle(at: 1000)
        scene.hearing.forget()
        try await scene.exchange(rounds: 5)
        scene.assertWhole(from: 0)
        XCTAssertEqual(Set(scene.hearing.moments.map { $0.start - ($0.timestamp?.position ?? 0) }), [1000])
        try await scene.close()
    }

    /// Another source of the same filter is heard all the time.
    func testAnotherSourceStays() async throws {
        let scene = try await FilterInsertion(isForeign: true, signal: { _, _ in 0.5 })
        let other = try await scene.stage.sender("other") { position, _ in 0.25 * Stage.saw(position, 0) }
        try await scene.stage.taker.connect(other, to: scene.filter)
        try await scene.stage.step(256, cycles: 30)
        scene.hearing.forget()
        for _ in 0..<10 {
            try await scene.insert()
            try await scene.takeOut()
        }
        scene.assertWhole({ position, _ in 0.5 + 0.25 * Stage.saw(position, 0) }, from: 0)
        try await scene.close()
    }

    func testASourceIsReplacedByAnother() async throws {
        let scene = try await FilterInsertion(isForeign: true)
        _ = try await scene.stage.sender("twin", Stage.saw)
        let patchbay = scene.patchbay
        for _ in 0..<5 {
            for (old, new) in [("Givers.source", "Givers.twin"), ("Givers.twin", "Givers.source")] {
                try await scene.stage.stepping(256) {
                    try await patchbay.replace(old, at: "Taker.amp", with: new)
                }
                let connections = await scene.connections
                XCTAssertEqual(connections, ["\(new) Taker.amp", "Taker.amp Taker.in"])
            }
        }
        scene.assertWhole()
        try await scene.close()
    }

    /// Two channels, which are not alike.
    func testSeveralChannels() async throws {
        let signal: Stage.Signal = { position, channel in Stage.saw(position + 1000 * Int64(channel), 0) }
        let scene = try await FilterInsertion(
            isForeign: true, channels: .stereo, signal: signal,
            make: {
                try await FilterInsertion.plain(on: $0, channels: .stereo)
            })
        try await scene.exchange(rounds: 5)
        scene.assertWhole(signal)
        try await scene.close()
    }

    /// No graph ever has the tap, and nothing of it stays.
    func testNobodySeesTheTap() async throws {
        let scene = try await FilterInsertion(isForeign: true)
        let observer = try await BusClient.connect(
            as: "org.pipebus.observer", name: "Observer", remote: scene.stage.graph.remote)
        let before = try await scene.nodes()
        let names = Box<Set<String>>([])
        let watch = Task {
            for await graph in observer.graphUpdates {
                names.value.formUnion(graph.ports.map(\.nodeName))
            }
        }
        try await scene.exchange(rounds: 3)
        try await scene.stage.graph.settle()
        try await scene.stage.step(256, cycles: 4)
        let after = try await scene.nodes()
        XCTAssertEqual(after, before)
        watch.cancel()
        XCTAssertTrue(names.value.contains("Taker.amp"))
        XCTAssertFalse(names.value.contains { $0.hasSuffix("tap") }, "\(names.value)")
        await observer.close()
        try await scene.close()
    }

    // MARK: Kinds of filters

    func testAnInPlaceFilter() async throws {
        let scene = try await FilterInsertion(make: {
            try await $0.inPlaceFilter("amp", channels: .mono, state: ()) { _, _, _ in }
        })
        try await scene.exchange(rounds: 3)
        scene.assertWhole()
        try await scene.close()
    }

    /// Bypassed with its latency, and not.
    func testAFilterWithABypass() async throws {
        let scene = try await FilterInsertion()
        for isBypassed in [true, false, true] {
            try await scene.filter.setBypassed(isBypassed)
            try await scene.stage.step(256, cycles: 10)
            try await scene.exchange(rounds: 2)
        }
        scene.assertWhole()
        try await scene.close()
    }

    func testAFilterWithBlocksOfAFixedSize() async throws {
        let scene = try await FilterInsertion(make: {
            try await $0.filter("amp", inputs: .mono, blockSize: 100, state: ()) { _, _, input, output in
                let from = input[0]
                output.fill(0) { frame in from[frame] }
            }
        })
        try await scene.stage.step(256, cycles: 40)
        scene.hearing.forget()
        try await scene.exchange(rounds: 3)
        scene.assertWhole(from: 0)
        try await scene.close()
    }

    func testAFilterWithAuxiliaryInputs() async throws {
        let scene = try await FilterInsertion(make: { client in
            try await client.filter(
                "amp", inputs: .mono, auxiliaryInputs: [AuxiliaryInput("key", channels: .mono)], state: ()
            ) { _, _, input, auxiliary, output in
                let from = input[0]
                let other = auxiliary[0][0]
                output.fill(0) { frame in from[frame] + other[frame] }
            }
        })
        let key = try await scene.stage.sender("key") { position, _ in 0.25 * Stage.saw(position, 0) }
        try await scene.stage.taker.connect(key, to: scene.filter.auxiliaryInputs[0])
        try await scene.stage.step(256, cycles: 30)
        scene.hearing.forget()
        try await scene.exchange(rounds: 3)
        scene.assertWhole({ position, _ in 1.25 * Stage.saw(position, 0) }, from: 0)
        try await scene.close()
    }
}

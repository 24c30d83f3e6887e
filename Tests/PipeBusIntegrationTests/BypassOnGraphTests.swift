// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// The sound of a filter's bypass in a real graph, exact.
final class BypassOnGraphTests: BypassTestCase {
    func testDryItIsWhatCameAsLateAsItWas() async throws {
        for latency in [0, 480] {
            let scene = try await makeScene(latency: latency) { position, _ in Float(position % 1000) / 1000 }
            try await scene.stage.step(256, cycles: 10)
            XCTAssertFalse(scene.filter.isBypassed)
            try await scene.filter.setBypassed(true)
            XCTAssertTrue(scene.filter.isBypassed)
            // The line fills in two cycles, and the fade takes two.
            try await scene.stage.step(256, cycles: 6)
            scene.hearing.forget()
            for frames in [256, 64, 1024] { try await scene.stage.step(frames, cycles: 2) }
            let moments = scene.hearing.moments
            XCTAssertEqual(moments.count, 6)
            for moment in moments {
                let expected = (0..<moment.cycle.frameCount).map { frame in
                    Float((Int(moment.start) + frame - latency) % 1000) / 1000
                }
                assertSamples(moment.mix[0], equal: expected)
            }
            let sources = await scene.stage.taker.graph.port(scene.filter.id)
            XCTAssertEqual(sources?.isBypassed, true, "others see it")
            try await scene.filter.setBypassed(false)
            try await scene.stage.step(256, cycles: 8)
            scene.hearing.forget()
            try await scene.stage.step(256, cycles: 2)
            for moment in scene.hearing.moments {
                let expected = (0..<256).map { -Float((Int(moment.start) + $0 - latency) % 1000) / 1000 }
                assertSamples(moment.mix[0], equal: expected)
            }
            try await scene.stage.close()
        }
    }

    /// 100 switches at random moments, by the filter's app and by another one in turn.
    func testNoSwitchMakesAStep() async throws {
        let wave: Stage.Signal = { position, _ in Float(sin(2 * .pi * 40 * Double(position) / 48_000)) }
        let scene = try await makeScene(latency: 300, wave)
        try await scene.stage.step(1024, cycles: 3)
        scene.hearing.forget()
        var generator = SystemRandomNumberGenerator()
        for round in 0..<100 {
            let isBypassed = round.isMultiple(of: 2)
            if round % 4 < 2 {
                try await scene.filter.setBypassed(isBypassed)
            } else {
                try await scene.stage.taker.setBypassed(isBypassed, of: scene.filter)
            }
            let cycles = Int.random(in: 1...5, using: &generator)
            try await scene.stage.step(Int.random(in: 16...700, using: &generator), cycles: cycles)
        }
        let mix = scene.hearing.mix()
        let bound = Float(2 * Double.pi / 2 / 480 + 2 * Double.pi * 40 / 48_000) * 1.02
        for (before, after) in zip(mix, mix.dropFirst()) where abs(after - before) > bound {
            XCTFail("a step of \(after - before)")
            break
        }
        XCTAssertGreaterThan(mix.count, 10_000)
        // Both were heard, by themselves and for whole cycles.
        for (sign, what) in [(Float(1), "what came"), (-1, "what the filter made of it")] {
            let cycles = scene.hearing.moments.filter { moment in
                moment.mix[0] == moment.mix[0].indices.map { sign * wave(moment.start + Int64($0) - 300, 0) }
            }
            XCTAssertGreaterThan(cycles.count, 5, what)
        }
        try await scene.stage.close()
    }

    /// The filter starts again with each discontinuity, and is silent until its latency has passed.
    func testALatencyThatGrowsWhileABypassEndsIsWaitedFor() async throws {
        let stage = try await Stage.start()
        let source = try await stage.sender("out") { _, _ in 1 }
        let filter = try await stage.givers.filter("fx", inputs: .mono, latency: 480, fade: .none, state: 0) {
            heard, cycle, _, output in
            if cycle.isDiscontinuous { heard = 0 }
            var to = output[0]
            for frame in to.indices { to[frame] = heard + frame < 4_000 ? 0 : -1 }
            heard += cycle.frameCount
        }
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker, alignment: .immediate, panLaw: .balance)
        try await eventually("the filter") { await stage.taker.graph.port(filter.id) != nil }
        try await stage.taker.connect(source, to: filter)
        try await stage.taker.connect(filter, to: receiver)
        try await stage.showToGivers(filter, receiver)
        try await stage.graph.settle()
        try await filter.setBypassed(true)
        try await stage.step(256, cycles: 8)
        hearing.forget()
        try await filter.setBypassed(false)
        try await stage.step(256)
        try await filter.setLatency(4_000)
        try await stage.step(256, cycles: 30)
        let mix = hearing.mix()
        XCTAssertEqual(mix.first, 1)
        XCTAssertEqual(mix.last, -1)
        for (before, after) in zip(mix, mix.dropFirst())
        where after > before + 1e-6 || before - after > Float.pi / 480 * 1.02 {
            XCTFail("\(before) and then \(after)")
            break
        }
        try await stage.close()
    }

    /// By itself: nothing else changes that the client would hear of.
    func testWhenItHasEndedNothingIsLeftOfIt() async throws {
        let scene = try await makeScene(latency: 480) { position, _ in Float(position % 1000) / 1000 }
        let giver = scene.filter.client
        try await scene.stage.step(256, cycles: 4)
        try await scene.filter.setBypassed(true)
        try await scene.stage.step(256, cycles: 8)
        var remains = await giver.bypassResources(of: scene.filter)
        XCTAssertEqual(remains.lineCount, 1)
        XCTAssertFalse(remains.isPlain)
        try await scene.filter.setBypassed(false)
        try await scene.stage.step(256, cycles: 8)
        try await eventually("it to be plain") { await giver.bypassResources(of: scene.filter).isPlain }
        remains = await giver.bypassResources(of: scene.filter)
        XCTAssertEqual(remains.lineCount, 0)
        scene.hearing.forget()
        try await scene.stage.step(256, cycles: 2)
        for moment in scene.hearing.moments {
            let expected = (0..<256).map { -Float((Int(moment.start) + $0 - 480) % 1000) / 1000 }
            assertSamples(moment.mix[0], equal: expected)
        }
        try await scene.stage.close()
    }

    func testWithoutADestinationNothingPilesUp() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let filter = try await bus.filter("fx", state: ()) { _, _, _, _ in }
        try await filter.setBypassed(true)
        for latency in 1...50 { try await filter.setLatency(latency * 1_000) }
        var remains = await bus.bypassResources(of: filter)
        XCTAssertEqual(remains.lineCount, 1)
        try await filter.setBypassed(false)
        remains = await bus.bypassResources(of: filter)
        XCTAssertEqual(remains.lineCount, 0)
        XCTAssertTrue(remains.isPlain)
        await bus.close()
    }
}

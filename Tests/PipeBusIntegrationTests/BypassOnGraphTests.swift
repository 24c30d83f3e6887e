// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// A filter's bypass in a real graph, exact, and asked for by other processes.
final class BypassOnGraphTests: DaemonTestCase {
    private struct Scene {
        var stage: Stage
        var source: SenderPort
        var filter: FilterPort
        var hearing: Hearing
    }

    /// A filter that turns the sign and is late.
    private func makeScene(latency: Int, _ signal: @escaping Stage.Signal) async throws -> Scene {
        let stage = try await Stage.start()
        let source = try await stage.sender("out", signal)
        let filter = try await stage.delay("fx", by: latency, gain: -1)
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker, alignment: .immediate, panLaw: .balance)
        try await stage.taker.connect(source, to: filter)
        try await stage.taker.connect(filter, to: receiver)
        try await stage.showToGivers(filter, receiver)
        try await stage.graph.settle()
        return Scene(stage: stage, source: source, filter: filter, hearing: hearing)
    }

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

    /// The filter begins anew with each discontinuity, and is silent until its latency has passed.
    func testALatencyThatGrowsOnTheWayBackIsWaitedFor() async throws {
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
        var remains = await giver.bypassRemains(of: scene.filter)
        XCTAssertEqual(remains.lineCount, 1)
        XCTAssertFalse(remains.isPlain)
        try await scene.filter.setBypassed(false)
        try await scene.stage.step(256, cycles: 8)
        try await eventually("it to be plain") { await giver.bypassRemains(of: scene.filter).isPlain }
        remains = await giver.bypassRemains(of: scene.filter)
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
        var remains = await bus.bypassRemains(of: filter)
        XCTAssertEqual(remains.lineCount, 1)
        try await filter.setBypassed(false)
        remains = await bus.bypassRemains(of: filter)
        XCTAssertEqual(remains.lineCount, 0)
        XCTAssertTrue(remains.isPlain)
        await bus.close()
    }

    func testWhatCannotBeToldIsNotDone() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let recorder = CallRecorder()
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: daemon.remote, recorder: recorder)
        let filter = try await bus.filter("fx", state: ()) { _, _, _, _ in }
        for isBypassed in [true, false] {
            recorder.force(ENOMEM, for: "pw_filter_update_properties")
            await assertThrowsPipeBus(.pipeWire) { try await filter.setBypassed(isBypassed) }
            XCTAssertEqual(filter.isBypassed, !isBypassed)
            let shown = try await bus.isBypassed(filter)
            XCTAssertEqual(shown, !isBypassed)
            try await filter.setBypassed(isBypassed)
            XCTAssertEqual(filter.isBypassed, isBypassed)
        }
        await bus.close()
    }

    func testTheGraphShowsWhatAPortHasJustSaid() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: daemon.remote, allowsConnectionsToSelf: true)
        let filter = try await bus.filter("fx", state: ()) { _, _, _, _ in }
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        let other = try await BusClient.connect(
            as: "org.pipebus.other", name: "Other", remote: daemon.remote, allowsConnectionsToSelf: true)
        let receiver = try await other.receiver("in", state: ()) { _, _, _ in }
        try await bus.connect(sender, to: filter)
        try await other.connect(filter, to: receiver)
        try await eventually("the connections") { await bus.graph.connections.count == 2 }
        for round in 0..<100 {
            let value = round.isMultiple(of: 2)
            if round % 4 < 2 {
                try await filter.setBypassed(value)
            } else {
                try await bus.setBypassed(value, of: filter)
            }
            XCTAssertEqual(filter.isBypassed, value)
            let filterState = try await filter.state
            XCTAssertEqual(filterState.isBypassed, value)
            let port = await bus.graph.port(filter.id)
            XCTAssertEqual(port?.isBypassed, value)
            try await sender.setFromLiveSource(value)
            let senderState = try await sender.state
            XCTAssertEqual(senderState.isFromLiveSource, value)
            let fed = try await filter.state
            XCTAssertEqual(fed.isFromLiveSource, value)
            try await receiver.setMonitoring(value)
            let isMonitoring = await other.graph.port(receiver.id)?.isMonitoring
            XCTAssertEqual(isMonitoring, value)
        }
        await bus.close()
        await other.close()
    }

    func testAnotherProcessBypassesAFilterAndIsTold() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let peer = try await Peer.start("Other", on: daemon)
        try await peer.addFilter("fx")
        try await peer.addReceiver("in")
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        try await eventually("the ports") { await bus.graph.ports.count == 2 }
        var isBypassed = try await bus.isBypassed("Other.fx")
        XCTAssertFalse(isBypassed)
        try await bus.setBypassed(true, of: "Other.fx")
        isBypassed = try await bus.isBypassed("Other.fx")
        XCTAssertTrue(isBypassed)
        // Twice is once.
        try await bus.setBypassed(true, of: "Other.fx")
        // As any tool of PipeWire's may.
        for (text, expected) in [("false", false), ("true", true), ("\"false\"", false)] {
            try await setParameter("Other.fx", "pipebus.bypassed", text, daemon)
            try await eventually("it to be \(text)") { try await bus.isBypassed("Other.fx") == expected }
        }
        await assertThrowsPipeBus(.notSupported) { try await bus.setBypassed(true, of: "Other.in") }
        await assertThrowsPipeBus(.unknownPort) { try await bus.setBypassed(true, of: "Nobody") }

        // One that stands still holds up nobody.
        peer.process.signal(SIGSTOP)
        try await eventuallyStopped(peer.process.pid)
        await assertThrowsPipeBus(.timedOut) { try await bus.setBypassed(true, of: "Other.fx") }
        let other = try await BusClient.connect(as: "org.pipebus.second", name: "Second", remote: daemon.remote)
        let ports = await other.graph.ports
        XCTAssertEqual(ports.map(\.nodeName), ["Other.fx", "Other.in"])
        await other.close()
        peer.process.signal(SIGCONT)
        try await eventually("it to be done after all") { try await bus.isBypassed("Other.fx") }
        await bus.close()
        try await peer.close()
    }

    func testAnAppStandsForItsFirstFilter() async throws {
        let daemon = try await startDaemon(.init(quantum: 256, hasNullSink: true))
        let app = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        // Before it, what an app's name stands for elsewhere.
        _ = try await app.receiver("in", title: "Ears", state: ()) { _, _, _ in }
        _ = try await app.sender("out", state: ()) { _, _, _ in }
        let first = try await app.filter("fx", title: "Effect", state: ()) { _, _, _, _ in }
        let second = try await app.filter("more", state: ()) { _, _, _, _ in }
        try await eventually("the ports") { await bus.graph.ports.count == 5 }
        for (client, name) in [
            (app, "App"), (bus, "App"), (app, "org.pipebus.app"), (bus, "App.fx"), (bus, "App/fx"), (bus, "Effect"),
        ] {
            for isBypassed in [true, false] {
                try await client.setBypassed(isBypassed, of: name)
                XCTAssertEqual(first.isBypassed, isBypassed, name)
                let answer = try await client.isBypassed(name)
                XCTAssertEqual(answer, isBypassed, name)
                try await eventually("others to see it") { try await bus.isBypassed(first) == isBypassed }
            }
        }
        XCTAssertFalse(second.isBypassed)
        for client in [app, bus] {
            for name in ["App.in", "App.out", "App/in", "Ears", "null-sink"] {
                let words = try await refusal(.notSupported) { try await client.setBypassed(true, of: name) }
                XCTAssertTrue(words.contains("is no filter of a PipeBus app"), words)
                _ = try await refusal(.notSupported) { _ = try await client.isBypassed(name) }
            }
            let words = try await refusal(.unknownPort) { try await client.setBypassed(true, of: "Nobody") }
            XCTAssertTrue(words.hasSuffix("there is \"App.fx\", \"App.more\"."), words)
        }
        await first.close()
        await second.close()
        var words = try await refusal(.notSupported) { try await app.setBypassed(true, of: "App") }
        XCTAssertTrue(words.hasPrefix("App has no filter"), words)
        words = try await refusal(.unknownPort) { try await app.setBypassed(true, of: "Nobody") }
        XCTAssertTrue(words.hasSuffix("and no other either."), words)
        _ = try await refusal(.unknownPort) { try await app.setBypassed(true, of: first) }
        await app.close()
        await bus.close()
    }

    func testAClientThatIsClosedWhileItAsksIsNotHeldUp() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let peer = try await Peer.start("Other", on: daemon)
        try await peer.addFilter("fx")
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        try await eventually("the port") { await bus.graph.ports.count == 1 }
        peer.process.signal(SIGSTOP)
        try await eventuallyStopped(peer.process.pid)
        let isDone = Flag()
        let asking = Task {
            defer { isDone.raise() }
            try await bus.setBypassed(true, of: "Other.fx")
        }
        try await eventually("it to be asked") { await bus.isAsking }
        await bus.close()
        try await eventually("it to be given up") { isDone.isRaised }
        let result = await asking.result
        XCTAssertThrowsError(try result.get())
        peer.process.signal(SIGCONT)
        try await peer.close()
    }

    func testNonsenseIsRefusedAndTold() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let filter = try await bus.filter("fx", state: ()) { _, _, _, _ in }
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        let notices = NoticeLog(bus.notices)
        try await setParameter("Test.fx", "pipebus.bypassed", "\"perhaps\"", daemon)
        try await setParameter("Test.fx", "pipebus.bypassed", "17", daemon)
        try await setParameter("Test.fx", "something.else", "true", daemon)
        try await setParameter("Test.fx", String(repeating: "k", count: 100), "true", daemon)
        try await setParameter("Test.fx", "pipebus.bypassed", "\"\(String(repeating: "v", count: 300))\"", daemon)
        try await setParameter("Test.out", "pipebus.bypassed", "true", daemon)
        try await eventually("the refusals") { notices.all.count == 4 }
        XCTAssertEqual(notices.all.map(\.kind), Array(repeating: .requestRefused, count: 4))
        XCTAssertEqual(notices.all.map(\.port), [filter.name, filter.name, filter.name, sender.name])
        XCTAssertFalse(filter.isBypassed)
        await bus.close()
    }

    private func setParameter(
        _ node: String, _ key: String, _ value: String, _ daemon: HeadlessPipeWire
    ) async throws {
        let dump = try await GraphDump.take(daemon)
        let id = try XCTUnwrap(dump.nodes(named: node).first).id
        let tool = try daemon.run("pw-cli", ["set-param", "\(id)", "Props", "{ params = [ \"\(key)\" \(value) ] }"])
        let ending = try await tool.waitForEnd()
        XCTAssertEqual(ending, .exited(0), tool.errors.text)
    }

    private func assertThrowsPipeBus(
        _ code: PipeBusError.Code, file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> Void
    ) async {
        _ = try? await refusal(code, file: file, line: line, body)
    }

    /// The sentence that something is refused with.
    private func refusal(
        _ code: PipeBusError.Code, file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> Void
    ) async throws -> String {
        do {
            try await body()
        } catch {
            XCTAssertEqual((error as? PipeBusError)?.code, code, "\(error)", file: file, line: line)
            return (error as? PipeBusError)?.message ?? ""
        }
        XCTFail("nothing was thrown", file: file, line: line)
        return ""
    }
}

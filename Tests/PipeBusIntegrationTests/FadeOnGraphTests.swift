// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Coming and going without a click, on a steady sound, which would show the smallest one.
final class FadeOnGraphTests: BusTestCase {
    /// The largest step of a raised cosine of five milliseconds.
    private let steepest: Float = .pi / 2 / 240 * 1.01

    /// A steady sound, and a silent one that keeps the graph running, at a receiver.
    private struct Setup {
        let stage: Stage
        let hearing = Hearing()
        let steady: SenderPort
        let receiver: ReceiverPort

        init(fade: Fade = .standard) async throws {
            stage = try await Stage.start()
            steady = try await stage.sender("steady") { _, _ in 1 }
            let silent = try await stage.sender("silent") { _, _ in 0 }
            receiver = try await hearing.mixed(on: stage.taker, fade: fade)
            try await stage.taker.connect(silent, to: receiver)
            try await stage.taker.connect(steady, to: receiver)
        }
    }

    private func assertSmooth(_ samples: [Float], file: StaticString = #filePath, line: UInt = #line) {
        var last: Float = 0
        for (frame, sample) in samples.enumerated() {
            if abs(sample - last) > steepest {
                return XCTFail("from \(last) to \(sample) at frame \(frame)", file: file, line: line)
            }
            last = sample
        }
    }

    func testConnectingAndDisconnectingFade() async throws {
        for quantum in [64, 1024] {
            let setup = try await Setup()
            let stage = setup.stage
            for _ in 0..<3 {
                try await stage.step(quantum, cycles: 2048 / quantum)
                XCTAssertEqual(setup.hearing.mix().last, 1)
                try await stage.stepping(quantum) { [stage, setup] in
                    try await stage.taker.disconnect(setup.steady, from: setup.receiver)
                }
                XCTAssertEqual(setup.hearing.mix().last, 0, "it went only when it could not be heard any more")
                try await stage.step(quantum, cycles: 4)
                try await stage.taker.connect(setup.steady, to: setup.receiver)
            }
            assertSmooth(setup.hearing.mix())
            try await stage.close()
        }
    }

    /// Without running cycles there is no fade: the call returns, and the last sound decays later.
    func testWhereTheGraphStandsStillDisconnectingDoesNotHang() async throws {
        let setup = try await Setup()
        try await setup.stage.step(1024)
        try await setup.stage.taker.disconnect(setup.steady, from: setup.receiver)
        let sources = try await setup.receiver.sources
        XCTAssertEqual(sources.map(\.title), ["Givers silent"])
        try await setup.stage.step(1024)
        assertSmooth(setup.hearing.mix())
        XCTAssertEqual(setup.hearing.mix().last, 0)
        try await setup.stage.close()
    }

    func testSoundThatAnotherProgramCutsOffDecays() async throws {
        let setup = try await Setup()
        let (stage, hearing) = (setup.stage, setup.hearing)
        // Three who are not the receiver: a patchbay, the sender itself, and its app.
        let cuts: [@Sendable () async throws -> Void] = [
            { try await stage.givers.disconnect(setup.steady, from: "Taker/in") }, { await setup.steady.close() },
            { await stage.givers.close() },
        ]
        for (number, cut) in cuts.enumerated() {
            if number == 2 {
                let again = try await stage.sender("steady") { _, _ in 1 }
                try await stage.taker.connect(again, to: setup.receiver)
            } else if number == 1 {
                try await stage.taker.connect(setup.steady, to: setup.receiver)
            }
            try await stage.step(1024)
            XCTAssertEqual(hearing.mix().last, 1)
            if number == 0 { try await stage.showToGivers(setup.steady, setup.receiver) }
            try await cut()
            // One that keeps it running, if no other does.
            let keeper = try await stage.taker.sender("keeper \(number)", channels: .mono, state: ()) { _, _, _ in }
            try await stage.graph.settle()
            let patchbay = try await BusClient.connect(
                as: "org.pipebus.patchbay", name: "Patchbay", remote: stage.graph.remote)
            try await patchbay.connect(keeper.nodeName, to: "Taker.in")
            try await stage.step(1024)
            XCTAssertEqual(hearing.mix().last, 0)
            assertSmooth(hearing.mix())
            await patchbay.close()
            await keeper.close()
        }
        try await stage.close()
    }

    /// The block goes on until it is silent, and knows that this is the rest.
    func testTheLastSourceDiesAwayAtAReceiverThatIsNotConnected() async throws {
        let stage = try await Stage.start()
        let steady = try await stage.sender("steady") { _, _ in 1 }
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker, fade: .standard)
        // It runs on because another port of its app does.
        let other = try await stage.taker.receiver("other", state: ()) { _, _, _ in }
        try await stage.taker.connect(steady, to: receiver)
        try await stage.taker.connect(steady, to: other)
        try await stage.step(64, cycles: 20)
        XCTAssertEqual(hearing.moments.map(\.cycle.isConnected), Array(repeating: true, count: 20))
        XCTAssertTrue(receiver.isConnected)
        try await stage.graph.run("pw-link", ["-d", "Givers.steady:output_MONO", "Taker.in:input_1_MONO"])
        try await stage.graph.settle()
        XCTAssertFalse(receiver.isConnected)
        let (before, heard) = (hearing.mix().last, hearing.moments.count)
        XCTAssertEqual(before, 1)
        try await stage.step(64, cycles: 20)
        let rest = hearing.moments.dropFirst(heard)
        XCTAssertTrue((4..<20).contains(rest.count), "240 frames, and then no more: \(rest.count)")
        XCTAssertEqual(Set(rest.map(\.cycle.isConnected)), [false])
        assertSmooth(hearing.mix())
        XCTAssertEqual(hearing.mix().last, 0)
        try await stage.close()
    }

    func testWithoutAFadeEverySampleComesAsItIs() async throws {
        let setup = try await Setup(fade: .none)
        try await setup.stage.step(100)
        try await setup.stage.taker.disconnect(setup.steady, from: setup.receiver)
        try await setup.stage.step(100)
        assertSamples(setup.hearing.mix(), equal: (0..<200).map { $0 < 100 ? 1 : 0 })
        try await setup.stage.close()
    }

    /// Another client removes the source while it fades, and the next link has its number.
    func testWhatCameMeanwhileIsLeftAlone() async throws {
        let setup = try await Setup()
        let stage = setup.stage
        let other = try await stage.sender("other") { _, _ in 0.5 }
        try await stage.step(1024)
        try await stage.showToGivers(setup.steady, setup.receiver)
        let before = await stage.givers.graph.connections.first { $0.source == setup.steady.id }?.links.first?.id
        // Nothing runs, so that it takes its time.
        async let fading: Void = stage.taker.disconnect(setup.steady, from: setup.receiver)
        try await stage.givers.disconnect(setup.steady, from: "Taker/in")
        let connection = try await stage.givers.connect(other, to: "Taker/in")
        XCTAssertEqual(connection.links.first?.id, before, "this daemon gives ids in another order: nothing is shown")
        try await fading
        let titles = try await setup.receiver.sources.map(\.title)
        XCTAssertEqual(Set(titles), ["Givers silent", "Givers other"])
        // On the lane of the one that went, which dies away under it.
        try await stage.step(1024)
        XCTAssertEqual(setup.hearing.mix().last, 0.5)
        assertSmooth(setup.hearing.mix())
        try await stage.close()
    }
}

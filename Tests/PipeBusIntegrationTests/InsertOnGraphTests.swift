// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A filter that is put into a connection and taken out of it, sample by sample.
final class InsertOnGraphTests: BusTestCase {
    /// A source, a filter and a receiver, and the client that changes their connections.
    private struct Setup {
        let stage: Stage
        let hearing = Hearing()
        let source: SenderPort
        let filter: FilterPort
        let receiver: ReceiverPort
        let patchbay: BusClient

        init(
            by frames: Int = 0, gain: Float = 1, isForeign: Bool = false, fade: Fade = .standard,
            installation: PipeWireInstallation = .chosen,
            _ signal: @escaping Stage.Signal = Stage.saw
        ) async throws {
            stage = try await Stage.start(installation: installation)
            source = try await stage.sender("source", signal)
            filter = try await stage.delay("filter", by: frames, gain: gain)
            receiver = try await hearing.mixed(on: stage.taker, fade: fade)
            patchbay = try await stage.patchbay(isForeign: isForeign)
            try await stage.taker.connect(source, to: receiver)
            try await stage.step(256, cycles: 20)
        }

        func insert() async throws {
            try await stage.stepping(256) { [patchbay] in
                try await patchbay.insert("Givers.filter", from: "Givers.source", to: "Taker.in")
            }
        }

        func takeOut() async throws {
            try await stage.stepping(256) { [patchbay] in try await patchbay.takeOut("Givers.filter") }
        }

        var connections: Set<String> { get async { await patchbay.connectionNames } }

        func assertWhole(from first: Int64 = 1024, file: StaticString = #filePath, line: UInt = #line) {
            hearing.assertWhole(from: first, file: file, line: line)
        }

        func close() async throws { try await stage.close(patchbay) }
    }

    func testAHundredTimesNothingIsLost() async throws {
        for (isForeign, rounds, installation) in [
            (false, 100, PipeWireInstallation.chosen), (true, 20, .chosen), (true, 20, try .newer()),
        ] {
            let setup = try await Setup(isForeign: isForeign, installation: installation)
            for round in 0..<rounds {
                try await setup.insert()
                let inserted = await setup.connections
                XCTAssertEqual(inserted, ["Givers.source Givers.filter", "Givers.filter Taker.in"], "\(round)")
                try await setup.stage.step(256, cycles: 2)
                try await setup.takeOut()
                let takenOut = await setup.connections
                XCTAssertEqual(takenOut, ["Givers.source Taker.in"], "\(round)")
            }
            setup.assertWhole()
            XCTAssertGreaterThan(setup.hearing.moments.count, 500)
            try await setup.close()
        }
    }

    /// The receiver waits for the sound that is older: once, with a crossfade. From then on all is whole.
    func testWithAFilterThatTakesTimeNothingIsLostAfterTheFirst() async throws {
        let setup = try await Setup(by: 480, isForeign: true)
        try await setup.insert()
        setup.hearing.forget()
        for _ in 0..<10 {
            try await setup.takeOut()
            try await setup.insert()
        }
        setup.assertWhole(from: 0)
        XCTAssertEqual(
            Set(setup.hearing.moments.compactMap { $0.timestamp.map(\.position) }).count, setup.hearing.moments.count)
        try await setup.close()
    }

    /// A filter that halves a steady sound: a step would show.
    func testTheStepIsNoSteeperThanTheFade() async throws {
        let setup = try await Setup(gain: 0.5, isForeign: true) { _, _ in 1 }
        let steepest: Float = .pi / 2 / 240 * 0.5 * 1.01
        for _ in 0..<5 {
            try await setup.insert()
            XCTAssertEqual(setup.hearing.mix().last, 0.5)
            try await setup.takeOut()
            XCTAssertEqual(setup.hearing.mix().last, 1)
        }
        let samples = setup.hearing.mix().dropFirst(1024)
        for (sample, next) in zip(samples, samples.dropFirst()) where abs(next - sample) > steepest {
            return XCTFail("from \(sample) to \(next)")
        }
        try await setup.close()
    }

    func testWithoutAFadeTheExchangeIsBetweenTwoFrames() async throws {
        let setup = try await Setup(gain: 0.5, fade: .none) { _, _ in 1 }
        try await setup.insert()
        XCTAssertEqual(Set(setup.hearing.mix().dropFirst(256)), [1, 0.5])
        XCTAssertEqual(setup.hearing.mix(), setup.hearing.mix().sorted { $0 > $1 })
        try await setup.close()
    }

    func testTheLevelStaysAtItsPlace() async throws {
        let setup = try await Setup(isForeign: true) { _, _ in 1 }
        let level = Source.Level(volume: 0.25, pan: 0, isMuted: false, isSoloed: true)
        try await setup.receiver.setLevel(level, for: setup.source.id)
        try await setup.stage.step(256, cycles: 8)
        let before = setup.hearing.moments.count
        try await setup.insert()
        let inserted = try await setup.stage.taker.levels(at: setup.receiver)
        XCTAssertEqual(inserted, [setup.filter.id: level])
        try await setup.takeOut()
        let takenOut = try await setup.stage.taker.levels(at: setup.receiver)
        XCTAssertEqual(takenOut, [setup.source.id: level])
        let samples = setup.hearing.moments.dropFirst(before).flatMap { $0.mix[0] }
        XCTAssertEqual(samples.min() ?? 0, 0.25, accuracy: 1e-6)
        XCTAssertEqual(samples.max() ?? 0, 0.25, accuracy: 1e-6)
        try await setup.close()
    }

    func testAChangeIsUndoneAndMadeAgain() async throws {
        let setup = try await Setup()
        let change = Box<ConnectionChange?>(nil)
        try await setup.stage.stepping(256) {
            let made = try await setup.patchbay.insert("Givers.filter", from: "Givers.source", to: "Taker.in")
            change.value = made
        }
        let made = try XCTUnwrap(change.value)
        XCTAssertEqual(made.connected.count, 2)
        XCTAssertEqual(made.disconnected.count, 1)
        for _ in 0..<3 {
            try await setup.stage.stepping(256) { try await setup.patchbay.apply(made.inverse) }
            let undone = await setup.connections
            XCTAssertEqual(undone, ["Givers.source Taker.in"])
            try await setup.stage.stepping(256) { try await setup.patchbay.apply(made) }
            let again = await setup.connections
            XCTAssertEqual(again, ["Givers.source Givers.filter", "Givers.filter Taker.in"])
        }
        setup.assertWhole()
        let nothing = try await setup.patchbay.apply(made)
        XCTAssertTrue(nothing.isEmpty)
        try await setup.close()
    }

    /// The error says what to do, and not what the port would be elsewhere.
    func testAPortThatIsNoFilterIsRefusedWithWhatToDo() async throws {
        let setup = try await Setup()
        let taker = setup.stage.taker
        let stereo = try await taker.receiver("stereo", channels: .stereo, state: ()) { _, _, _ in }
        let before = await setup.connections
        let wrong: [(String, @Sendable () async throws -> Void)] = [
            ("name a filter in its place", { try await taker.insert(stereo, from: "Givers.source", to: "Taker.in") }),
            ("name a filter in its place", { try await taker.insert("Taker.in", from: "Givers.source", to: stereo) }),
            ("name a filter in its place", { try await taker.takeOut(stereo) }),
            (
                "a path ends there; make two",
                { try await taker.connect(through: ["Givers.source", stereo, "Taker.in"]) }
            ),
            (
                "a path can only begin there; make two",
                { try await taker.connect(through: ["Givers.filter", "Givers.source", "Taker.in"]) }
            ),
            ("name a port that gives sound as the source", { try await taker.connect(stereo, to: "Taker.in") }),
            (
                "name a port that takes sound as the destination",
                { try await taker.connect("Givers.source", to: "Givers.source") }
            ),
        ]
        for (words, call) in wrong {
            do {
                try await call()
                XCTFail("done: \(words)")
            } catch let error as PipeBusError {
                XCTAssertEqual(error.code, .invalidArgument, error.message)
                XCTAssertTrue(error.message.contains(words), error.message)
            }
        }
        let after = await setup.connections
        XCTAssertEqual(after, before)
        try await setup.close()
    }

    func testWhatCannotBeDoneChangesNothing() async throws {
        let setup = try await Setup()
        let stereo = try await setup.stage.taker.receiver("stereo", channels: .stereo, state: ()) { _, _, _ in }
        let taker = setup.stage.taker
        let before = await setup.connections
        let wrong: [(PipeBusError.Code, @Sendable () async throws -> Void)] = [
            (.notConnected, { try await taker.insert("Givers.filter", from: "Givers.source", to: stereo) }),
            (.notConnected, { try await taker.takeOut("Givers.filter") }),
            (.invalidArgument, { try await taker.insert("Givers.source", from: "Givers.source", to: "Taker.in") }),
            (.invalidArgument, { try await taker.connect(through: ["Givers.source"]) }),
            (.invalidArgument, { try await taker.connect(through: ["Givers.source", stereo, "Taker.in"]) }),
            (
                .timedOut,
                {
                    try await taker.connect(
                        through: ["Givers.source", "Nobody", "Taker.in"], timeout: .milliseconds(100))
                }
            ),
            (.notConnected, { try await taker.replace("Givers.filter", at: "Taker.in", with: "Givers.source") }),
        ]
        for (index, (code, call)) in wrong.enumerated() {
            do {
                try await call()
                XCTFail("\(index) was done")
            } catch let error as PipeBusError { XCTAssertEqual(error.code, code, "\(index): \(error.message)") }
            let after = await setup.connections
            XCTAssertEqual(after, before, "\(index)")
        }
        try await setup.close()
    }

    /// The third of three connections has channels that do not go together: the first two are not made either.
    func testOfAPathAllIsMadeOrNothing() async throws {
        let setup = try await Setup()
        let quad = try await setup.stage.taker.receiver("quad", channels: .channels(3), state: ()) { _, _, _ in }
        let other = try await setup.stage.delay("other", by: 0)
        let before = await setup.connections
        do {
            try await setup.stage.taker.connect(through: ["Givers.source", other, setup.filter, quad])
            XCTFail("mono went into three channels")
        } catch let error as PipeBusError { XCTAssertEqual(error.code, .channelMismatch, error.message) }
        let after = await setup.connections
        XCTAssertEqual(after, before)
        let change = try await setup.stage.taker.connect(through: ["Givers.source", other, setup.filter, "Taker.in"])
        XCTAssertEqual(change.connected.count, 3)
        let pipelines = await setup.stage.taker.graph.pipelines
        let pipeline = try XCTUnwrap(pipelines.first { $0.ports.count == 4 })
        try await setup.stage.stepping(256) { try await setup.stage.taker.disconnect(pipeline) }
        let ended = await setup.connections
        XCTAssertEqual(ended, before)
        try await setup.close()
    }
}

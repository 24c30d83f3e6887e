// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The common behaviour of all sequences that an app observes.
final class UpdatesTests: BusTestCase {
    /// The first elements of every sequence of a receiver and its client.
    private func firstElements(of receiver: ReceiverPort) async -> [Bool] {
        [
            await receiver.client.graphUpdates.first { _ in true } != nil,
            await receiver.stateUpdates.first { _ in true } != nil,
            await receiver.sourceUpdates.first { _ in true } != nil,
            await receiver.meters.first { _ in true } != nil,
            await receiver.meters(every: .seconds(2)).first { _ in true } != nil,
        ]
    }

    func testTheFirstElementIsThePresentValue() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", state: ()) { _, _, _ in }
        let sender = try await stage.sender("out") { _, _ in 0.5 }
        try await stage.taker.connect(sender, to: receiver)
        try await stage.step(1024)
        let elements = await firstElements(of: receiver)
        XCTAssertEqual(elements, [true, true, true, true, true])
        let state = await receiver.stateUpdates.first { _ in true }
        XCTAssertEqual(state?.sources.map(\.id), [sender.id])
        let meters = await receiver.meters.first { _ in true }
        XCTAssertEqual(meters?.map(\.meter.peak), [0.5])
        try await stage.close()
    }

    func testAfterTheEndThereIsNothing() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", state: ()) { _, _, _ in }
        await receiver.close()
        var elements = await firstElements(of: receiver)
        XCTAssertEqual(elements, [true, false, false, false, false], "the client is still there")
        await stage.taker.close()
        elements = await firstElements(of: receiver)
        XCTAssertEqual(elements, [false, false, false, false, false])
        // A machine without real-time priority has that notice in any case.
        let notice = await stage.taker.notices.first { $0.kind != .noRealtimePriority }
        XCTAssertNil(notice)
        try await stage.close()
    }

    /// Each loop over one sequence is a reader of its own.
    func testASequenceCanBeReadMoreThanOnce() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", state: ()) { _, _, _ in }
        let updates = receiver.sourceUpdates
        for _ in 0..<2 {
            let first = await updates.first { _ in true }
            XCTAssertEqual(first?.sources.count, 0)
        }
        let sender = try await stage.sender("out") { _, _ in 0 }
        try await stage.taker.connect(sender, to: receiver)
        let later = await updates.first { !$0.sources.isEmpty }
        XCTAssertEqual(later?.connected.map(\.id), [sender.id])
        try await stage.close()
    }

    func testACancelledReaderEnds() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", state: ()) { _, _, _ in }
        let readers = [
            Task { for await _ in receiver.client.graphUpdates {} }, Task { for await _ in receiver.client.notices {} },
            Task { for await _ in receiver.stateUpdates {} }, Task { for await _ in receiver.sourceUpdates {} },
            Task { for await _ in receiver.meters {} }, Task { for await _ in receiver.meters(every: .seconds(2)) {} },
        ]
        await Task.yield()
        for reader in readers { reader.cancel() }
        for reader in readers { await reader.value }
        try await stage.close()
    }

    func testReadingsComeAtThePaceThatIsAskedFor() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", state: ()) { _, _, _ in }
        let clock = ContinuousClock()
        let began = clock.now
        var count = 0
        for await _ in receiver.meters(every: .milliseconds(200)) {
            count += 1
            if count == 4 { break }
        }
        XCTAssertGreaterThanOrEqual(began.duration(to: clock.now), .milliseconds(600), "three intervals")
        // An interval of no length must not keep a processor busy.
        let second = clock.now
        count = 0
        for await _ in receiver.meters(every: .zero) {
            count += 1
            if count == 11 { break }
        }
        XCTAssertGreaterThanOrEqual(second.duration(to: clock.now), .milliseconds(100))
        try await stage.close()
    }
}

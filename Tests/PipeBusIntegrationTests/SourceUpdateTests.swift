// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The updates of a receiver's sources for an app.
final class SourceUpdateTests: BusTestCase {
    func testEveryChangeIsReported() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", state: ()) { _, _, _ in }
        let log = await UpdateLog(receiver)
        let first = try await log.next("the beginning") { _ in true }
        XCTAssertEqual(first.sources.count + first.connected.count, 0, "there is nobody, and that is told")

        let sender = try await stage.sender("out", channels: .stereo) { _, _ in 0 }
        try await stage.taker.connect(sender, to: receiver)
        let connected = try await log.next("the source") { !$0.connected.isEmpty }
        XCTAssertEqual(connected.connected.map(\.id), [sender.id])
        XCTAssertEqual(connected.sources.map(\.title), ["Givers out"])
        XCTAssertEqual(connected.disconnected.count, 0)

        try await sender.setTitle("Another title")
        let renamed = try await log.next("the title") { $0.sources.first?.title == "Another title" }
        XCTAssertEqual(renamed.changed.map(\.id), [sender.id])
        XCTAssertEqual(renamed.connected.count, 0, "it is the same one")

        try await receiver.setVolume(0.5, for: sender.id)
        let quieter = try await log.next("the volume") { $0.sources.first?.level.volume == 0.5 }
        XCTAssertEqual(quieter.changed.map(\.level), [Source.Level(volume: 0.5)])

        // The context is the app's own doing, and no news.
        try await receiver.setContext("mine", for: sender.id)
        try await receiver.setPan(-1, for: sender.id)
        let panned = try await log.next("the pan") { $0.sources.first?.level.pan == -1 }
        XCTAssertEqual(panned.sources.first?.context as? String, "mine")

        try await stage.taker.disconnect(sender, from: receiver)
        let gone = try await log.next("the end") { !$0.disconnected.isEmpty }
        XCTAssertEqual(gone.disconnected.map(\.title), ["Another title"], "as it was last")
        XCTAssertEqual(gone.sources.count, 0)
        XCTAssertFalse(log.hasEnded)
        await receiver.close()
        try await eventually("the end of the updates") { log.hasEnded }
        try await stage.close()
    }

    func testALatencyThatChangesUpstreamIsReported() async throws {
        try await UpstreamLatency.check(installation: .chosen)
    }

    /// PipeWire withdraws the latency before it reports that the link is gone. Until then the source keeps its age.
    func testASourceThatIsCutOffIsNotYoungForAMoment() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let late = try await stage.sender("late", latency: 1000) { _, _ in 0 }
        for round in 0..<10 {
            try await stage.taker.connect(late, to: receiver)
            try await eventually("its latency") { try await receiver.sources.first?.latency.frames == 1000 }
            try await stage.showToGivers(late, receiver)
            var updates = receiver.sourceUpdates.makeAsyncIterator()
            _ = await updates.next()
            try await stage.givers.disconnect(late, from: "Taker/in")
            while let update = await updates.next() {
                XCTAssertTrue(update.sources.allSatisfy { $0.latency.frames == 1000 }, "round \(round)")
                if update.disconnected.contains(where: { $0.id == late.id }) { break }
            }
        }
        try await stage.close()
    }

    func testABusyReaderMissesNoSourceThatComesAndGoes() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        var updates = receiver.sourceUpdates.makeAsyncIterator()
        _ = await updates.next()
        var ids: [GraphPort.ID] = []
        for number in 0..<5 {
            let sender = try await stage.sender("out\(number)") { _, _ in 0 }
            try await stage.taker.connect(sender, to: receiver)
            ids.append(sender.id)
            await sender.close()
            try await eventually("it to be gone") { try await receiver.sources.isEmpty }
        }
        // The sequence ends, behind what waits.
        try await stage.close()
        var (connected, disconnected): ([GraphPort.ID], [GraphPort.ID]) = ([], [])
        while let update = await updates.next() {
            connected += update.connected.map(\.id)
            disconnected += update.disconnected.map(\.id)
        }
        XCTAssertEqual(connected, ids)
        XCTAssertEqual(disconnected, ids)
    }

    func testTwoReadersGetTheSameElements() async throws {
        let stage = try await Stage.start()
        let receiver = try await stage.taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let sender = try await stage.sender("out") { _, _ in 0 }
        let id = sender.id
        try await stage.taker.connect(sender, to: receiver)
        let logs = [await UpdateLog(receiver), await UpdateLog(receiver)]
        for log in logs {
            let first = try await log.next("the beginning") { _ in true }
            XCTAssertEqual(first.connected.map(\.id), [id], "what is there already comes as connected")
        }
        await stage.givers.close()
        for log in logs {
            let gone = try await log.next("the end of its app") { !$0.disconnected.isEmpty }
            XCTAssertEqual(gone.disconnected.map(\.id), [id])
        }
        await stage.taker.close()
        for log in logs { try await eventually("the end of the updates") { log.hasEnded } }
        try await stage.close()
    }
}

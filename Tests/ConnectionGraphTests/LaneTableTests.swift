// SPDX-License-Identifier: MIT
import ConnectionGraph
import SeededRandom
import XCTest

final class LaneTableTests: XCTestCase {
    private var table = LaneTable(laneCount: 2)

    private func link(
        _ id: UInt32, from source: UInt64, output: UInt32? = nil, lane: Int, channel: Int = 0, ours: Bool = false
    ) -> LaneTable.Decision {
        table.linkAdded(
            id: id, source: source, output: output ?? UInt32(source * 10) + UInt32(channel), lane: lane,
            channel: channel, isOurs: ours)
    }

    func testAForeignLinkMayTakeAFreeLane() {
        XCTAssertEqual(link(1, from: 7, lane: 1), .accept)
        XCTAssertEqual(table.lane(of: 7), 1)
        XCTAssertTrue(table.isLinked(lane: 1))
        XCTAssertFalse(table.isLinked(lane: 0))
    }

    func testTheChannelsOfOneSourceShareItsLane() {
        XCTAssertEqual(link(1, from: 7, lane: 0, channel: 0), .accept)
        XCTAssertEqual(link(2, from: 7, lane: 0, channel: 1), .accept)
        XCTAssertNotEqual(table.linkSummary(of: 0)?.isShared, true)
    }

    func testAForeignLinkIntoAnotherSourcesLaneIsMovedToAFreeOne() {
        _ = link(1, from: 7, lane: 0)
        XCTAssertEqual(link(2, from: 8, lane: 0), .move(lane: 1))
    }

    func testTheSecondChannelFollowsTheFirstAlsoBeforeItsLinkIsThere() {
        _ = link(1, from: 7, lane: 0)
        XCTAssertEqual(link(2, from: 8, lane: 0, channel: 0), .move(lane: 1))
        XCTAssertEqual(link(3, from: 8, lane: 0, channel: 1), .move(lane: 1))
    }

    func testALaneIsNotGivenTwiceWhileTheMovedLinkIsOnItsWay() {
        table = LaneTable(laneCount: 3)
        _ = link(1, from: 7, lane: 0)
        XCTAssertEqual(link(2, from: 8, lane: 0), .move(lane: 1))
        table.linkRemoved(id: 2)
        XCTAssertEqual(link(3, from: 9, lane: 0), .move(lane: 2))
        table.linkRemoved(id: 3)
        XCTAssertNil(table.reserve(for: 10))
        // The link appears, and is removed: now the lane is free.
        XCTAssertEqual(link(4, from: 8, lane: 1, ours: true), .accept)
        table.linkRemoved(id: 4)
        XCTAssertEqual(table.reserve(for: 10), 1)
        table.cancelMove(lane: 2)
        XCTAssertEqual(table.reserve(for: 11), 2)
    }

    func testALinkThatIsBeingMovedDoesNotDriveOutTheOneThatWasThere() {
        _ = link(1, from: 7, lane: 0, channel: 0)
        XCTAssertEqual(link(2, from: 8, lane: 0, channel: 0), .move(lane: 1))
        XCTAssertEqual(link(3, from: 7, lane: 0, channel: 1), .accept)
        XCTAssertNotEqual(table.linkSummary(of: 0)?.isShared, true)
        // Unless it stays after all.
        table.cancelMove(lane: 1, link: 2)
        XCTAssertEqual(table.linkSummary(of: 0)?.isShared, true)
    }

    func testALinkThatIsToBeRemovedIsNotMovedAndTakesNoPlace() {
        _ = link(1, from: 7, lane: 0)
        XCTAssertEqual(
            table.linkAdded(id: 2, source: 8, output: 80, lane: 0, channel: 0, isOurs: false, isLeaving: true), .accept)
        XCTAssertEqual(table.linkSummary(of: 0)?.sources, [7])
        XCTAssertEqual(table.reserve(for: 9), 1)
        // Unless it stays after all.
        table.keep(link: 2)
        XCTAssertEqual(table.linkSummary(of: 0)?.sources, [7, 8])
    }

    func testAThirdSourceFindsNoLaneAndStays() {
        _ = link(1, from: 7, lane: 0)
        _ = link(2, from: 8, lane: 1)
        XCTAssertEqual(link(3, from: 9, lane: 0), .share(.noFreeLane))
        XCTAssertEqual(table.linkSummary(of: 0)?.isShared, true)
    }

    func testALinkThatComesBackStays() {
        _ = link(1, from: 7, lane: 0)
        XCTAssertEqual(link(2, from: 8, lane: 0), .move(lane: 1))
        table.linkRemoved(id: 2)
        XCTAssertEqual(link(4, from: 8, lane: 1, ours: true), .accept)
        table.linkRemoved(id: 4)
        XCTAssertEqual(link(3, from: 8, lane: 0), .share(.cameBack))
    }

    func testASourceThatHasLeftIsMovedAgainOnceItsMovesAreForgotten() {
        _ = link(1, from: 7, lane: 0)
        XCTAssertEqual(link(2, from: 8, lane: 0), .move(lane: 1))
        XCTAssertFalse(table.hasLeft(8), "its new link is coming")
        table.linkRemoved(id: 2)
        XCTAssertEqual(link(4, from: 8, lane: 1, ours: true), .accept)
        XCTAssertFalse(table.hasLeft(8))
        table.linkRemoved(id: 4)
        XCTAssertTrue(table.hasLeft(8))
        XCTAssertFalse(table.hasLeft(7), "it was never moved")
        table.forgetMoves(of: 8)
        XCTAssertFalse(table.hasLeft(8))
        XCTAssertEqual(link(3, from: 8, lane: 0), .move(lane: 1))
    }

    func testAnotherSourceIsMovedAlthoughTheFirstCameBack() {
        table = LaneTable(laneCount: 4)
        _ = link(1, from: 7, lane: 0)
        XCTAssertEqual(link(2, from: 8, lane: 0), .move(lane: 1))
        XCTAssertEqual(link(3, from: 9, lane: 0), .move(lane: 2))
    }

    func testANewNodeIsNotHeldToWhatItsPredecessorDid() {
        _ = link(1, from: 7, lane: 0)
        _ = link(2, from: 8, lane: 0)
        table.linkRemoved(id: 2)
        table.sourceRemoved(8)
        XCTAssertEqual(link(3, from: 8, lane: 0), .move(lane: 1))
    }

    func testAPromisedLaneIsNotFree() {
        XCTAssertEqual(table.reserve(for: 7), 0)
        XCTAssertEqual(table.reserve(for: 8), 1)
        XCTAssertNil(table.reserve(for: 9))
        table.endReservation(lane: 0)
        XCTAssertEqual(table.reserve(for: 9), 0)
    }

    func testAForeignLinkIntoAPromisedLaneIsMoved() {
        XCTAssertEqual(table.reserve(for: 7), 0)
        XCTAssertEqual(link(1, from: 8, lane: 0), .move(lane: 1))
    }

    func testOurOwnLinksAreNeverMoved() {
        _ = link(1, from: 7, lane: 0)
        XCTAssertEqual(link(2, from: 8, lane: 0, ours: true), .accept)
    }

    /// In any history no source is ever moved onto another source's lane, and no source is moved twice from the same
    /// place.
    func testRandomHistoriesNeverMixSources() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<300 {
            let lanes = Int.random(in: 1...5, using: &generator)
            var table = LaneTable(laneCount: lanes)
            var live: [UInt32: (source: UInt64, lane: Int)] = [:]
            var moves: Set<String> = []
            for id in UInt32(1)...60 {
                if Bool.random(using: &generator), let (old, _) = live.randomElement(using: &generator) {
                    table.linkRemoved(id: old)
                    live[old] = nil
                    continue
                }
                let source = UInt64.random(in: 1...6, using: &generator)
                let lane = Int.random(in: 0..<lanes, using: &generator)
                let channel = Int.random(in: 0...1, using: &generator)
                let output = UInt32(source) * 10
                let decision = table.linkAdded(
                    id: id, source: source, output: output, lane: lane, channel: channel, isOurs: false)
                live[id] = (source, lane)
                guard case .move(let target) = decision else { continue }
                XCTAssertNotEqual(target, lane)
                XCTAssertTrue(live.values.allSatisfy { $0.lane != target || $0.source == source })
                XCTAssertTrue(moves.insert("\(source) \(output) \(lane) \(channel)").inserted)
                // As the client does: this client's link is made on the new lane, the foreign one is removed.
                table.linkRemoved(id: id)
                live[id] = nil
                XCTAssertEqual(
                    table.linkAdded(
                        id: id + 1000, source: source, output: output, lane: target, channel: channel, isOurs: true),
                    .accept)
                live[id + 1000] = (source, target)
            }
        }
    }

    func testAChannelWithALinkThatGoesBelongsToTheOneThatStays() {
        var table = LaneTable(laneCount: 2)
        _ = table.linkAdded(id: 1, source: 10, output: 100, lane: 0, channel: 0, isOurs: true)
        XCTAssertTrue(table.isOccupied(lane: 0, channel: 0))
        XCTAssertFalse(table.isOccupied(lane: 0, channel: 1))
        XCTAssertFalse(table.isLeaving(lane: 0, channel: 0))
        let decision = table.linkAdded(id: 2, source: 20, output: 200, lane: 0, channel: 0, isOurs: false)
        XCTAssertEqual(decision, .move(lane: 1))
        XCTAssertTrue(table.isLeaving(lane: 0, channel: 0))
        XCTAssertFalse(table.isLeaving(lane: 1, channel: 0))
        _ = table.linkAdded(id: 3, source: 20, output: 201, lane: 0, channel: 1, isOurs: false)
        XCTAssertFalse(table.isOccupied(lane: 0, channel: 1), "nothing stays there")
        table.linkRemoved(id: 2)
        XCTAssertFalse(table.isLeaving(lane: 0, channel: 0))
        table.keep(link: 3)
        XCTAssertFalse(table.isLeaving(lane: 0, channel: 1))
        XCTAssertTrue(table.isOccupied(lane: 0, channel: 1))
    }

    func testTheLinksThatAreLeaving() {
        _ = link(1, from: 7, lane: 0)
        XCTAssertEqual(table.leavingLinks, [])
        _ = link(2, from: 8, lane: 0)
        XCTAssertEqual(table.leavingLinks, [2])
        table.keep(link: 2)
        XCTAssertEqual(table.leavingLinks, [])
        _ = table.linkAdded(id: 3, source: 9, output: 90, lane: 1, channel: 0, isOurs: false, isLeaving: true)
        XCTAssertEqual(table.leavingLinks, [3])
        table.linkRemoved(id: 3)
        XCTAssertEqual(table.leavingLinks, [])
    }
}

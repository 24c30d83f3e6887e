// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient
import XCTest

@testable import PipeBus

/// Nodes are numbered from 1; each has an input channel, its number and 100, and an output channel, its number and 200.
final class LatencyMapTests: XCTestCase {
    private func link(_ from: UInt32, _ to: UInt32) -> GraphReducer.AudioLink {
        GraphReducer.AudioLink(
            id: from * 10 + to, output: from + 200, outputNode: from, input: to + 100, inputNode: to)
    }

    private func map(
        _ links: [(UInt32, UInt32)], feedback: [(UInt32, UInt32)] = [], own: [UInt32: Int] = [:],
        reported: [UInt32: ClosedRange<Int>] = [:], towards direction: LatencyMap.Direction = .upstream
    ) -> LatencyMap {
        let channel: UInt32 = direction == .upstream ? 200 : 100
        return LatencyMap(
            (links + feedback).map { link($0.0, $0.1) }, towards: direction,
            feedback: Set(feedback.map { $0.0 * 10 + $0.1 }), own: own,
            reported: Dictionary(reported.map { ($0.key + channel, PathLatencyRange.frames($0.value)) }) { first, _ in
                first
            })
    }

    private func arriving(at node: UInt32, _ map: LatencyMap, towards direction: LatencyMap.Direction = .upstream)
        -> LatencyMap.Result
    {
        map.latency(
            arrivingAt: node, channel: node + (direction == .upstream ? 100 : 200), loop: map.loop(through: node))
    }

    private func late(_ cycles: Double, _ frames: Int) -> LatencyMap.Result {
        let latency = PathLatency(cycles: cycles, frames: frames)
        return .latency(PathLatencyRange(latency, latency))
    }

    func testAChainHasNoLoopAndNothingUnreliable() {
        let map = map([(1, 2), (2, 3), (3, 4)])
        for node in UInt32(1)...4 {
            XCTAssertEqual(map.loop(through: node), [])
            XCTAssertEqual(map.unreliableChannels(of: node, loop: []), [])
        }
    }

    func testADiamondIsNoLoop() {
        let map = map([(1, 2), (1, 3), (2, 4), (3, 4)])
        XCTAssertEqual((1...4).map { map.loop(through: UInt32($0)).count }, [0, 0, 0, 0])
    }

    func testALoopLeavesOutWhatCameThroughOneself() {
        // 1 is before the loop of 2 and 3, 4 behind it.
        let map = map([(1, 2), (2, 3), (3, 4)], feedback: [(3, 2)], own: [2: 480, 3: 64], reported: [1: 100...100])
        XCTAssertEqual(map.loop(through: 2), [2, 3])
        XCTAssertEqual(map.loop(through: 3), [2, 3])
        XCTAssertEqual(map.loop(through: 4), [])
        XCTAssertEqual(arriving(at: 2, map), late(0, 100))
        XCTAssertEqual(arriving(at: 3, map), late(0, 580))
    }

    func testTheCycleCountsWhereTheLinkIsLate() {
        let map = map([(1, 2), (3, 2), (3, 4)], feedback: [(2, 3)], own: [2: 480, 3: 64], reported: [1: 100...100])
        XCTAssertEqual(arriving(at: 2, map), late(0, 100))
        XCTAssertEqual(arriving(at: 3, map), late(1, 580))
    }

    func testALinkThatIsLateWithoutALoopCountsTheCycle() {
        let map = map([(1, 3)], feedback: [(2, 3)], reported: [1: 100...100, 2: 10...20])
        XCTAssertEqual(map.unreliableChannels(of: 3, loop: []), [103])
        let least = PathLatency(frames: 100)
        let most = PathLatency(cycles: 1, frames: 20)
        XCTAssertEqual(arriving(at: 3, map), .latency(PathLatencyRange(least, most)))
    }

    func testTwoSendersAtDifferentPlacesOfALoop() {
        let map = map(
            [(1, 2), (2, 3), (5, 3), (3, 4)], feedback: [(3, 2)], own: [2: 480, 3: 64],
            reported: [1: 100...100, 5: 7...7])
        XCTAssertEqual(
            arriving(at: 2, map),
            .latency(PathLatencyRange(PathLatency(frames: 100), PathLatency(cycles: 1, frames: 71))))
        XCTAssertEqual(arriving(at: 3, map), .latency(.frames(7...580)))
    }

    func testOneselfAlone() {
        XCTAssertEqual(arriving(at: 1, map([], feedback: [(1, 1)], own: [1: 480])), .nothing)
        let map = map([(2, 1)], feedback: [(1, 1)], own: [1: 480], reported: [2: 5...5])
        XCTAssertEqual(map.loop(through: 1), [1])
        XCTAssertEqual(arriving(at: 1, map), late(0, 5))
    }

    func testAnAnswerThatIsNotReportedYetIsUnknown() {
        let map = map([(1, 2), (2, 3)], feedback: [(3, 2)], own: [2: 480, 3: 64])
        XCTAssertEqual(arriving(at: 2, map), .unknown)
        XCTAssertEqual(arriving(at: 3, map), .unknown)
    }

    func testAForeignFilterAddsWhatItGivesMoreThanItTakes() {
        // 3 is foreign. It holds what came through the loop, and the least of it is right all the same.
        let map = map(
            [(1, 3), (3, 2)], feedback: [(2, 3)], own: [2: 480], reported: [1: 100...100, 2: 780...780, 3: 300...980])
        XCTAssertEqual(arriving(at: 2, map), late(0, 300))
    }

    func testWhatPipeWireIsLateWithIsNotWhatTheNodeAdds() {
        // 1 published 5 when 2 published 400; then 1 published 5000, and 2 followed, of which 3 got no report.
        let late = PathLatencyRange.frames(400...400)
        let links = [(1, 3), (3, 2), (2, 3)].map { link($0.0, $0.1) }
        let map = LatencyMap(
            links, towards: .upstream, feedback: [23], own: [2: 480],
            reported: [201: .frames(5000...5000), 202: .frames(5680...5680), 203: .frames(600...5200)],
            reportedLate: [23: late])
        XCTAssertEqual(arriving(at: 2, map), self.late(0, 5200))
    }

    func testAForeignFilterThatGivesLessThanItTakesIsBelieved() {
        let map = map(
            [(1, 3), (3, 2)], feedback: [(2, 3)], own: [2: 480], reported: [1: 100...100, 2: 580...580, 3: 5...5])
        XCTAssertEqual(arriving(at: 2, map), late(0, 5))
    }

    func testDownstreamIsTheSameTheOtherWayRound() {
        let map = map(
            [(1, 2), (2, 3), (3, 4)], feedback: [(3, 2)], own: [2: 480, 3: 64], reported: [4: 1000...1000],
            towards: .downstream)
        XCTAssertEqual(arriving(at: 3, map, towards: .downstream), late(0, 1000))
        XCTAssertEqual(arriving(at: 2, map, towards: .downstream), late(0, 1064))
        XCTAssertEqual(map.needs(of: 3, channels: [203], loop: [2, 3]).channels, [102, 103, 104])
    }

    func testOnTheWayDownstreamTheCycleIsNotCounted() {
        let map = map([], feedback: [(2, 3)], reported: [3: 1000...1000], towards: .downstream)
        XCTAssertEqual(map.unreliableChannels(of: 2, loop: []), [202])
        XCTAssertEqual(arriving(at: 2, map, towards: .downstream), late(0, 1000))
    }

    /// Every port linked to every other: there are too many paths, and the computation ends all the same.
    func testMorePathsThanCanBeCounted() {
        let nodes = Array(UInt32(1)...20)
        let links = nodes.flatMap { from in nodes.map { (from, $0) } }
        let map = map(links + [(50, 1)], own: Dictionary(nodes.map { ($0, 10) }) { $1 }, reported: [50: 1...1])
        XCTAssertEqual(map.loop(through: 1).count, 20)
        XCTAssertEqual(arriving(at: 1, map), .unknown)
    }
}

// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

final class LaneSetTests: XCTestCase {
    func testItIsASetInOrder() {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<500 {
            let lanes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                Int.random(in: 0..<LaneSet.capacity, using: &generator)
            }
            let others = (0..<8).map { _ in Int.random(in: 0..<LaneSet.capacity, using: &generator) }
            let (set, other) = (LaneSet(lanes), LaneSet(others))
            var listed: [Int] = []
            for lane in set { listed.append(lane) }
            XCTAssertEqual(listed, Set(lanes).sorted())
            XCTAssertEqual(set.count, Set(lanes).count)
            XCTAssertEqual(set.isEmpty, lanes.isEmpty)
            XCTAssertEqual(set.only, Set(lanes).count == 1 ? lanes[0] : nil)
            XCTAssertEqual((0..<LaneSet.capacity).filter(set.contains), listed)
            XCTAssertEqual(Array(set.union(other)), Set(lanes).union(others).sorted())
            var rest = set
            rest.subtract(other)
            XCTAssertEqual(Array(rest), Set(lanes).subtracting(others).sorted())
            XCTAssertEqual(rest == set, Set(lanes).isDisjoint(with: others))
        }
    }

    func testTheLastLaneIsOne() {
        let all = LaneSet(0..<LaneSet.capacity)
        XCTAssertEqual(all.count, LaneSet.capacity)
        XCTAssertTrue(all.contains(LaneSet.capacity - 1))
        let stored = AtomicLaneSet()
        XCTAssertTrue(stored.load().isEmpty)
        stored.store(all)
        XCTAssertEqual(stored.load(), all)
    }
}

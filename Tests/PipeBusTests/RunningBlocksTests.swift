// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class RunningBlocksTests: XCTestCase {
    private final class Port {}

    private let port = Port()
    private let other = Port()
    private var blocks = RunningBlocks<String>()

    override func setUp() async throws { blocks = RunningBlocks() }

    private func add(_ name: String = "a", mark: UInt32, to port: Port? = nil, limit: Duration = .milliseconds(80)) {
        blocks.add(.init(block: name, mark: mark, limit: limit), of: ObjectIdentifier(port ?? self.port))
    }

    /// - Parameter begins: the begin of the call that runs at each look.
    /// - Returns: the looks at which a block was found, from 1 on.
    private func look(_ begins: [UInt64?]) -> [Int] {
        begins.enumerated().compactMap { index, begin in blocks.look { _ in begin }.isEmpty ? nil : index + 1 }
    }

    func testACallThatDoesNotReturnIsFoundOnce() {
        add(mark: 3)
        XCTAssertEqual(look(Array(repeating: 7, count: 40)), [5])
        XCTAssertTrue(blocks.isAnyStuck)
        // The loop sees it too.
        add(mark: 3)
        XCTAssertEqual(look(Array(repeating: 7, count: 40)), [])
        XCTAssertFalse(blocks.claim(mark: 3, of: ObjectIdentifier(port)))
        XCTAssertEqual(look([nil]), [])
        XCTAssertFalse(blocks.isAnyStuck)
        XCTAssertTrue(blocks.isEmpty)
        add(mark: 5)
        XCTAssertEqual(look(Array(repeating: 9, count: 40)), [5])
    }

    func testWhatTheLoopHasReportedIsNotReportedAgain() {
        XCTAssertTrue(blocks.claim(mark: 3, of: ObjectIdentifier(port)))
        add(mark: 3)
        XCTAssertEqual(look(Array(repeating: 7, count: 40)), [])
        XCTAssertTrue(blocks.isAnyStuck, "a close waits for it no longer than for others")
    }

    func testCallsThatReturnAreLeftAlone() {
        add(mark: 3)
        XCTAssertEqual(look([1, 1, 1, 1, 2]), [])
        XCTAssertTrue(blocks.isEmpty, "another call runs, which the loop looks at when it is there again")
        add(mark: 5)
        XCTAssertEqual(look([nil]), [])
        XCTAssertTrue(blocks.isEmpty)
    }

    func testLongCyclesTakeLonger() {
        add(mark: 3, limit: .milliseconds(340))
        XCTAssertEqual(look(Array(repeating: 7, count: 40)), [18])
    }

    func testEachPortCountsForItself() {
        add("a", mark: 3)
        XCTAssertEqual(look([7, 7]), [])
        add("b", mark: 3, to: other)
        var found: [String] = []
        for _ in 0..<10 { found += blocks.look { $0 == "a" ? 7 : 8 } }
        XCTAssertEqual(found, ["a", "b"])
    }
}

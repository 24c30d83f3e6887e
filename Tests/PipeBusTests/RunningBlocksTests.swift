// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class RunningBlocksTests: XCTestCase {
    private final class Port {}

    private let port = Port()
    private let other = Port()
    private var blocks = RunningBlocks<String>()

    override func setUp() async throws { blocks = RunningBlocks() }

    private func watch(_ name: String = "a", of port: Port? = nil, limit: Duration = .milliseconds(80)) {
        blocks.watch(name, of: ObjectIdentifier(port ?? self.port), limit: limit)
    }

    /// - Parameter begins: the begin of the call that runs at each look.
    /// - Returns: the looks at which a block was found, from 1 on.
    private func look(_ begins: [UInt64?]) -> [Int] {
        begins.enumerated().compactMap { index, begin in blocks.look { _ in begin }.isEmpty ? nil : index + 1 }
    }

    func testACallThatDoesNotReturnIsFoundOnce() {
        watch()
        XCTAssertEqual(look([nil, nil] + Array(repeating: 7, count: 40)), [7])
        XCTAssertTrue(blocks.isAnyStuck)
        // The loop tells the limit again.
        watch()
        XCTAssertEqual(look(Array(repeating: 7, count: 40)), [])
        XCTAssertEqual(look([nil]), [])
        XCTAssertFalse(blocks.isAnyStuck)
        XCTAssertFalse(blocks.isAnyRunning)
        XCTAssertFalse(blocks.isEmpty)
        XCTAssertEqual(look(Array(repeating: 9, count: 40)), [5])
        XCTAssertEqual(look(Array(repeating: 10, count: 40)), [5], "the next call, at once")
    }

    func testCallsThatReturnAreLeftAlone() {
        watch()
        XCTAssertEqual(look([1, 1, 1, 1, 2, 3, 4, 4, 4, 4, nil]), [])
        XCTAssertFalse(blocks.isAnyRunning)
    }

    func testLongCyclesTakeLongerAlsoFromNowOn() {
        watch(limit: .milliseconds(340))
        XCTAssertEqual(look(Array(repeating: 7, count: 40)), [18])
        XCTAssertEqual(look([8, 8]), [])
        watch(limit: .milliseconds(80))
        XCTAssertEqual(look(Array(repeating: 8, count: 9)), [3])
    }

    func testEachPortCountsForItself() {
        watch("a")
        XCTAssertEqual(look([7, 7]), [])
        watch("b", of: other)
        var found: [String] = []
        for _ in 0..<10 { found += blocks.look { $0 == "a" ? 7 : 8 } }
        XCTAssertEqual(found, ["a", "b"])
        blocks.forget(ObjectIdentifier(port))
        _ = blocks.look { $0 == "a" ? nil : 8 }
        XCTAssertTrue(blocks.isAnyStuck)
        blocks.forget(ObjectIdentifier(other))
        XCTAssertEqual(look([nil]), [])
        XCTAssertTrue(blocks.isEmpty)
    }

    /// PipeWire may pause the port meanwhile, and run it again.
    func testACallThatRunsIsNotForgotten() {
        watch()
        XCTAssertEqual(look(Array(repeating: 7, count: 10)), [5])
        blocks.forget(ObjectIdentifier(port))
        XCTAssertEqual(look(Array(repeating: 7, count: 10)), [])
        XCTAssertTrue(blocks.isAnyStuck)
        watch()
        XCTAssertEqual(look(Array(repeating: 7, count: 10)), [], "reported before")
        blocks.forget(ObjectIdentifier(port))
        XCTAssertEqual(look(Array(repeating: 9, count: 10)), [5], "a call that nobody had seen")
        XCTAssertEqual(look([nil]), [])
        XCTAssertTrue(blocks.isEmpty)
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// Ports of one app that run one after the other in the same cycle.
final class OrderTests: BusTestCase {
    func testWhatComesInLeavesInTheSameCycle() async throws {
        for first in ["in", "out"] {
            let scene = try await OrderScene.start()
            try await scene.add(first: first, ordered: true)
            try await scene.connect()
            let ages = try await scene.ages([1024, 64, 333, 8192, 16, 1024])
            XCTAssertEqual(ages, [0], "\(first) made first")
            try await scene.close()
        }
    }

    func testWithoutAnOrderItIsOneCycleLateAtMost() async throws {
        for first in ["in", "out"] {
            let scene = try await OrderScene.start()
            try await scene.add(first: first, ordered: false)
            try await scene.connect()
            let ages = try await scene.ages(Array(repeating: 256, count: 50))
            XCTAssertTrue(ages.isSubset(of: [0, 256]), "\(ages)")
            XCTAssertEqual(ages.count, 1, "\(ages)")
            try await scene.close()
        }
    }
}

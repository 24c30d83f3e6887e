// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusCommand

/// Which states are saved when all of them are too many.
final class StateFittingTests: XCTestCase {
    private func states(_ sizes: [Int]) throws -> [RoutingState] {
        try sizes.enumerated().map { number, size in
            try RoutingState(app: "app\(number)", type: "t", version: 1, bytes: [UInt8](repeating: 0, count: size))
        }
    }

    func testTheLargestAreLeftOut() throws {
        let mega = 1_000_000
        for (sizes, others) in [
            ([], []), ([20 * mega, 20 * mega, 20 * mega, 4 * mega], []),
            ([20 * mega, 20 * mega, 20 * mega, 4 * mega + 1], [2]),
            ([20 * mega, 20 * mega, 20 * mega, 20 * mega, 19 * mega, 1], [2, 3]),
        ] {
            let all = try states(sizes)
            let result = RoutingStates.fitting(all)
            XCTAssertEqual(result.others.map(\.app), others.map { "app\($0)" })
            XCTAssertEqual(result.fitting.map(\.app), all.map(\.app).filter { !result.others.map(\.app).contains($0) })
            XCTAssertNoThrow(try RoutingPreset(connections: [], states: result.fitting))
        }
        let many = RoutingStates.fitting(try states(Array(repeating: 0, count: 300)))
        XCTAssertEqual(many.fitting.count, RoutingPreset.mostStates)
        XCTAssertEqual(many.others.count, 300 - RoutingPreset.mostStates)
    }
}

// SPDX-License-Identifier: MIT
import AudioKernels
import XCTest

final class AlignmentPlanTests: XCTestCase {
    func testEverySourceWaitsForTheSlowest() {
        let plan = AlignmentPlan(latencies: [0, nil, 480, 64], capacity: 48_000)
        XCTAssertEqual(plan.latency, 480)
        XCTAssertEqual(plan.lanes.map(\.delay), [480, 0, 0, 416])
        XCTAssertEqual(plan.lanes.map(\.isAligned), [true, false, true, true])
    }

    func testASourceBeyondTheCapacityDelaysNobody() {
        let plan = AlignmentPlan(latencies: [0, 1001, 1000], capacity: 1000)
        XCTAssertEqual(plan.latency, 1000)
        XCTAssertEqual(plan.lanes.map(\.delay), [1000, 0, 0])
        XCTAssertEqual(plan.lanes.map(\.isAligned), [true, false, true])
    }

    func testImmediateDelaysNothing() {
        let plan = AlignmentPlan(latencies: [0, 480], capacity: nil)
        XCTAssertEqual(plan, AlignmentPlan(latencies: [nil, nil], capacity: 48_000))
    }
}

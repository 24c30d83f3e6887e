// SPDX-License-Identifier: MIT
import AudioKernels
import XCTest

final class AlignmentPlanTests: XCTestCase {
    private func delays(_ plan: AlignmentPlan, holding held: Int = 0) -> [Int] {
        plan.lanes.indices.map { plan.delay(ofLane: $0, holding: held) }
    }

    func testEverySourceWaitsForTheSlowest() {
        let plan = AlignmentPlan(latencies: [0, nil, 480, 64], capacity: 48_000)
        XCTAssertEqual(plan.latency, 480)
        XCTAssertEqual(delays(plan), [480, 0, 0, 416])
        XCTAssertEqual(plan.lanes.map(\.isAligned), [true, false, true, true])
    }

    func testASourceBeyondTheCapacityDelaysNoOther() {
        let plan = AlignmentPlan(latencies: [0, 1001, 1000], capacity: 1000)
        XCTAssertEqual(plan.latency, 1000)
        XCTAssertEqual(delays(plan), [1000, 0, 0])
        XCTAssertEqual(plan.lanes.map(\.isAligned), [true, false, true])
    }

    func testLatencyThatIsHeldCountsWhereItIsMore() {
        let plan = AlignmentPlan(latencies: [0, 2000, 480], capacity: 1000)
        XCTAssertEqual(delays(plan, holding: 900), [900, 0, 420])
        XCTAssertEqual(delays(plan, holding: 100), [480, 0, 0])
    }

    func testSourcesWaitForOtherSoundThatIsOlder() {
        XCTAssertEqual(
            delays(AlignmentPlan(latencies: [0, nil, 480], capacity: 1000, leastLatency: 900)), [900, 0, 420])
        XCTAssertEqual(AlignmentPlan(latencies: [0, 480], capacity: 1000, leastLatency: 100).latency, 480)
        XCTAssertEqual(AlignmentPlan(latencies: [0, 480], capacity: 1000, leastLatency: 1001).latency, 480, "too old")
        XCTAssertEqual(
            AlignmentPlan(latencies: [nil, 2000], capacity: 1000, leastLatency: 900).latency, 0, "none aligned")
        XCTAssertEqual(delays(AlignmentPlan(latencies: [0, 480], capacity: nil, leastLatency: 900)), [0, 0])
    }

    func testImmediateDelaysNothing() {
        let plan = AlignmentPlan(latencies: [0, 480], capacity: nil)
        XCTAssertEqual(delays(plan, holding: 1000), [0, 0])
        XCTAssertEqual(plan.latency, 0)
        XCTAssertEqual(plan.lanes.map(\.isAligned), [false, false])
    }
}

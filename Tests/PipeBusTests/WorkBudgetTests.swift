// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class WorkBudgetTests: XCTestCase {
    private var budget = WorkBudget()
    private var now = ContinuousClock.now

    func testWorkThatTakesLessThanHalfOfTheTimeIsNeverLeftOut() {
        for _ in 0..<10_000 {
            now += .microseconds(1000)
            XCTAssertTrue(budget.allowsWork(at: now))
            budget.spend(.microseconds(499))
        }
    }

    func testWorkThatWouldTakeAllOfTheTimeTakesHalf() {
        var spent: Duration = .zero
        for _ in 0..<100_000 {
            // It costs time only if it is done; what is left out comes at the same pace.
            now += .microseconds(100)
            guard budget.allowsWork(at: now) else { continue }
            budget.spend(.microseconds(100))
            spent += .microseconds(100)
        }
        XCTAssertEqual(spent / .seconds(1), 5.1, accuracy: 0.01)
    }

    func testABurstIsDone() {
        for _ in 0..<99 {
            XCTAssertTrue(budget.allowsWork(at: now))
            budget.spend(.milliseconds(1))
        }
        now += .seconds(3600)
        XCTAssertTrue(budget.allowsWork(at: now))
        budget.spend(.milliseconds(101))
        XCTAssertFalse(budget.allowsWork(at: now), "a pause does not save up time without end")
        now += .milliseconds(3)
        XCTAssertTrue(budget.allowsWork(at: now))
    }
}

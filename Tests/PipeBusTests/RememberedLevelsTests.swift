// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// The levels that a receiver remembers of sources that come and go.
final class RememberedLevelsTests: XCTestCase {
    private func identity(_ number: Int) -> Source.Identity {
        Source.Identity(applicationID: "app", nodeName: "node \(number)")
    }

    func testOnlyTheLevelsThatWereSetLastAreRemembered() {
        var levels = RememberedLevels()
        for number in 0..<RememberedLevels.limit {
            levels.set(Source.Level(volume: 0.5), of: identity(number), at: "in")
        }
        XCTAssertEqual(levels["in"].sources.count, RememberedLevels.limit)
        // The first one is set again, so the second one is the oldest.
        levels.set(Source.Level(volume: 0.25), of: identity(0), at: "in")
        levels.set(Source.Level(volume: 0.75), of: identity(-1), at: "in")
        XCTAssertEqual(levels["in"].sources.count, RememberedLevels.limit)
        XCTAssertEqual(levels["in"][identity(0)], Source.Level(volume: 0.25))
        XCTAssertEqual(levels["in"][identity(1)], Source.Level())
        XCTAssertEqual(levels["in"][identity(2)], Source.Level(volume: 0.5))
        XCTAssertEqual(levels["in"][identity(-1)], Source.Level(volume: 0.75))
    }

    func testADefaultLevelTakesNoPlace() {
        var levels = RememberedLevels()
        levels.set(Source.Level(volume: 0.5), of: identity(0), at: "in")
        for number in 1...2 * RememberedLevels.limit {
            levels.set(Source.Level(volume: 1, isMuted: true), of: identity(number), at: "in")
            levels.set(Source.Level(), of: identity(number), at: "in")
        }
        XCTAssertEqual(levels["in"].sources, [identity(0)])
    }

    func testReceiversAndSavedLevelsDoNotDisplaceEachOther() {
        var saved = SourceLevels()
        for number in 0..<2 * RememberedLevels.limit { saved[identity(number)] = Source.Level(volume: 0.5) }
        var levels = RememberedLevels()
        levels["in"] = saved
        for number in 0..<RememberedLevels.limit + 1 {
            levels.set(Source.Level(volume: 1, pan: 1), of: identity(number), at: "other")
            levels.set(Source.Level(volume: 1, pan: 1), of: identity(-1 - number), at: "in")
        }
        XCTAssertEqual(levels["other"].sources.count, RememberedLevels.limit)
        XCTAssertEqual(levels["in"].sources.count, 3 * RememberedLevels.limit)
        for source in saved.sources { XCTAssertEqual(levels["in"][source], Source.Level(volume: 0.5)) }
    }
}

// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class LostCyclesDetectorTests: XCTestCase {
    private static let interval: Duration = .milliseconds(50)
    private var detector = LostCyclesDetector()
    private var now = SuspendingClock.now
    private var clock: UInt64 = 0
    private var cycles: UInt64 = 0

    override func setUp() async throws {
        detector = LostCyclesDetector()
        (clock, cycles) = (0, 0)
    }

    /// Polls for a time, while the driver has four cycles of 512 frames between two polls.
    ///
    /// - Parameter share: the port's part of them, by the number of the poll.
    /// - Returns: the polls after which the port was found.
    private func poll(for time: Duration, hasClock: Bool = true, _ share: (Int) -> UInt64) -> [Int] {
        var found: [Int] = []
        for poll in 0..<Int(time / Self.interval) {
            let sample = HeldPortDetector.Sample(
                cycles: cycles, clock: hasClock ? clock : nil, cycleDuration: .milliseconds(12), cycleLength: 512)
            detector.update([1: sample], at: now, wasSuspended: false)
            if detector.found.contains(1) { found.append(poll) }
            now += Self.interval
            clock += 4 * 512
            cycles += share(poll)
        }
        return found
    }

    func testAPortThatRunsIsNotFound() {
        XCTAssertEqual(poll(for: .seconds(10)) { _ in 4 }, [])
        XCTAssertEqual(poll(for: .seconds(10)) { _ in 2 }, [])
        XCTAssertEqual(poll(for: .seconds(10)) { $0.isMultiple(of: 2) ? 4 : 1 }, [])
    }

    func testAPortThatLosesMostOfItsCyclesIsFoundAfterTwoSeconds() {
        XCTAssertEqual(poll(for: .seconds(4)) { $0.isMultiple(of: 3) ? 4 : 0 }.first, 40)
    }

    func testASecondIsForgiven() {
        XCTAssertEqual(poll(for: .seconds(10)) { ($0 / 20).isMultiple(of: 2) ? 1 : 4 }, [])
    }

    func testItIsNotFoundAnyMoreWhenItRuns() {
        let found = poll(for: .seconds(6)) { $0 < 60 ? 1 : 4 }
        XCTAssertEqual(found, Array(40..<80))
    }

    func testADriverThatStandsStillOrFreewheelsSaysNothing() {
        XCTAssertEqual(poll(for: .seconds(10), hasClock: false) { _ in 0 }, [])
        for _ in 0..<200 {
            detector.update(
                [1: HeldPortDetector.Sample(cycles: 7, clock: 9, cycleDuration: .milliseconds(12), cycleLength: 512)],
                at: now, wasSuspended: false)
            now += Self.interval
            XCTAssertEqual(detector.found, [])
        }
    }

    func testAnotherClockBeginsAgain() {
        for jump: UInt64 in [.max, .max / 2, 0, .max / 3] {
            XCTAssertEqual(poll(for: .milliseconds(1500)) { _ in 0 }, [])
            clock = jump &- clock
        }
    }

    func testSoDoesAPauseOfTheProcessAndTheEndOfASource() {
        XCTAssertEqual(poll(for: .milliseconds(1900)) { _ in 0 }, [])
        detector.update([1: .init(cycles: 0, clock: clock, cycleDuration: .zero)], at: now, wasSuspended: true)
        XCTAssertEqual(poll(for: .milliseconds(1900)) { _ in 0 }, [])
        detector.startAgain()
        XCTAssertEqual(poll(for: .milliseconds(1900)) { _ in 0 }, [])
    }
}

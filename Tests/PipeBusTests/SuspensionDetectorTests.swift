// SPDX-License-Identifier: MIT
import PipeWireClient
import XCTest

@testable import PipeBus

final class SuspensionDetectorTests: XCTestCase {
    func testTheJumpOfTheClocksIsTheSleep() {
        // The two clocks in milliseconds, and the sleep that they show.
        let readings: [(monotonic: Int, boot: Int, slept: Int?)] = [
            (1_000, 5_000, nil),
            (1_500, 5_500, nil),
            (2_000, 6_001, nil),
            (2_500, 6_600, nil),
            (3_000, 7_200, 100),
            (3_500, 7_700, nil),
            (3_510, 3_607_710, 3_600_000),
            (3_520, 3_607_720, nil),
            // A process that was restored from an image.
            (100, 200, nil),
            (600, 700, nil),
            (1_100, 2_200, 1_000),
        ]
        var detector = SuspensionDetector()
        for (index, reading) in readings.enumerated() {
            let clocks = SystemClocks(
                monotonic: .milliseconds(reading.monotonic), bootTime: .milliseconds(reading.boot))
            XCTAssertEqual(detector.update(clocks), reading.slept.map { .milliseconds($0) }, "reading \(index)")
        }
    }

    func testATimerThatComesLateIsAStop() {
        // In milliseconds: how late the timer was, the sound that was played since, and the stop.
        let cases: [(overdue: Int, played: Int, stop: Int?)] = [
            (0, 500, nil),
            (0, 0, nil),
            (999, 0, nil),
            (1_000, 0, 1_000),
            (2_000, 480, 2_000),
            // The audio thread went on.
            (2_000, 1_000, nil),
            (2_000, 2_500, nil),
            (20_000, 500, 20_000),
        ]
        for (overdue, played, stop) in cases {
            var detector = SuspensionDetector()
            let found = detector.stop(
                overdue: .milliseconds(overdue), lateWake: nil, played: .milliseconds(played), at: Self.time(0))
            XCTAssertEqual(found, stop.map { .milliseconds($0) }, "\(overdue) ms, \(played) ms")
        }
    }

    private static func time(_ milliseconds: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    func testAStopThatTheControlSideDidNotSee() {
        var detector = SuspensionDetector()
        let wake = SuspensionDetector.LateWake(due: Self.time(100), ended: Self.time(2_100))
        XCTAssertNil(detector.stop(overdue: .zero, lateWake: wake, played: .seconds(1), at: Self.time(2_200)), "busy")
        XCTAssertNil(detector.stop(overdue: .zero, lateWake: wake, played: .zero, at: Self.time(3_100)), "long ago")
        XCTAssertEqual(
            detector.stop(overdue: .zero, lateWake: wake, played: .milliseconds(500), at: Self.time(2_600)), .seconds(2)
        )
    }

    /// Whoever sees it first, and also if both do at once.
    func testAStopIsFoundOnce() {
        var detector = SuspensionDetector()
        let first = SuspensionDetector.LateWake(due: Self.time(100), ended: Self.time(2_100))
        XCTAssertEqual(
            detector.stop(overdue: .milliseconds(1_900), lateWake: nil, played: .zero, at: Self.time(2_150)),
            .milliseconds(1_900))
        XCTAssertNil(
            detector.stop(overdue: .zero, lateWake: first, played: .zero, at: Self.time(2_650)), "it was found before")
        let second = SuspensionDetector.LateWake(due: Self.time(2_700), ended: Self.time(4_200))
        XCTAssertEqual(
            detector.stop(overdue: .milliseconds(1_400), lateWake: second, played: .zero, at: Self.time(4_300)),
            .milliseconds(1_500))
        XCTAssertNil(detector.stop(overdue: .zero, lateWake: nil, played: .zero, at: Self.time(4_800)))
    }

    func testTheClocksOfThisSystem() throws {
        let first = try XCTUnwrap(SystemClocks.now)
        let second = try XCTUnwrap(SystemClocks.now)
        XCTAssertGreaterThanOrEqual(second.monotonic, first.monotonic)
        XCTAssertGreaterThanOrEqual(first.timeAsleep, .milliseconds(-2))
        var detector = SuspensionDetector()
        XCTAssertNil(detector.update(first))
        XCTAssertNil(detector.update(second))
    }
}

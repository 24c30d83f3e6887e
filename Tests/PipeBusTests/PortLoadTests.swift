// SPDX-License-Identifier: MIT
import CRealtime
import XCTest

@testable import PipeBus

/// The measurement of a callback's time, with times that the test makes.
final class PortLoadTests: XCTestCase {
    private var load = crt_load()
    private var now: UInt64 = 0
    private let period: UInt64 = 21_333_333

    override func setUp() async throws {
        load = crt_load()
        now = 1_000_000_000_000
    }

    /// Cycles that take a share of their time.
    private func run(_ share: Double, cycles: Int, frames: UInt32 = 1024, isFreewheeling: Bool = false) {
        let period = UInt64(frames) * 1_000_000_000 / 48_000
        for _ in 0..<cycles {
            let time = UInt64(share * Double(period))
            unsafe crt_load_begin(&load, now)
            unsafe crt_load_end(&load, now, now + time, frames, 48_000, isFreewheeling)
            now += max(period, time)
        }
    }

    private var values: crt_load_values { unsafe crt_load_read(&load) }
    private var seen: PortLoad { PortLoad(values, at: MonotonicTime(nanoseconds: now)) }

    func testTheMeanComesCloserToAConstantShareEachSecond() {
        var last: Float = 0
        for second in 1...6 {
            run(0.5, cycles: 47)
            let mean = seen.mean
            XCTAssertGreaterThan(mean, last)
            XCTAssertLessThanOrEqual(mean, 0.5001)
            if second >= 2 { XCTAssertGreaterThan(mean, 0.5 * 0.75) }
            last = mean
        }
        XCTAssertEqual(last, 0.5, accuracy: 0.01)
        XCTAssertEqual(seen.maximum, 0.5, accuracy: 0.001)
        run(0.1, cycles: 47 * 6)
        XCTAssertEqual(seen.mean, 0.1, accuracy: 0.01)
    }

    func testTheMeanIsNeverMoreThanTheMaximum() {
        run(100, cycles: 1)
        for _ in 0..<200 {
            run(0.01, cycles: 5)
            XCTAssertLessThanOrEqual(seen.mean, seen.maximum)
        }
    }

    func testTheLengthOfCyclesDoesNotMatter() {
        for frames in [UInt32(16), 64, 480, 8192, 1024] {
            run(0.25, cycles: 6 * 48_000 / Int(frames) + 1, frames: frames)
            XCTAssertEqual(seen.mean, 0.25, accuracy: 0.02, "\(frames)")
            XCTAssertEqual(seen.maximum, 0.25, accuracy: 0.001, "\(frames)")
        }
    }

    func testALongCallShowsAtOnceAndForOneToTwoSeconds() {
        run(0.1, cycles: 100)
        run(0.7, cycles: 1)
        XCTAssertEqual(seen.maximum, 0.7, accuracy: 0.001)
        run(0.1, cycles: 40)
        XCTAssertEqual(seen.maximum, 0.7, accuracy: 0.001)
        run(0.1, cycles: 100)
        XCTAssertEqual(seen.maximum, 0.1, accuracy: 0.001)
    }

    func testCallsThatTakeLongerThanTheirCycleAreCounted() {
        run(0.9, cycles: 50)
        XCTAssertEqual(values.overruns, 0)
        run(1.5, cycles: 1)
        XCTAssertTrue(load.wasOverrun)
        XCTAssertEqual(values.overrun_ended - values.overrun_begun, UInt64(1.5 * Double(period)), "ns")
        run(0.2, cycles: 50)
        XCTAssertFalse(load.wasOverrun)
        run(3, cycles: 7)
        run(1.1, cycles: 5)
        XCTAssertEqual(values.overruns, 13)
        run(1.1, cycles: 5, isFreewheeling: true)
        XCTAssertEqual(values.overruns, 13, "freewheeling cycles have no time to keep")
    }

    func testACallThatDoesNotReturnShowsWhileItRuns() {
        run(0.1, cycles: 200)
        unsafe crt_load_begin(&load, now)
        now += period / 2
        XCTAssertEqual(seen.maximum, 0.1, accuracy: 0.001)
        now += period * 10
        XCTAssertEqual(seen.maximum, 10.5, accuracy: 0.01)
        let mean = seen.mean
        XCTAssertGreaterThan(mean, 0.2)
        now += period * 100
        XCTAssertGreaterThan(seen.mean, max(1, mean))
    }

    func testAPortThatIsNotCalledHasNone() {
        XCTAssertEqual(seen, PortLoad(mean: 0, maximum: 0))
        run(0.5, cycles: 100)
        now += 1_900_000_000
        XCTAssertEqual(seen.maximum, 0.5, accuracy: 0.001)
        now += 200_000_000
        XCTAssertEqual(seen, PortLoad(mean: 0, maximum: 0))
        run(0.2, cycles: 1)
        XCTAssertEqual(seen.maximum, 0.2, accuracy: 0.001, "the largest one was before the pause")
    }

    func testAnyCycleIsSurvived() {
        for (frames, rate) in [(UInt32.max, UInt32(1)), (1, .max), (0, 48_000), (1024, 1)] {
            load = crt_load()
            unsafe crt_load_begin(&load, now)
            unsafe crt_load_end(&load, now, now + 1_000, frames, rate, false)
            unsafe crt_load_end(&load, now, now + 1_000, frames, rate, false)
            _ = seen
        }
    }
}

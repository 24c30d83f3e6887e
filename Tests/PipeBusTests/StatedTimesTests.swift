// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

/// Times of a device, and times of a thread.
final class StatedTimesTests: XCTestCase {
    /// - Parameters:
    ///   - stated: the jitter of the times that are stated, in seconds.
    ///   - called: that of the calls; `nil`: what is stated is the time of the call.
    ///   - gap: a time by which the app is late from the 50th call on.
    private func areOfDevice(_ stated: Double, called: Double?, calls: Int = 100, gap: Double = 0) -> Bool {
        var random = SeededGenerator(seed: 5)
        var times = StatedTimes()
        for call in 0..<calls {
            let due = 10 + 0.02 * Double(call) + (call >= 50 ? gap : 0)
            func time(_ jitter: Double) -> MonotonicTime {
                MonotonicTime(nanoseconds: UInt64((due + Double.random(in: 0...1, using: &random) * jitter) * 1e9))
            }
            let stated = time(stated)
            times.note(stated, called: called.map { time($0) } ?? stated, rate: 48_000)
            times.advance(960)
        }
        return times.areOfDevice
    }

    func testTheTimesOfADeviceAreSteadierThanItsThread() {
        for called in [0.0002, 0.002, 0.02] {
            XCTAssertTrue(areOfDevice(0, called: called))
            XCTAssertTrue(areOfDevice(called / 10, called: called))
            XCTAssertTrue(areOfDevice(0, called: called, gap: 0.34), "a pause is no jitter")
            XCTAssertFalse(areOfDevice(called, called: called), "no steadier")
        }
    }

    func testTheTimesOfAThreadAreNot() {
        for jitter in [0, 0.00005, 0.002, 0.02] {
            XCTAssertFalse(areOfDevice(jitter, called: nil))
            XCTAssertFalse(areOfDevice(jitter, called: nil, gap: 0.34))
        }
    }

    func testTheFirstTimesSayNothing() { XCTAssertFalse(areOfDevice(0, called: 0.02, calls: 3)) }

    func testTimesThatMeanNothing() {
        var times = StatedTimes()
        for stated in [0, .max, 1 << 63, 7] as [UInt64] {
            for called in [.max, 0, 5] as [UInt64] {
                for (frames, rate) in [(0, 48_000), (.max, 0), (.min, -5), (1, .max)] {
                    times.note(
                        MonotonicTime(nanoseconds: stated), called: MonotonicTime(nanoseconds: called), rate: rate)
                    times.advance(frames)
                }
            }
        }
        for call in 0..<100 as Range<UInt64> {
            let time = MonotonicTime(nanoseconds: call * 20_000_000 + (call % 3) * 1_000_000)
            times.note(time, called: time, rate: 48_000)
            times.advance(960)
        }
        XCTAssertFalse(times.areOfDevice, "it is known again")
    }
}

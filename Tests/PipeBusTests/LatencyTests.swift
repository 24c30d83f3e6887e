// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class LatencyTests: XCTestCase {
    func testFramesBecomeTimeAtTheRateOfTheGraph() {
        let cases: [(frames: Int, rate: Int, duration: Duration)] = [
            (0, 48_000, .zero), (48, 48_000, .milliseconds(1)), (4800, 48_000, .milliseconds(100)),
            (44_100 * 3, 44_100, .seconds(3)), (1, 44_100, .nanoseconds(22_675)), (100, 0, .zero),
            (1 << 30, 1, .seconds(1 << 30)),
        ]
        for (frames, rate, duration) in cases {
            let latency = Latency(frames: frames, sampleRate: rate)
            XCTAssertEqual(latency.frames, frames)
            XCTAssertEqual(latency.duration, duration, "\(frames) at \(rate) Hz")
        }
    }

    /// Frames and rates come from other processes.
    func testNoValueTraps() {
        for frames in [0, 1, Int(Int32.max), .max] {
            for rate in [0, 1, 48_000, Int(UInt32.max)] {
                let latency = Latency(frames: frames, sampleRate: rate)
                XCTAssertGreaterThanOrEqual(latency.duration, .zero)
                XCTAssertFalse("\(latency)".isEmpty)
            }
        }
    }

    func testFramesAreWhatIsCompared() {
        let (first, same) = (Latency(frames: 480, sampleRate: 0), Latency(frames: 480, sampleRate: 48_000))
        XCTAssertEqual(first, same)
        XCTAssertEqual(Set([first, same]).count, 1)
        XCTAssertLessThan(first, Latency(frames: 481, sampleRate: 192_000))
        XCTAssertEqual([same, Latency(frames: 7, sampleRate: 8000)].max(), same)
    }

    func testItIsShownInFramesAndTime() {
        XCTAssertEqual("\(Latency(frames: 4800, sampleRate: 48_000))", "4800 frames (100 ms)")
        XCTAssertEqual("\(Latency(frames: 64, sampleRate: 48_000))", "64 frames (1.33 ms)")
        XCTAssertEqual("\(Latency(frames: 1, sampleRate: 0))", "1 frame")
    }
}

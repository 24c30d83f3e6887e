// SPDX-License-Identifier: MIT
import Foundation
import RealtimeKit
import XCTest

final class SampleRingTests: XCTestCase {
    private func read(_ ring: SampleRing, maximum: Int) -> [Float] {
        var buffer = [Float](repeating: -1, count: maximum * ring.channelCount)
        var span = buffer.mutableSpan
        let count = ring.read(into: &span, maximum: maximum)
        return Array(buffer.prefix(count * ring.channelCount))
    }

    func testCapacityIsRoundedUpToAPowerOfTwo() {
        for (wanted, given) in [(1, 1), (2, 2), (3, 4), (1000, 1024), (1024, 1024)] {
            XCTAssertEqual(SampleRing(channelCount: 1, minimumCapacity: wanted).capacity, given)
        }
    }

    func testFramesComeOutInterleavedAndInOrder() {
        let ring = SampleRing(channelCount: 2, minimumCapacity: 4)
        XCTAssertTrue(ring.tryWrite(frameCount: 3) { frame, channel in Float(frame * 10 + channel) })
        XCTAssertEqual(read(ring, maximum: 2), [0, 1, 10, 11])
        XCTAssertEqual(read(ring, maximum: 2), [20, 21])
        XCTAssertEqual(read(ring, maximum: 2), [])
    }

    func testWhatDoesNotFitIsNotWrittenAtAll() {
        let ring = SampleRing(channelCount: 1, minimumCapacity: 4)
        XCTAssertTrue(ring.tryWrite(frameCount: 3) { frame, _ in Float(frame) })
        XCTAssertFalse(ring.tryWrite(frameCount: 2) { _, _ in 99 })
        XCTAssertEqual(ring.readableFrames, 3)
        XCTAssertEqual(ring.writableFrames, 1)
        XCTAssertEqual(read(ring, maximum: 8), [0, 1, 2])
    }

    func testEverySizeOfWriteAndReadWrapsAround() {
        for capacity in 1...9 {
            for chunk in 1...capacity {
                let ring = SampleRing(channelCount: 1, minimumCapacity: capacity)
                var written = 0
                var expected = 0
                for _ in 0..<20 {
                    let start = written
                    if ring.tryWrite(frameCount: chunk, { frame, _ in Float(start + frame) }) { written += chunk }
                    for sample in read(ring, maximum: chunk) {
                        XCTAssertEqual(sample, Float(expected))
                        expected += 1
                    }
                }
                XCTAssertEqual(written, expected)
            }
        }
    }

    /// Frames wider than a cache line, so that a torn one would show.
    func testTwoThreadsNeverSeeATornFrame() {
        let channels = 32
        let ring = SampleRing(channelCount: channels, minimumCapacity: 64)
        let total = 50_000
        let writer = Thread {
            var next = 0
            while next < total {
                let start = next
                let count = min(1 + next % 17, total - next)
                if ring.tryWrite(frameCount: count, { frame, _ in Float((start + frame) % 65536) }) { next += count }
            }
        }
        writer.start()
        var expected = 0
        while expected < total {
            let samples = read(ring, maximum: 13)
            for (index, sample) in samples.enumerated() where sample != Float((expected + index / channels) % 65536) {
                return XCTFail("frame \(expected + index / channels) has \(sample)")
            }
            expected += samples.count / channels
        }
    }
}

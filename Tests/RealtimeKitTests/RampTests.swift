// SPDX-License-Identifier: MIT
import RealtimeKit
import XCTest

final class RampTests: XCTestCase {
    /// The values of some frames, in cycles of some length.
    private func values<Value>(
        _ reader: inout Parameter<Value>.RampedReader, cycles: [Int], sampleRate: Int = 48_000
    ) -> [Value] {
        var values: [Value] = []
        for frameCount in cycles {
            let ramp = reader.ramp(frameCount: frameCount, sampleRate: sampleRate)
            for frame in 0..<frameCount { values.append(ramp[frame]) }
        }
        return values
    }

    func testAChangeIsAStraightLineWhateverTheCycles() {
        for cycles in [[20], [1, 1, 1, 17], [4, 16], [10, 10], [3, 3, 3, 3, 3, 3, 2]] {
            let parameter = Parameter(Float(1))
            var reader = parameter.makeReader(rampedOverFrames: 10)
            XCTAssertEqual(values(&reader, cycles: [5]), [1, 1, 1, 1, 1])
            parameter.value = 2
            let line = values(&reader, cycles: cycles)
            for frame in 0..<9 { XCTAssertEqual(line[frame], 1 + Float(frame + 1) / 10, accuracy: 1e-6) }
            XCTAssertEqual(Array(line[9...]), [Float](repeating: 2, count: 11), "reached exactly, and kept")
        }
    }

    func testAChangeInTheMiddleOfAnotherGoesOnFromThere() {
        let parameter = Parameter(0.0)
        var reader = parameter.makeReader(rampedOverFrames: 8)
        parameter.value = 8
        XCTAssertEqual(values(&reader, cycles: [4]), [1, 2, 3, 4])
        parameter.value = 0
        XCTAssertEqual(values(&reader, cycles: [10]), [3.5, 3, 2.5, 2, 1.5, 1, 0.5, 0, 0, 0])
    }

    func testADurationFollowsTheRate() {
        for rate in [8000, 44_100, 192_000] {
            let parameter = Parameter(Float(0))
            var reader = parameter.makeReader(rampedOver: .milliseconds(10))
            parameter.value = 1
            let line = values(&reader, cycles: [rate / 50], sampleRate: rate)
            XCTAssertEqual(line.firstIndex(of: 1), rate / 100 - 1)
        }
    }

    func testOfNoLengthItIsAJump() {
        for reader in [0, -1, Int.min].map({ ($0, Duration.seconds($0 == 0 ? 0 : -1)) }) {
            let parameter = Parameter(Float(0))
            var frames = parameter.makeReader(rampedOverFrames: reader.0)
            var duration = parameter.makeReader(rampedOver: reader.1)
            parameter.value = 1
            let ramp = frames.ramp(frameCount: 2, sampleRate: 48_000)
            XCTAssertFalse(ramp.isMoving)
            XCTAssertEqual([ramp[0], ramp[1]], [1, 1])
            XCTAssertEqual(values(&duration, cycles: [2]), [1, 1])
        }
    }

    func testWhatIsNotANumberIsIgnored() {
        let parameter = Parameter(Float.nan)
        var reader = parameter.makeReader(rampedOverFrames: 4)
        XCTAssertEqual(values(&reader, cycles: [2]), [0, 0])
        parameter.value = 4
        XCTAssertEqual(values(&reader, cycles: [2]), [1, 2])
        parameter.value = .nan
        XCTAssertEqual(values(&reader, cycles: [2]), [3, 4])
        parameter.value = -.infinity
        XCTAssertEqual(values(&reader, cycles: [2]), [4, 4])
        parameter.value = 0
        XCTAssertEqual(values(&reader, cycles: [2]), [3, 2])
    }

    func testNonsenseCannotOverflow() {
        let parameter = Parameter(Double(0))
        var long = parameter.makeReader(rampedOver: .seconds(Int64.max))
        var many = parameter.makeReader(rampedOverFrames: .max)
        parameter.value = .greatestFiniteMagnitude
        for rate in [Int.max, 0, -1] {
            XCTAssertTrue(long.ramp(frameCount: .max, sampleRate: rate)[0].isFinite)
            XCTAssertTrue(many.ramp(frameCount: .min, sampleRate: rate)[.max].isFinite)
            parameter.value = -parameter.value
        }
    }
}

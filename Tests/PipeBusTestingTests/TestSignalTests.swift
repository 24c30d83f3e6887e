// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import PipeBusTesting
import XCTest

final class TestSignalTests: BusTestCase {
    func testCountingIsExactUpToTheLastIntegerThatAFloatHolds() {
        let signal = TestSignal.counting
        XCTAssertEqual(signal.sample(frame: 0, channel: 0), 1)
        let last = (UInt64(1) << 24) - 2
        XCTAssertEqual(signal.samples(from: last, count: 3), [Float((1 << 24) - 1), 0, 1])
        for frame in [0, 1, last, last + 1, last + 2, 5 << 24] as [UInt64] {
            XCTAssertEqual(signal.frame(of: signal.sample(frame: frame, channel: 0)), UInt32(frame % (1 << 24)))
        }
    }

    func testASampleThatIsNoCountHasNoFrame() {
        for sample in [0.5, -1, Float(1 << 24), .nan, .infinity] as [Float] {
            XCTAssertNil(TestSignal.counting.frame(of: sample), "\(sample)")
        }
    }

    func testNoTwoChannelsCountAlike() {
        let values = (0..<16).map { TestSignal.counting.sample(frame: 12345, channel: $0) }
        XCTAssertEqual(Set(values).count, 16)
    }

    func testFillingAndCheckingAgreeWithTheSamples() {
        for signal in [TestSignal.counting, TestSignal(.counting, gain: -3, modulus: 64), .constant(0.25)] {
            for (start, channel) in [(0, 0), (1 << 24 - 5, 3), (60, 1)] {
                var samples = [Float](repeating: -7, count: 100)
                var span = samples.mutableSpan
                signal.fill(&span, from: UInt64(start), channel: channel)
                assertSamples(samples, equal: signal.samples(from: UInt64(start), count: 100, channel: channel))
                XCTAssertNil(signal.firstDifference(in: samples.span, frame: UInt64(start), channel: channel))
                samples[57] += 1
                XCTAssertEqual(signal.firstDifference(in: samples.span, frame: UInt64(start), channel: channel), 57)
                XCTAssertNil(signal.firstDifference(in: samples.span, from: 58, frame: UInt64(start), channel: channel))
            }
        }
    }

    func testOppositesAddUpToSilence() {
        let signal = TestSignal.counting
        var opposite = signal
        opposite.gain = -1
        for (one, other) in zip(signal.samples(count: 1000), opposite.samples(count: 1000)) {
            XCTAssertEqual(one + other, 0)
        }
    }

    func testTheOtherShapesAreWhatTheyAreCalled() {
        XCTAssertEqual(TestSignal(.impulse(every: 3), gain: 0.5).samples(count: 5), [0.5, 0, 0, 0.5, 0])
        XCTAssertEqual(TestSignal(.ramp(over: 5)).samples(count: 6), [-1, -0.5, 0, 0.5, 1, -1])
        let sine = TestSignal(.sine(period: 4)).samples(count: 4)
        for (sample, expected) in zip(sine, [0, 1, 0, -1] as [Float]) {
            XCTAssertEqual(sample, expected, accuracy: 1e-6)
        }
    }

    func testNoiseIsTheSameEveryTimeAndDoesNotRepeat() {
        let noise = TestSignal(.noise(seed: 7)).samples(count: 10_000)
        assertSamples(noise, equal: TestSignal(.noise(seed: 7)).samples(count: 10_000))
        XCTAssertGreaterThan(Set(noise).count, 9_900)
        XCTAssertTrue(noise.allSatisfy { (-1...1).contains($0) })
        XCTAssertEqual(noise.reduce(0, +) / 10_000, 0, accuracy: 0.03)
        XCTAssertNotEqual(noise, TestSignal(.noise(seed: 8)).samples(count: 10_000))
        XCTAssertNotEqual(noise, TestSignal(.noise(seed: 7)).samples(count: 10_000, channel: 1))
    }
}

// SPDX-License-Identifier: MIT
import CAudioKernels
import XCTest

final class MeasureKernelTests: KernelTestCase {
    private func measure(_ samples: [Float], peak: Float = 0, energy: Double = 0) -> (peak: Float, energy: Double) {
        let memory = GuardedSamples(samples, offset: .random(in: 1...20, using: &numbers))
        var peak = peak
        var energy = energy
        unsafe cak_measure(memory.pointer, UInt32(samples.count), &peak, &energy)
        return (peak, energy)
    }

    func testPeakAndEnergyAtEveryLength() {
        forEachImplementation { name in
            for count in Array(0...140) + [1000, 1023, 1024, 1025, 5000] {
                let samples = noise(count)
                let measured = measure(samples)
                let energy = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
                XCTAssertEqual(measured.peak, samples.map(abs).max() ?? 0, "\(name), \(count)")
                XCTAssertEqual(measured.energy, energy, accuracy: 1e-6 * energy, "\(name), \(count)")
            }
        }
    }

    /// Squares that are all the same round the same way: the worst case for a sum in single precision.
    func testTheEnergyOfALongConstantDoesNotDrift() {
        forEachImplementation { name in
            for value in [Float(0.1), 1, 0.333] {
                let energy = 20_000 * Double(value) * Double(value)
                let measured = measure([Float](repeating: value, count: 20_000)).energy
                XCTAssertEqual(measured, energy, accuracy: 1e-6 * energy, name)
            }
        }
    }

    func testThePeakIsFoundWhereverItIs() {
        forEachImplementation { name in
            for count in [1, 5, 31, 64, 100, 130] {
                for place in 0..<count {
                    var samples = [Float](repeating: 0.25, count: count)
                    samples[place] = -2
                    XCTAssertEqual(measure(samples).peak, 2, "\(name), \(place) of \(count)")
                }
            }
        }
    }

    func testBothGoOnFromWhatTheyWere() {
        forEachImplementation { name in
            XCTAssertEqual(measure([0.5, -0.25], peak: 0.75, energy: 1).peak, 0.75, name)
            XCTAssertEqual(measure([0.5, -0.25], peak: 0.25, energy: 1).peak, 0.5, name)
            XCTAssertEqual(measure([0.5, -0.25], peak: 0.75, energy: 1).energy, 1.3125, name)
            XCTAssertEqual(measure([], peak: 0.75, energy: 1).energy, 1, name)
            XCTAssertEqual(measure([0.5], peak: .nan).peak, 0.5, "\(name): a bad peak does not stay")
        }
    }

    func testNaNIsNoPeakAndStaysInTheEnergy() {
        forEachImplementation { name in
            for count in [1, 8, 33, 64, 100, 200, 1000] {
                for place in Set([0, count / 2, count - 1]) {
                    for bad in [Float.nan, -.nan, .signalingNaN] {
                        var samples = [Float](repeating: 0.5, count: count)
                        samples[place] = bad
                        let measured = measure(samples)
                        XCTAssertEqual(measured.peak, count == 1 ? 0 : 0.5, "\(name), \(place) of \(count)")
                        XCTAssertTrue(measured.energy.isNaN, "\(name), \(place) of \(count)")
                    }
                }
            }
        }
    }

    func testTheEnergyIsFiniteForEveryNumberThatIsNotHuge() {
        forEachImplementation { name in
            for count in [1, 64, 1000, 8192] {
                XCTAssertTrue(measure(Array(repeating: -9e17, count: count)).energy.isFinite, "\(name), \(count)")
                for bad in [Float.infinity, -Float.infinity, 1e20, -Float.greatestFiniteMagnitude] {
                    var samples = [Float](repeating: 0.5, count: count)
                    samples[count / 2] = bad
                    XCTAssertEqual(measure(samples).energy, Double.infinity, "\(name), \(bad) among \(count)")
                }
            }
        }
    }

    func testSeveralChannelsAreMeasuredLikeOneAfterTheOther() {
        forEachImplementation { name in
            for count in [0, 1, 7, 32, 63, 64, 100, 385, 1024] {
                let channels = (1...3).map { GuardedSamples(noise(count), offset: $0) }
                var one: (peak: Float, energy: Double) = (0.1, 2)
                var all = one
                for channel in channels { unsafe cak_measure(channel.pointer, UInt32(count), &one.peak, &one.energy) }
                let pointers = unsafe channels.map { unsafe Optional($0.pointer) }
                unsafe cak_measure_channels(pointers, 3, UInt32(count), &all.peak, &all.energy)
                XCTAssertEqual(all.peak, one.peak, "\(name), \(count)")
                XCTAssertEqual(all.energy, one.energy, accuracy: 2e-6 * one.energy, "\(name), \(count)")
            }
        }
    }

    func testInfinityIsThePeak() {
        forEachImplementation { name in
            for count in [3, 64, 100] {
                var samples = noise(count)
                samples[1] = -.infinity
                samples[2] = .nan
                XCTAssertEqual(measure(samples).peak, .infinity, name)
            }
        }
    }
}

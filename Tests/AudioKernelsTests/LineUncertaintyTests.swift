// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import AudioKernels

final class LineUncertaintyTests: XCTestCase {
    /// The gains make the same line as least squares over all events at once, by the normal equations.
    func testTheLineOfLeastSquares() {
        var random = SeededGenerator(seed: 1)
        let noise = 1e-7
        var uncertainty = LineUncertainty(place: noise)
        var line = (place: 0.0, slope: 0.0)
        var events = [(time: 0.0, deviation: 0.0)]
        for _ in 0..<200 {
            let length = Double.random(in: 0.001...0.05, using: &random)
            let time = events.last!.time + length
            let event = (time, 0.0002 * time + Double.random(in: -0.0005...0.0005, using: &random))
            events.append(event)
            uncertainty.advance(by: length)
            let deviation = event.1 - (line.place + length * line.slope)
            let gains = uncertainty.takeEvent(noise: noise)
            line.place += length * line.slope + gains.place * deviation
            line.slope += gains.slope * deviation
        }
        let end = events.last!.time
        let (count, times) = (Double(events.count), events.reduce(0) { $0 + $1.time - end })
        // What is known of the slope is one more equation, for the slope alone.
        let squares = events.reduce(noise / LineUncertainty.unknownSlope) { $0 + ($1.time - end) * ($1.time - end) }
        let deviations = events.reduce(0) { $0 + $1.deviation }
        let products = events.reduce(0) { $0 + $1.deviation * ($1.time - end) }
        let determinant = count * squares - times * times
        XCTAssertEqual(line.place, (squares * deviations - times * products) / determinant, accuracy: 1e-8)
        XCTAssertEqual(line.slope, (count * products - times * deviations) / determinant, accuracy: 1e-8)
        XCTAssertEqual(uncertainty.place / (noise * squares / determinant), 1, accuracy: 0.001)
        XCTAssertEqual(uncertainty.slope / (noise * count / determinant), 1, accuracy: 0.001)
    }

    /// In the end it is the loop of second order that it says it is.
    func testTheBandwidthOfTheEnd() {
        for (interval, noise) in [(0.005, 1e-9), (0.02, 3e-7), (0.1, 1e-6)] {
            var uncertainty = LineUncertainty(place: noise)
            for _ in 0..<100_000 {
                uncertainty.advance(by: interval)
                _ = uncertainty.takeEvent(noise: noise)
            }
            let frequency = (9e-14 / (noise * interval)).squareRoot().squareRoot()
            uncertainty.advance(by: interval)
            let gains = uncertainty.takeEvent(noise: noise)
            XCTAssertEqual(gains.place / (2.0.squareRoot() * frequency * interval), 1, accuracy: 0.01)
            XCTAssertEqual(gains.slope / (frequency * frequency * interval), 1, accuracy: 0.01)
            XCTAssertEqual(uncertainty.angularFrequency(with: uncertainty) / frequency, 1, accuracy: 0.01)
        }
    }

    func testNoIntervalMakesItSenseless() {
        var random = SeededGenerator(seed: 2)
        var uncertainty = LineUncertainty(place: 1e-7)
        for _ in 0..<100_000 {
            uncertainty.advance(by: [0, 1e-6, 0.02, 1, 999.9].randomElement(using: &random)!)
            let gains = uncertainty.takeEvent(noise: [9e-10, 1e-7, 4e-4].randomElement(using: &random)!)
            XCTAssert(gains.place > 0 && gains.place <= 1 && abs(gains.slope) < 1000)
            XCTAssert(uncertainty.place > 0 && uncertainty.slope > 0 && uncertainty.slope < 1e-7)
        }
    }
}

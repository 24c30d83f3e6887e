// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import PipeBusTesting
import XCTest

final class SampleComparisonTests: BusTestCase {
    func testTheSameSamplesDoNotDiffer() {
        XCTAssertNil(SampleComparison(of: [1, .nan, -0.0], with: [1, .nan, -0.0]))
    }

    func testOneBitIsADifference() throws {
        let difference = try XCTUnwrap(SampleComparison(of: [0, Float(1).nextUp], with: [0, 1], channel: 3))
        XCTAssertEqual(difference.firstDifference, 1)
        XCTAssertTrue(
            difference.description.contains("Sample 1 of channel 3 is 1.0000001 instead of 1.0"), "\(difference)")
        XCTAssertNotNil(SampleComparison(of: [-0.0], with: [0]))
    }

    func testAMissingSampleIsADifference() throws {
        let difference = try XCTUnwrap(SampleComparison(of: [1, 2], with: [1, 2, 3]))
        XCTAssertEqual(difference.firstDifference, 2)
        XCTAssertEqual(difference.description, "There are 2 samples instead of 3.")
    }

    func testSamplesThatCameLateAreCalledLate() throws {
        let signal = TestSignal.counting.samples(count: 4096)
        let late = [Float](repeating: 0, count: 1024) + signal.dropLast(1024)
        let difference = try XCTUnwrap(SampleComparison(of: late, with: signal))
        XCTAssertEqual(difference.firstDifference, 0)
        let lost = Array(signal[..<100] + signal[116...])
        let words = try XCTUnwrap(SampleComparison(of: lost, with: signal)).description
        XCTAssertTrue(words.contains("16 samples later"), words)
    }
}

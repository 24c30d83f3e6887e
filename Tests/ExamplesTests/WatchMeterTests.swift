// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusCommand

/// Meters as they are shown.
final class WatchMeterTests: XCTestCase {
    func testBars() {
        let bar = MeterBar(isUnicode: true, width: 6)
        func text(_ decibels: Double) -> String {
            bar.text(WatchMeter(level: Float(pow(10, decibels / 20)))).text(hasColour: false)
        }
        for (decibels, expected) in [
            (0.0, "━━━━━━"), (6, "━━━━━━"), (-5, "━━━━━╸"), (-10, "━━━━━─"), (-30, "━━━───"), (-55, "╸─────"),
            (-60, "──────"), (-200, "──────"),
        ] { XCTAssertEqual(text(decibels), expected, "\(decibels) dB") }
        XCTAssertEqual(bar.text(nil).fitted(to: 6).text(hasColour: false), "–")
        XCTAssertEqual(
            MeterBar(isUnicode: false, width: 4).text(WatchMeter(level: 0.1)).text(hasColour: false), "==-.")
        XCTAssertEqual(bar.text(WatchMeter(level: .infinity)).text(hasColour: false), "━━━━━━")
        XCTAssertEqual(bar.text(WatchMeter(level: .nan)).text(hasColour: false), "──────")
    }

    func testNumbers() {
        for (peak, expected) in [(Float(1), "0.0"), (0.501187, "-6.0"), (0, "-∞"), (1e-9, "-∞"), (2, "6.0")] {
            XCTAssertEqual(MeterBar.peak(WatchMeter(heldPeak: peak)).text(hasColour: false), expected)
        }
        XCTAssertEqual(MeterBar.peak(WatchMeter(hasInvalidSamples: true)).text(hasColour: false), "NaN")
        XCTAssertEqual(MeterBar.peak(nil).text(hasColour: false), "")
    }
}

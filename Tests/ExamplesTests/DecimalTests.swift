// SPDX-License-Identifier: MIT
import ToolSupport
import XCTest

final class DecimalTests: XCTestCase {
    func testSixDigitsAreEnoughAndNoneIsAdded() {
        for (value, text) in [
            (0.5011872336272722, "0.501187"), (0.5, "0.5"), (1, "1"), (0, "0"), (-0.0, "0"), (-0.25, "-0.25"),
            (0.9999999, "1"), (0.999999, "0.999999"), (0.1 + 0.2, "0.3"), (1.0 / 3, "0.333333"),
            (-2.0 / 3, "-0.666667"), (0.001, "0.001"), (0.0001234567, "0.000123457"), (1e-30, "1e-30"),
            (1.23456789e-300, "1.23457e-300"), (.leastNonzeroMagnitude, "5e-324"), (.infinity, "inf"), (.nan, "nan"),
            (123_456_789, "123457000"), (1e300, "1e+300"),
        ] as [(Double, String)] {
            XCTAssertEqual(Decimal.text(value, significantDigits: 6), text)
        }
    }

    func testANumberMayBePastedFromAHelpText() {
        for (text, value) in [
            ("1", 1), ("-1", -1), ("\u{2212}1", -1), ("\u{2212}0.5", -0.5), ("\u{2212}∞", -.infinity),
            ("-∞", -.infinity), ("∞", .infinity), ("1e\u{2212}3", 0.001),
        ] as [(String, Double)] {
            XCTAssertEqual(Decimal.number(text), value, text)
        }
        for text in ["", "\u{2212}", "\u{2212}\u{2212}1", "-\u{2212}1", "1\u{2212}", "∞∞", "\u{2013}1", "one", " 1"] {
            XCTAssertNil(Decimal.number(text), text)
        }
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

final class PrintableTextTests: XCTestCase {
    func testWhatATerminalActsOnIsReplacedAndNothingElse() {
        let nasty: [UInt32] =
            [0, 7, 8, 0x1B, 0x7F, 0x85, 0x9B, 0x9D, 0x2028, 0x2029, 0x61C, 0x200E, 0x200F] + Array(0x202A...0x202E)
            + Array(0x2066...0x2069)
        for value in nasty {
            let text = "a\(Character(Unicode.Scalar(value)!))b"
            XCTAssertEqual(text.printable, "a\u{FFFD}b", String(value, radix: 16))
        }
        for text in ["", "Größe 2 🎻", "👩‍👩‍👧", "שלום", "e\u{301}", "日本語", "tab-less", "\u{FEFF}x"] {
            XCTAssertEqual(Array(text.printable.unicodeScalars), Array(text.unicodeScalars))
        }
        XCTAssertEqual("a\r\nb".printable, "a\u{FFFD}\u{FFFD}b")
        XCTAssertEqual("abc\u{202E}".dropFirst().printable, "bc\u{FFFD}")
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusCommand

/// Text is cut where its box ends, and not before.
final class GlyphWidthTests: XCTestCase {
    func testNarrowLettersTakeLessThanWideOnes() {
        let narrow = GlyphWidths.width(of: "illicit fill", size: 10)
        let wide = GlyphWidths.width(of: "WWMMmmWWMMmm", size: 10)
        XCTAssertLessThan(narrow * 2, wide)
        XCTAssertEqual(GlyphWidths.width(of: "音楽", size: 10), 20)
        XCTAssertEqual(GlyphWidths.width(of: "e\u{301}", size: 10), 6.6, accuracy: 0.5)
        XCTAssertGreaterThan(
            GlyphWidths.width(of: "Bass", size: 10, isBold: true), GlyphWidths.width(of: "Bass", size: 10))
    }

    func testTextIsCutAtItsWidth() {
        let text = "Lead guitar, left"
        let whole = GlyphWidths.width(of: text, size: 12)
        XCTAssertEqual(GlyphWidths.fit(text, to: whole, size: 12), text)
        for width in stride(from: 30, to: whole - 1, by: 1) {
            let cut = GlyphWidths.fit(text, to: width, size: 12)
            XCTAssertTrue(cut.hasSuffix("…"), cut)
            XCTAssertLessThanOrEqual(GlyphWidths.width(of: cut, size: 12), width)
            // One letter more would not fit.
            let longer = text.prefix(cut.count) + "…"
            XCTAssertGreaterThan(GlyphWidths.width(of: longer, size: 12), width)
        }
        XCTAssertEqual(GlyphWidths.fit(text, to: 0, size: 12), "L…")
        for short in ["", "L"] { XCTAssertEqual(GlyphWidths.fit(short, to: 0, size: 12), short) }
    }

    /// The card of a sender has room for 204 points, and this title takes fewer.
    func testATitleThatFitsItsCardIsWhole() {
        var fixture = DiagramFixture()
        let title = "Little bit of filtered fill"
        fixture.add("A.out", of: "A", .sender, title: title, outputs: 1)
        fixture.add("B.out", of: "B", .sender, title: String(repeating: "W", count: 40), outputs: 1)
        let text = GraphSVG(fixture.diagram()).text
        XCTAssertTrue(text.contains(">\(title)</text>"), text)
        XCTAssertTrue(text.contains("WWW…</text>"), text)
    }
}

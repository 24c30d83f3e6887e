// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

final class EditDistanceTests: XCTestCase {
    func testDistances() {
        for (first, second, distance) in [
            ("tone", "tone", 0), ("tone", "Tone", 0), ("tone", "ton", 1), ("tone", "tones", 1), ("tone", "tune", 1),
            ("tone", "tnoe", 1), ("tone", "note", 2), ("", "abc", 3), ("", "", 0), ("ca", "abc", 3),
            ("größe", "grosse", 3),
        ] {
            let texts = [first, second].map(EditDistance.scalars)
            for limit in 0...4 {
                let expected = distance <= limit ? distance : nil
                XCTAssertEqual(EditDistance.between(texts[0], texts[1], limit: limit), expected, "\(first) \(second)")
                XCTAssertEqual(EditDistance.between(texts[1], texts[0], limit: limit), expected, "\(first) \(second)")
            }
        }
    }

    func testTheNearestIsTheFirstOfThoseThatAreNearEnough() {
        XCTAssertEqual(EditDistance.nearest(to: "conect", among: ["list", "disconnect", "connect"]), "connect")
        XCTAssertEqual(EditDistance.nearest(to: "tonx", among: ["tony", "tone"]), "tony")
        // The beginning, if no whole name is near.
        XCTAssertEqual(EditDistance.nearest(to: "gramd", among: ["Tone", "Grand Piano"]), "Grand Piano")
        XCTAssertEqual(EditDistance.nearest(to: "tonne", among: ["Tonner Band", "Tone"]), "Tone")
        XCTAssertNil(EditDistance.nearest(to: "grn", among: ["Grand Piano"]))
        XCTAssertNil(EditDistance.nearest(to: "abc", among: ["xyz", "axy"]))
        XCTAssertNil(EditDistance.nearest(to: "a", among: ["b"]))
        XCTAssertNil(EditDistance.nearest(to: "", among: ["", "a"]))
    }

    func testOfALongTextTheBeginningCounts() {
        let long = String(repeating: "a\u{301}/", count: 500_000)
        XCTAssertEqual(EditDistance.scalars(of: long).count, EditDistance.longest)
        XCTAssertNil(EditDistance.nearest(to: long, among: ["tone"]))
    }
}

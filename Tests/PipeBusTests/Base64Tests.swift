// SPDX-License-Identifier: MIT
import Foundation
import SeededRandom
import XCTest

@testable import PipeBus

final class Base64Tests: XCTestCase {
    func testItIsThatOfFoundation() {
        var random = SeededGenerator(seed: 7)
        for count in Array(0...130) + [4096, 65_537] {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Base64.text(bytes)
            XCTAssertEqual(text, Data(bytes).base64EncodedString())
            XCTAssertEqual(text.utf8.count, Base64.length(ofBytes: count))
            XCTAssertEqual(Base64.bytes(text), bytes)
        }
    }

    func testTextInAnyOtherFormIsRefused() {
        for text in [
            "A", "AA", "AAA", "AA=A", "=AAA", "A===", "====", "AAAA=", "AAA ", "AA\nA", "AAé", "AB==", "AAB=",
            "AA==AAAA", "-_AA",
        ] {
            XCTAssertNil(Base64.bytes(text), text)
        }
    }

    /// Whatever is taken is the one text of its bytes.
    func testChangedTextIsRefusedOrAnotherValue() {
        var random = SeededGenerator(seed: 8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            var text = Array(Base64.text(bytes).utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let letter = UInt8.random(in: 32...126, using: &random)
                if text.isEmpty || Bool.random(using: &random) {
                    text.insert(letter, at: Int.random(in: 0...text.count, using: &random))
                } else {
                    text[Int.random(in: text.indices, using: &random)] = letter
                }
            }
            let changed = String(decoding: text, as: UTF8.self)
            if let read = Base64.bytes(changed) { XCTAssertEqual(Base64.text(read), changed) }
        }
    }
}

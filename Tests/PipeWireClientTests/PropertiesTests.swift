// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeWireClient

/// Properties of other processes, as they come from PipeWire.
final class PropertiesTests: XCTestCase {
    private func read(_ properties: [(String, String)]) -> [String: String] {
        // PipeWire's properties begin with a dictionary. They are not freed here: the test is short.
        unsafe Properties.dictionary(from: Properties.make(properties))
    }

    func testPropertiesAreRead() {
        XCTAssertEqual(read([("a", "1"), ("b", "")]), ["a": "1", "b": ""])
        XCTAssertEqual(unsafe Properties.dictionary(from: nil), [:])
    }

    func testAnOversizedValueIsCut() {
        XCTAssertEqual(read([("a", String(repeating: "x", count: 5000))])["a"]?.utf8.count, Properties.longestValue)
    }

    func testAnOversizedKeyIsLeftOut() {
        let longest = String(repeating: "k", count: Properties.longestKey)
        XCTAssertEqual(read([(longest + "k", "1"), (longest, "2")]), [longest: "2"])
    }

    func testNoMoreThanTheLargestNumberIsRead() {
        XCTAssertEqual(read((0..<1500).map { ("key \($0)", "x") }).count, Properties.mostKeys)
    }
}

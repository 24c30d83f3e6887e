// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class DeclaredDataTests: XCTestCase {
    private func assertRefused(
        _ body: @autoclosure () throws -> Void, saying words: String, line: UInt = #line
    ) {
        XCTAssertThrowsError(try body(), line: line) { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument, line: line)
            XCTAssertTrue("\(error)".contains(words), "\(error)", line: line)
        }
    }

    func testLimits() throws {
        let data = DeclaredData()
        let longest = [UInt8](repeating: 7, count: 4 << 20)
        try data.set(longest, forKey: "a")
        assertRefused(try data.set(longest + [7], forKey: "a"), saying: "4194305 bytes; at most 4194304 (4 MiB)")
        XCTAssertEqual(data.values["a"]?.count, 4 << 20)
        for key in 1..<16 { try data.set(longest, forKey: "\(key)") }
        assertRefused(try data.set([1], forKey: "more"), saying: "at most 67108864 (64 MiB)")
        // In place of another value it is no more.
        try data.set(longest, forKey: "a")
        data.remove("a")
        for key in 0..<241 { try data.set([], forKey: "flag \(key)") }
        assertRefused(try data.set([], forKey: "one more"), saying: "256 keys already")
        try data.set([], forKey: "flag 3")
        for key in ["", " ", "a\nb", String(repeating: "k", count: 129), "a\u{0}"] {
            assertRefused(try data.set([], forKey: key), saying: "The key of published data")
        }
        data.removeAll()
        XCTAssertEqual(data.values, [:])
        for key in 0..<16 { try data.set(longest, forKey: "\(key)") }
    }
}

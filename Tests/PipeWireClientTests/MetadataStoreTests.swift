// SPDX-License-Identifier: MIT
import Glibc
import PipeWireClient
import XCTest

final class MetadataStoreTests: XCTestCase {
    private var store = MetadataStore()

    private func code(_ key: String, _ value: String, type: String = "") -> Int32? {
        do throws(PipeWireError) {
            try store.check(key, .init(type: type, value: value))
            store.set(key, .init(type: type, value: value))
            return nil
        } catch {
            guard case .callFailed(_, let code) = error else { return -1 }
            return code
        }
    }

    func testWhatCannotBeSentIsRefused() {
        XCTAssertEqual(code("", "x"), EINVAL)
        XCTAssertEqual(code("a\0b", "x"), EINVAL)
        XCTAssertEqual(code("a", "x\0y"), EINVAL)
        XCTAssertEqual(code("a", "x", type: "\0"), EINVAL)
        XCTAssertEqual(code(String(repeating: "é", count: 129), "x"), EMSGSIZE)
        XCTAssertEqual(code("a", "x", type: String(repeating: "t", count: 257)), EMSGSIZE)
        XCTAssertEqual(code("a", String(repeating: "x", count: MetadataLimits.longestValue + 1)), EMSGSIZE)
        XCTAssertTrue(store.entries.isEmpty)
        XCTAssertNil(code(String(repeating: "é", count: 128), "", type: String(repeating: "t", count: 256)))
        XCTAssertEqual(store.size, 512)
    }

    func testTheWholeIsBounded() {
        let third = String(repeating: "x", count: MetadataLimits.largestObject / 3)
        XCTAssertNil(code("a", third))
        XCTAssertNil(code("b", third))
        XCTAssertEqual(code("c", third), ENOSPC)
        XCTAssertNil(store.entries["c"])
        // Replacing takes the room of what it replaces, and removing gives it back.
        XCTAssertNil(code("b", third))
        store.remove("a")
        store.remove("a")
        XCTAssertNil(code("c", third))
        store.remove("b")
        store.remove("c")
        XCTAssertEqual(store.size, 0)
    }

    func testTheNumberOfKeysIsBounded() {
        for number in 0..<4096 { XCTAssertNil(code("key\(number)", "")) }
        XCTAssertEqual(code("one more", ""), ENOSPC)
        XCTAssertNil(code("key7", "again"))
        store.remove("key8")
        XCTAssertNil(code("one more", ""))
    }
}

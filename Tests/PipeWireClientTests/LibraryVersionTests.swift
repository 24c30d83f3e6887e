// SPDX-License-Identifier: MIT
import PipeWireClient
import XCTest

final class LibraryVersionTests: XCTestCase {
    func testVersionsAreReadAndCompared() {
        XCTAssertEqual(LibraryVersion(parsing: "0.3.65"), LibraryVersion(0, 3, 65))
        XCTAssertEqual(LibraryVersion(parsing: "1.4.2-1~bpo12+1"), LibraryVersion(1, 4, 2))
        XCTAssertLessThan(LibraryVersion(0, 3, 65), LibraryVersion(0, 3, 68))
        XCTAssertLessThan(LibraryVersion(0, 3, 84), LibraryVersion(1, 0, 0))
        XCTAssertEqual("\(LibraryVersion(1, 6, 0))", "1.6.0")
    }

    func testNonsenseIsNoVersion() {
        for text in ["", "1", "1.2", "a.b.c", "1..2", "-1.x.3"] { XCTAssertNil(LibraryVersion(parsing: text), text) }
    }

    func testTheLoadedLibraryHasAVersion() {
        XCTAssertGreaterThanOrEqual(PipeWireConnection.libraryVersion, .oldestSupported)
    }
}

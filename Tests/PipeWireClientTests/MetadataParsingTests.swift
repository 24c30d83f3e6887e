// SPDX-License-Identifier: MIT
import PipeWireClient
import XCTest

/// Strings from other processes, byte by byte.
final class MetadataParsingTests: XCTestCase {
    private typealias Bytes = [UInt8]

    /// A string in C's form: with a zero at the end, or none.
    private func withText<Result>(_ bytes: Bytes?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        guard let bytes else { return body(nil) }
        return unsafe (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
            unsafe body($0.baseAddress)
        }
    }

    private func request(_ key: Bytes?, _ type: Bytes?, _ value: Bytes?) -> ExportedMetadata.Request? {
        unsafe withText(key) { key in
            unsafe withText(type) { type in unsafe withText(value) { value in unsafe .init(key, type, value) } }
        }
    }

    private func property(_ key: Bytes?, _ type: Bytes?, _ value: Bytes?) -> BoundMetadata.Property? {
        unsafe withText(key) { key in
            unsafe withText(type) { type in unsafe withText(value) { value in unsafe .init(key, type, value) } }
        }
    }

    private func long(_ count: Int) -> Bytes { Bytes(repeating: 97, count: count) }
    private let a: Bytes = [97]
    private let bad: Bytes = [97, 0xFF, 0xC0]

    func testARequestIsTakenAsItIs() {
        XCTAssertEqual(request(a, a, a), .init(key: "a", type: "a", value: "a"))
        XCTAssertEqual(request(a, nil, a), .init(key: "a", type: nil, value: "a"))
        XCTAssertEqual(request(a, nil, nil), .init(key: "a", type: nil, value: nil))
        XCTAssertEqual(request(nil, nil, nil), .init(key: nil, type: nil, value: nil))
        XCTAssertEqual(request(a, [], []), .init(key: "a", type: "", value: ""))
    }

    func testARequestThatIsTooLongOrNoTextIsNone() {
        XCTAssertEqual(request(long(256), long(256), long(4096))?.value?.utf8.count, 4096)
        XCTAssertNil(request(long(257), a, a))
        XCTAssertNil(request(a, long(257), a))
        XCTAssertNil(request(a, a, long(4097)))
        XCTAssertNil(request(bad, a, a))
        XCTAssertNil(request(a, bad, a))
        XCTAssertNil(request(a, a, bad))
        XCTAssertNil(request([], a, a))
        // A value for all keys.
        XCTAssertNil(request(nil, nil, a))
    }

    func testAPropertyIsTakenAsItIs() {
        XCTAssertEqual(property(a, a, long(4097))?.value?.utf8.count, 4097)
        XCTAssertEqual(property(a, nil, a), .init(key: "a", type: nil, value: "a"))
        XCTAssertEqual(property(a, a, nil), .init(key: "a", type: nil, value: nil))
        XCTAssertEqual(property(nil, a, a), .init(key: nil, type: nil, value: nil))
    }

    func testAPropertyWithoutAUsableValueIsGone() {
        XCTAssertEqual(property(a, a, long(MetadataLimits.longestValue + 1)), .init(key: "a", type: nil, value: nil))
        XCTAssertEqual(property(a, a, bad), .init(key: "a", type: nil, value: nil))
        XCTAssertEqual(property(a, bad, a), .init(key: "a", type: nil, value: "a"))
        XCTAssertNil(property(long(257), a, a))
        XCTAssertNil(property(bad, a, a))
        XCTAssertNil(property([], a, a))
    }
}

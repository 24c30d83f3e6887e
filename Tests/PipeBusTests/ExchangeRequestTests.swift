// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

@testable import PipeBus

final class ExchangeRequestTests: XCTestCase {
    func testItsTextComesBack() {
        let request = ExchangeRequest(old: [8, 9].map(GraphPort.ID.init(serial:)), new: [GraphPort.ID(serial: 12)])
        XCTAssertEqual(request.text, "8,9 12")
        XCTAssertEqual(ExchangeRequest("8,9 12"), request)
    }

    func testOtherTextIsNone() {
        let many = (1...65).map { "\($0)" }.joined(separator: ",")
        let texts = [
            "", " ", "8", "8 ", " 8", "8  9", "8 9 10", "8, 9", ",8 9", "8,, 9", "8 8", "8,8 9", "8,9 9", "a 9", "-8 9",
            "+8 9",
            "08 9", "8.0 9", "99999999999999999999999 9", "8 9\n", "٨ 9", "\(many) 999",
            String(repeating: "8", count: 1 << 20),
        ]
        for text in texts { XCTAssertNil(ExchangeRequest(text), text.prefix(40).debugDescription) }
    }
}

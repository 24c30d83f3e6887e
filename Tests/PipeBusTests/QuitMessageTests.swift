// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class QuitMessageTests: XCTestCase {
    func testARequestIsRead() {
        let request = QuitMessage.Request(serial: 42, word: "123.4")
        XCTAssertEqual(QuitMessage.Request(request.text), request)
        let bad = [
            "", " ", "1", "1 ", "-1 a", "x a", "1 a b", "1  a", " 1 a", "1 é", "1 a\n", "99999999999999999999999 a",
            "1 \(String(repeating: "w", count: 65))", String(repeating: "1", count: 200),
        ]
        for text in bad { XCTAssertNil(QuitMessage.Request(text), text) }
    }

    func testAnAnswerIsThatOfItsRequest() {
        for answer in [QuitRequest.Answer.quit, .refuse(because: "the song is not saved")] {
            let text = QuitMessage.text(of: answer, to: "7.1")
            XCTAssertEqual(QuitMessage.answer(in: text, to: "7.1"), answer)
            XCTAssertNil(QuitMessage.answer(in: text, to: "7.2"))
        }
        XCTAssertEqual(QuitMessage.answer(in: "w stay", to: "w"), .refuse(because: "it gave no reason"))
        for text in ["", "w", "w ", "w leave", "quit w"] { XCTAssertNil(QuitMessage.answer(in: text, to: "w"), text) }
        // A reason is shown to a person.
        guard
            case .refuse(let reason) = QuitMessage.answer(
                in: "w stay a\u{1B}[2J" + String(repeating: "x", count: 999), to: "w")
        else { return XCTFail("no refusal") }
        XCTAssertFalse(reason.contains("\u{1B}"))
        XCTAssertLessThan(reason.count, 100)
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient
import XCTest

@testable import PipeBus

final class RemoteValuesTests: XCTestCase {
    private var values = RemoteValues()

    private func publish(_ key: String?, _ value: String?) {
        values.received(BoundMetadata.Property(key: key, type: "Spa:String", value: value))
    }

    func testValuesAreReplacedAndRemoved() {
        publish("a", "1")
        publish("a", "2")
        publish("b", "1")
        XCTAssertEqual(values["a"], "2")
        publish("a", nil)
        XCTAssertNil(values["a"])
        publish(nil, nil)
        XCTAssertNil(values["b"])
    }

    func testNoMoreIsKeptThanAnObjectMayHave() {
        for index in 0..<5000 { publish("key \(index)", "x") }
        XCTAssertEqual(values.count, MetadataLimits.mostKeys)
        publish(nil, nil)
        let large = String(repeating: "x", count: 1 << 20)
        for index in 0..<8 { publish("\(index)", large) }
        XCTAssertEqual(values.count, 5, "the keys and types need room too")
        XCTAssertLessThanOrEqual(values.size, MetadataLimits.largestObject)
    }

    func testAValueThatDoesNotFitDoesNotLeaveTheEarlierOne() {
        publish("a", "old")
        publish("a", String(repeating: "x", count: MetadataLimits.longestValue + 1))
        XCTAssertNil(values["a"])
    }

    func testTheAnswerIsTheFirstAfterTheRequest() {
        publish("a", "1")
        publish("refused", "a: earlier")
        values.requested("a", "1")
        XCTAssertEqual(values.answer, .none)
        publish("a", "2")
        publish("refused", "b: another's")
        XCTAssertEqual(values.answer, .none)
        publish("refused", "a: no")
        XCTAssertEqual(values.answer, .refused(because: "no"))
        publish("a", "1")
        XCTAssertEqual(values.answer, .refused(because: "no"))
        values.requested("a", "1")
        XCTAssertEqual(values.answer, .none)
        publish("a", "1")
        XCTAssertEqual(values.answer, .taken)
    }

    func testAPressIsAnsweredByItsWord() {
        var answers = PressAnswers()
        answers.add("1.1", refusal: nil)
        publish("answers", answers.text)
        values.requested("trigger/a/press", "7 2.1", word: "2.1")
        // The values and refusals of others' presses are none of this one.
        publish("trigger/a/press", "7 2.1")
        publish("refused", "trigger/a/press: the trigger is disabled")
        XCTAssertEqual(values.answer, .none)
        answers.add("2.1", refusal: "it is pressed too often")
        answers.add("1.2", refusal: nil)
        publish("answers", answers.text)
        XCTAssertEqual(values.answer, .refused(because: "it is pressed too often"))
        for number in 0..<95 { answers.add("3.\(number)", refusal: nil) }
        XCTAssertNil(PressAnswers.answer(to: "2.1", in: answers.text))
        XCTAssertEqual(PressAnswers.answer(to: "1.2", in: answers.text), .taken)
        for press in ["", "7", "7 ", "7 a b", "7 é", "7 a\n", "7 \(String(repeating: "w", count: 65))"] {
            XCTAssertNil(PressAnswers.word(of: press), press)
        }
        XCTAssertEqual(PressAnswers.word(of: "0 4712"), "4712")
        XCTAssertNil(PressAnswers.answer(to: "w", in: "w\nw \nw maybe\nx taken"))
        XCTAssertEqual(PressAnswers.answer(to: "w", in: "w refused"), .refused(because: "it gave no reason"))
        // A mark joins the space before it in one character, and the ends of lines of other systems are one.
        XCTAssertEqual(PressAnswers.answer(to: "w", in: "w refused \u{301}no"), .refused(because: "\u{301}no"))
        XCTAssertEqual(PressAnswers.answer(to: "w", in: "v taken\r\nw taken\nx taken"), .taken)
    }

    func testLevelsAreReadAndOthersSkipped() {
        publish("level/in/7/volume", "0.5")
        publish("level/in/7/mute", "maybe")
        publish("level/other/7/volume", "0.25")
        publish("level/in/x/volume", "0.25")
        XCTAssertEqual(values.levels(at: "in"), [GraphPort.ID(serial: 7): Source.Level(volume: 0.5)])
    }
}

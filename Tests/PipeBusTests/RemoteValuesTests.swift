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

    func testLevelsAreReadAndOthersSkipped() {
        publish("level/in/7/volume", "0.5")
        publish("level/in/7/mute", "maybe")
        publish("level/other/7/volume", "0.25")
        publish("level/in/x/volume", "0.25")
        XCTAssertEqual(values.levels(at: "in"), [GraphPort.ID(serial: 7): Source.Level(volume: 0.5)])
    }
}

// SPDX-License-Identifier: MIT
import ToolSupport
import XCTest

@testable import PipeBus

final class StateSentencesTests: XCTestCase {
    private let start = ContinuousClock.now

    /// The sentences about states that come a second after each other.
    private func sentences(_ kinds: StateReason.Kind?...) -> [String?] {
        var sentences = StateSentences()
        return kinds.enumerated().map { index, kind in
            let state = kind.map { BusClient.State.interrupted(StateReason($0, "\($0.rawValue).")) } ?? .running
            return sentences.sentence(for: state, at: start + .seconds(index))
        }
    }

    func testALostConnectionIsMadeAgain() {
        let back = "Connected to PipeWire again, after 1.0 s"
        XCTAssertEqual(sentences(nil, .daemonGone, nil), [nil, "daemonGone.", back])
        for kind in [StateReason.Kind.notRunning, .noPermission, .incompatible, .outOfDescriptors, .failed] {
            XCTAssertEqual(sentences(kind, nil), ["\(kind.rawValue). Trying to connect again", back])
        }
    }

    func testAReasonThatBecomesKnownMoreExactlyIsNothingNew() {
        XCTAssertEqual(
            sentences(.daemonGone, .notRunning, .notResponding, .noPermission, nil, nil),
            ["daemonGone.", nil, nil, nil, "Connected to PipeWire again, after 4.0 s", nil])
    }

    func testNoConnectionWasLost() {
        XCTAssertEqual(sentences(.noDriver, nil), [nil, nil])
        XCTAssertEqual(sentences(.overloaded, nil, .suspended, nil), ["overloaded.", nil, "suspended.", nil])
        XCTAssertEqual(
            sentences(.notResponding, nil, .notResponding, .overloaded, nil),
            [
                "notResponding.", "PipeWire answers again", "notResponding.", "overloaded.",
                "PipeWire answers again",
            ])
    }

    func testADaemonThatIsStoppedAndThenEnds() {
        XCTAssertEqual(
            sentences(.notResponding, .daemonGone, nil),
            ["notResponding.", "daemonGone.", "Connected to PipeWire again, after 2.0 s"])
    }
}

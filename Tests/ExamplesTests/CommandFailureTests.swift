// SPDX-License-Identifier: MIT
import ToolSupport
import XCTest

@testable import PipeBus
@testable import PipeBusCommand

/// Pure parts of the patchbay's commands.
final class CommandFailureTests: XCTestCase {
    private func sentence(_ code: PipeBusError.Code, in state: BusClient.State?) -> String {
        ErrorText.sentence(for: CommandFailure.of(PipeBusError(code, "the library's"), in: state))
    }

    func testACommandDoesNotConnectAgain() {
        let again = "give the command again."
        for kind in [StateReason.Kind.daemonGone, .notResponding] {
            XCTAssertTrue(sentence(.connectionLost, in: .interrupted(StateReason(kind, "lost"))).hasSuffix(again))
        }
        for state in [nil, BusClient.State.running] {
            XCTAssertTrue(sentence(.connectionLost, in: state).hasSuffix(again))
        }
        XCTAssertEqual(sentence(.noDaemon, in: nil), "the library's")
        // These say what to do for apps and commands alike.
        XCTAssertEqual(sentence(.connectionLost, in: .closed(StateReason(.removed, "lost"))), "the library's")
        XCTAssertEqual(sentence(.connectionLost, in: .interrupted(StateReason(.failed, "lost"))), "the library's")
        XCTAssertEqual(sentence(.unknownPort, in: .interrupted(StateReason(.daemonGone, "lost"))), "the library's")
    }

    func testLinksThatAreMissingAreSaid() {
        XCTAssertEqual(GraphSnapshot.expectedLinkCount(outputs: 2, inputs: 2), 2)
        XCTAssertEqual(GraphSnapshot.expectedLinkCount(outputs: 8, inputs: 8), 8)
        XCTAssertEqual(GraphSnapshot.expectedLinkCount(outputs: 1, inputs: 2), 2)
        for (outputs, inputs) in [(2, 1), (1, 3), (2, 6), (0, 0)] {
            XCTAssertNil(GraphSnapshot.expectedLinkCount(outputs: outputs, inputs: inputs))
        }
        XCTAssertEqual(LinkCount(present: 1, expected: 2).note, "  (1 of 2 links)")
        for whole in [LinkCount(present: 2, expected: 2), LinkCount(present: 3, expected: 2)] {
            XCTAssertEqual(whole.note, "")
        }
        XCTAssertEqual(LinkCount(present: 1, expected: nil).note, "")
    }
}

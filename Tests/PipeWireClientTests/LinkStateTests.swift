// SPDX-License-Identifier: MIT
import Glibc
import PipeWireClient
import XCTest

final class LinkStateTests: XCTestCase {
    private var state = LinkState()

    func testALinkIsMadeWhenItIsActive() {
        for step: Int32 in [0, 1, 2, 3] { XCTAssertNil(state.handle(.state(step, error: nil))) }
        XCTAssertEqual(state.handle(.state(4, error: nil)), .active)
        XCTAssertNil(state.handle(.state(4, error: nil)))
    }

    /// Between two idle nodes it never becomes active.
    func testAPassiveLinkIsMadeWhenItIsPaused() {
        var state = LinkState(isPassive: true)
        for step: Int32 in [0, 1, 2] { XCTAssertNil(state.handle(.state(step, error: nil))) }
        XCTAssertEqual(state.handle(.state(3, error: nil)), .active)
        XCTAssertNil(state.handle(.state(4, error: nil)))
        XCTAssertEqual(state.handle(.removed), .failed(.linkRemoved))
    }

    func testEveryRefusalHasItsCause() {
        let causes: [(Int32, String, PipeWireError)] = [
            (EEXIST, "link exists", .linkExists),
            (EPERM, "not allowed", .linkRefused(reason: "not allowed")),
            (EACCES, "not allowed", .linkRefused(reason: "not allowed")),
            (ENOENT, "gone", .badPort(reason: "gone")),
            (EINVAL, "link-factory: unknown output port 7", .badPort(reason: "link-factory: unknown output port 7")),
            (EINVAL, "no more input formats", .negotiationFailed(reason: "no more input formats")),
        ]
        for (code, message, error) in causes {
            var state = LinkState()
            XCTAssertEqual(state.handle(.refused(code: code, message: message)), .failed(error))
        }
    }

    func testAFailedNegotiationSaysWhy() {
        XCTAssertEqual(
            state.handle(.state(-2, error: "no more input formats")),
            .failed(.negotiationFailed(reason: "no more input formats")))
    }

    func testTheFirstReasonIsKeptWhenTheDaemonRemovesTheLink() {
        _ = state.handle(.state(-2, error: "no format"))
        XCTAssertNil(state.handle(.removed))
        XCTAssertEqual(state.outcome, .failed(.negotiationFailed(reason: "no format")))
    }

    func testALinkThatIsRemovedFails() {
        _ = state.handle(.state(4, error: nil))
        XCTAssertEqual(state.handle(.removed), .failed(.linkRemoved))
    }
}

// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class PlayedFramesTests: XCTestCase {
    func testProgress() {
        var played = PlayedFrames()
        XCTAssertEqual(played.advance(to: [1: 1000]), [1: 0], "a new port")
        XCTAssertEqual(played.advance(to: [1: 1256, 2: 500]), [1: 256, 2: 0])
        XCTAssertEqual(played.advance(to: [1: 1256, 2: 756]), [1: 0, 2: 256])
        XCTAssertEqual(played.advance(to: [1: 64, 2: 756]), [1: 0, 2: 0], "its node was made again")
        XCTAssertEqual(played.advance(to: [1: 128]), [1: 64], "one was closed")
        XCTAssertEqual(played.advance(to: [1: 128, 2: .max]), [1: 0, 2: 0], "it is a new one under an old place")
    }
}

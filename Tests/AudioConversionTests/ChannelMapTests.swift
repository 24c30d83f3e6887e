// SPDX-License-Identifier: MIT
import AudioConversion
import XCTest

final class ChannelMapTests: XCTestCase {
    private func signals(_ source: Int, _ destination: Int) -> [Int] {
        let map = ChannelMap(from: source, to: destination)
        return (0..<destination).map { map.signal(in: $0) }
    }

    func testRules() {
        XCTAssertEqual(signals(1, 1), [0])
        XCTAssertEqual(signals(3, 3), [0, 1, 2])
        XCTAssertEqual(signals(1, 4), [0, 0, 0, 0])
        XCTAssertEqual(signals(4, 1), [0])
        XCTAssertEqual(signals(2, 5), [0, 1, -1, -1, -1])
        XCTAssertEqual(signals(5, 2), [0, 1])
    }

    func testMeanAndSignals() {
        for source in 1...6 {
            for destination in 1...6 {
                let map = ChannelMap(from: source, to: destination)
                XCTAssertEqual(map.isMean, source > 1 && destination == 1)
                XCTAssertEqual(map.signalCount, min(source, destination))
            }
        }
    }
}

// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

final class ChannelMatchingTests: XCTestCase {
    func testOnlyEqualCountsAndMonoToStereoGoTogether() {
        for outputs in 0...10 {
            for inputs in 0...10 {
                let pairs = ChannelMatching.pairs(outputs: outputs, inputs: inputs)
                let fits = outputs > 0 && (outputs == inputs || (outputs == 1 && inputs == 2))
                XCTAssertEqual(pairs != nil, fits, "\(outputs) to \(inputs)")
                XCTAssertEqual(pairs?.map(\.input) ?? [], fits ? Array(0..<inputs) : [])
            }
        }
    }

    func testEqualCountsGoOneToOne() {
        XCTAssertEqual(ChannelMatching.pairs(outputs: 3, inputs: 3)?.map(\.output), [0, 1, 2])
    }

    func testMonoGoesToBoth() {
        XCTAssertEqual(ChannelMatching.pairs(outputs: 1, inputs: 2)?.map(\.output), [0, 0])
    }
}

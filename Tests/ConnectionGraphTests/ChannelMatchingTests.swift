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

    func testAMixGoesToTheFrontOfADevice() {
        func pairs(_ outputs: Int, _ positions: [String?]) -> [[Int]]? {
            ChannelMatching.pairs(outputs: outputs, devicePositions: positions)?.map { [$0.output, $0.input] }
        }
        XCTAssertEqual(pairs(2, ["FL", "FR"]), [[0, 0], [1, 1]])
        // The other way round too: equal numbers go one to one.
        XCTAssertEqual(pairs(2, ["FR", "FL"]), [[0, 0], [1, 1]])
        XCTAssertEqual(pairs(1, ["FL", "FR"]), [[0, 0], [0, 1]])
        XCTAssertEqual(pairs(2, ["FC", "FR", "LFE", "FL"]), [[0, 3], [1, 1]])
        XCTAssertEqual(pairs(1, ["FC", "FR", "LFE", "FL"]), [[0, 3], [0, 1]])
        for positions in [["AUX0", "AUX1", "AUX2"], [nil, nil, nil], ["AUX0", "AUX1", "FL"]] as [[String?]] {
            XCTAssertEqual(pairs(2, positions), [[0, 0], [1, 1]])
            XCTAssertEqual(pairs(1, positions), [[0, 0], [0, 1]])
        }
        XCTAssertEqual(pairs(2, ["MONO"]), [[0, 0], [1, 0]])
        XCTAssertEqual(pairs(1, ["MONO"]), [[0, 0]])
        XCTAssertEqual(pairs(3, ["FL", "FR", "FC"])?.count, 3)
        for outputs in [0, 3, 4] { XCTAssertNil(pairs(outputs, ["FL", "FR"]), "\(outputs)") }
        for outputs in 0...4 { XCTAssertNil(pairs(outputs, []), "\(outputs)") }
        XCTAssertNil(pairs(4, ["MONO"]))
    }

    func testMonoGoesToBoth() {
        XCTAssertEqual(ChannelMatching.pairs(outputs: 1, inputs: 2)?.map(\.output), [0, 0])
    }
}

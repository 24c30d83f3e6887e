// SPDX-License-Identifier: MIT
import ConnectionGraph
import SeededRandom
import XCTest

/// The order of names for people.
final class NaturalOrderTests: XCTestCase {
    func testNumbersCountAsNumbers() {
        for names in [
            ["Voice 1", "Voice 2", "Voice 10", "Voice 10 b", "Voice 100"], ["a", "B", "c"], ["", "0", "1", "a"],
            ["Tone.out", "Tone 2.out", "Tone 10.out", "Tonewheel.out"], ["twin:9", "twin:10"],
            ["take1.wav", "take2.wav", "take10.wav"], ["x1y2", "x1y10", "x2y1"],
            ["x99999999999999999999999999998", "x99999999999999999999999999999", "x100000000000000000000000000000"],
            ["v02", "v2", "v3"], ["A", "a"], ["Größe 2", "Größe 10"], ["e", "z", "é"],
        ] {
            XCTAssertEqual(names.reversed().naturallySorted { $0 }, names)
        }
    }

    func testEqualNamesKeepTheirOrder() {
        let pairs = [("b", 1), ("a", 2), ("b", 3), ("a", 4)]
        XCTAssertEqual(pairs.naturallySorted { $0.0 }.map(\.1), [2, 4, 1, 3])
        let paths = [["b", "1"], ["a", "10"], ["a", "2"], ["a"]]
        XCTAssertEqual(paths.naturallySorted { $0 }, [["a"], ["a", "2"], ["a", "10"], ["b", "1"]])
    }

    /// Sorting needs an order in which no three names run in a circle.
    func testItIsAnOrder() {
        var numbers = SeededGenerator(seed: 11)
        let parts = ["1", "01", "10", "2", "a", "A", " ", ".", ":", "é", "-", "0"]
        let names = (0..<60).map { _ in
            (0..<Int.random(in: 0...4, using: &numbers)).map { _ in parts.randomElement(using: &numbers)! }.joined()
        }
        for first in names {
            for second in names {
                let (one, two) = (NaturalOrder(first), NaturalOrder(second))
                XCTAssertEqual([one < two, two < one, one == two].count { $0 }, 1, "\(first) \(second)")
                for third in names where one < two && two < NaturalOrder(third) {
                    XCTAssertLessThan(one, NaturalOrder(third), "\(first) \(second) \(third)")
                }
            }
        }
    }
}

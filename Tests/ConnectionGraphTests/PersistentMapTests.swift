// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import ConnectionGraph

final class PersistentMapTests: XCTestCase {
    private var random = SeededGenerator(seed: 0x1998)

    /// Keys that share many digits, and keys that share none.
    private func randomKey() -> UInt64 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .random(in: 0..<20, using: &random)
        case 1: .random(in: 0..<2000, using: &random)
        case 2: 1 << UInt64.random(in: 0..<64, using: &random)
        default: [0, .max, 1 << 63, 0xFFFF_FFFF, 0x1_0000_0000].randomElement(using: &random)!
        }
    }

    private func assertEqual(_ map: PersistentMap<Int>, _ model: [UInt64: Int]) {
        XCTAssertEqual(map.count, model.count)
        XCTAssertEqual(map.map(\.key), model.keys.sorted())
        for (key, value) in map { XCTAssertEqual(value, model[key]) }
        for (key, value) in model { XCTAssertEqual(map[key], value) }
    }

    /// All earlier versions stay as they were.
    func testAgainstADictionary() {
        for _ in 0..<200 {
            var versions: [(map: PersistentMap<Int>, model: [UInt64: Int])] = [(.init(), [:])]
            for step in 0..<100 {
                var (map, model) = versions.randomElement(using: &random)!
                for _ in 0..<Int.random(in: 1...20, using: &random) {
                    let key =
                        Bool.random(using: &random)
                        ? randomKey() : model.keys.randomElement(using: &random) ?? randomKey()
                    let value = Int.random(in: 0..<3, using: &random) == 0 ? nil : step
                    map[key] = value
                    model[key] = value
                    XCTAssertEqual(map[key], value)
                }
                versions.append((map, model))
            }
            for (map, model) in versions { assertEqual(map, model) }
            for _ in 0..<20 {
                let (old, new) = (versions.randomElement(using: &random)!, versions.randomElement(using: &random)!)
                assertDifference(from: old, to: new)
            }
        }
    }

    private func assertDifference(
        from old: (map: PersistentMap<Int>, model: [UInt64: Int]),
        to new: (map: PersistentMap<Int>, model: [UInt64: Int])
    ) {
        var keys: [UInt64] = []
        new.map.forEachDifference(from: old.map) { key, before, after in
            keys.append(key)
            XCTAssertEqual(before, old.model[key])
            XCTAssertEqual(after, new.model[key])
        }
        let all = Set(old.model.keys).union(new.model.keys)
        XCTAssertEqual(keys, all.filter { old.model[$0] != new.model[$0] }.sorted())
        XCTAssertEqual(old.map == new.map, old.model == new.model)
    }

    /// The same keys have the same shape, whatever came before, so that shared parts are found.
    func testTheShapeFollowsFromTheKeys() {
        for _ in 0..<200 {
            let keys = Set((0..<50).map { _ in randomKey() })
            var (first, second) = (PersistentMap<Int>(), PersistentMap<Int>())
            for key in keys { first[key] = 1 }
            for key in (0..<50).map({ _ in randomKey() }) { second[key] = 1 }
            for key in keys.shuffled(using: &random) { second[key] = 1 }
            for (key, _) in second where !keys.contains(key) { second[key] = nil }
            XCTAssertEqual("\(first.root)", "\(second.root)")
        }
    }

    /// A comparison does not look at what two versions share.
    func testSharedPartsAreNotCompared() {
        var map = PersistentMap<Counted>()
        for key in 0..<10_000 as Range<UInt64> { map[key] = Counted(value: 0) }
        var changed = map
        changed[5000] = Counted(value: 1)
        Counted.comparisons.value = 0
        var found: [UInt64] = []
        changed.forEachDifference(from: map) { key, _, _ in found.append(key) }
        XCTAssertEqual(found, [5000])
        XCTAssertLessThanOrEqual(Counted.comparisons.value, 16)
    }
}

private final class Counter: @unchecked Sendable { var value = 0 }

/// Counts its comparisons. Used by one thread.
private struct Counted: Equatable {
    static let comparisons = Counter()
    var value: Int

    static func == (left: Self, right: Self) -> Bool {
        comparisons.value += 1
        return left.value == right.value
    }
}

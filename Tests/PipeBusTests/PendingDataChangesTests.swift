// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

final class PendingDataChangesTests: XCTestCase {
    private func all(_ pending: inout PendingDataChanges) -> [PublishedDataChange] {
        var changes: [PublishedDataChange] = []
        while let change = pending.takeFirst() { changes.append(change) }
        return changes
    }

    func testTheChangesOfAKeyAreMerged() {
        var pending = PendingDataChanges()
        pending.add(.added, "a", [1])
        pending.add(.added, "gone", [2])
        pending.add(.replaced, "a", [3])
        pending.add(.removed, "gone", nil)
        pending.add(.replaced, "seen", [4])
        pending.add(.removed, "seen", nil)
        pending.add(.removed, "back", nil)
        pending.add(.added, "back", [])
        XCTAssertEqual(
            all(&pending),
            [
                PublishedDataChange(key: "a", kind: .added, bytes: [3]),
                PublishedDataChange(key: "seen", kind: .removed, bytes: nil),
                PublishedDataChange(key: "back", kind: .replaced, bytes: []),
            ])
        XCTAssertTrue(pending.isEmpty)
    }

    func testTooMuchLeavesTheOldestOut() {
        var pending = PendingDataChanges(largestSum: 10)
        for (key, count) in [("a", 4), ("b", 4), ("c", 4), ("d", 11)] {
            pending.add(.added, key, [UInt8](repeating: 0, count: count))
        }
        XCTAssertEqual(all(&pending).map(\.bytes?.count), [nil, nil, nil, nil])
        for (key, count) in [("a", 4), ("b", 4), ("c", 4)] {
            pending.add(.added, key, [UInt8](repeating: 0, count: count))
        }
        XCTAssertEqual(all(&pending).map(\.bytes?.count), [nil, 4, 4])
    }

    /// A reader that takes changes at any moment ends up with what is published.
    func testAReaderEndsUpWithWhatIsThere() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            var pending = PendingDataChanges()
            var published: [String: [UInt8]] = [:]
            var seen: [String: [UInt8]] = [:]
            func take() {
                guard let change = pending.takeFirst() else { return }
                switch change.kind {
                case .added: XCTAssertNil(seen[change.key])
                case .replaced, .removed: XCTAssertNotNil(seen[change.key])
                }
                seen[change.key] = change.bytes
            }
            for _ in 0..<60 {
                let key = "\(Int.random(in: 0...3, using: &random))"
                if Bool.random(using: &random) {
                    let bytes = [UInt8.random(in: 0...255, using: &random)]
                    pending.add(published[key] == nil ? .added : .replaced, key, bytes)
                    published[key] = bytes
                } else if published.removeValue(forKey: key) != nil {
                    pending.add(.removed, key, nil)
                }
                if Int.random(in: 0...2, using: &random) == 0 { take() }
            }
            while !pending.isEmpty { take() }
            XCTAssertEqual(seen, published)
        }
    }
}

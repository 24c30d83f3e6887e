// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The record of the order in which the blocks of one app run: the position of each block's last run.
final class OrderLog: Sendable {
    /// One block's own line, for its state.
    struct Line: Sendable {
        let log: OrderLog
        let index: Int

        init(_ log: OrderLog, _ index: Int) {
            self.log = log
            self.index = index
        }
    }

    private let places: [Place]

    /// - Parameter count: how many blocks there are.
    init(count: Int) { places = (0..<count).map { _ in Place() } }

    /// On the audio thread, where blocks of one app run one after the other.
    func note(_ index: Int, at position: UInt64) {
        let place = places[index]
        if place.position.load(ordering: .relaxed) == position {
            place.repeats.add(1, ordering: .relaxed)
        }
        place.position.store(position, ordering: .relaxed)
        place.runs.add(1, ordering: .relaxed)
        // A block that is to run after this one must not have run in this cycle.
        var followers = place.followers.load(ordering: .relaxed)
        while followers != 0 {
            let follower = followers.trailingZeroBitCount
            followers &= followers - 1
            if places[follower].position.load(ordering: .relaxed) == position {
                place.violations.add(1, ordering: .relaxed)
            }
        }
    }

    /// From now on the second one is to run after the first one.
    func expect(_ first: Int, before second: Int) {
        _ = places[first].followers.bitwiseOr(1 << UInt64(second), ordering: .relaxed)
    }

    /// The port is gone, and so is its order.
    func forget(_ index: Int) {
        places[index].followers.store(0, ordering: .relaxed)
        for place in places { _ = place.followers.bitwiseAnd(~(1 << UInt64(index)), ordering: .relaxed) }
    }

    func runs(_ index: Int) -> UInt64 { places[index].runs.load(ordering: .relaxed) }
    /// Runs in a cycle in which it had run already.
    var repeats: UInt64 { places.reduce(0) { $0 + $1.repeats.load(ordering: .relaxed) } }
    /// Blocks that ran too late.
    var violations: [Int: UInt64] {
        let all = places.indices.map { ($0, places[$0].violations.load(ordering: .relaxed)) }
        return Dictionary(uniqueKeysWithValues: all.filter { $0.1 > 0 })
    }

    func clear() {
        for place in places { place.violations.store(0, ordering: .relaxed) }
    }

    private final class Place: Sendable {
        let position = Atomic<UInt64>(.max)
        let runs = Atomic<UInt64>(0)
        let repeats = Atomic<UInt64>(0)
        let violations = Atomic<UInt64>(0)
        let followers = Atomic<UInt64>(0)
    }
}

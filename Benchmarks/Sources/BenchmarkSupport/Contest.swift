// SPDX-License-Identifier: MIT

/// Compares the library with its peers in one process: all take turns of half a millisecond, in another order in each round, so that a
/// disturbance of a round affects all of them. A ratio is the median over the rounds of the ratio in a round.
public struct Contest {
    private let contenders: [Contender]
    /// For each contender the nanoseconds in each round.
    private var times: [[Double]]

    /// - Parameter contenders: the library's first.
    public init(_ contenders: [Contender], rounds: Int) {
        self.contenders = contenders
        times = contenders.map { _ in [] }
        let counts = contenders.map { contender in
            let first = contender.units > 1 ? 2 : 50
            return Int(5e5 / contender.time(first) / Double(contender.units)) + 1
        }
        for round in 0..<rounds {
            for turn in contenders.indices {
                let index = (round + turn) % contenders.count
                // What the last one did to the caches is not measured.
                contenders[index].run(2)
                times[index].append(contenders[index].time(counts[index]))
            }
        }
    }

    /// Prints a line of JSON for each peer.
    ///
    /// - Parameter work: what was done, for people.
    public func report(_ work: String) {
        for peer in contenders.indices.dropFirst() {
            let ratio = Self.median(zip(times[0], times[peer]).map { $0 / $1 })
            print(
                "{\"name\": \"\(work), to \(contenders[peer].name)\", \"ours\": \(Self.median(times[0])), "
                    + "\"peer\": \(Self.median(times[peer])), \"ratio\": \(ratio)}")
        }
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

// SPDX-License-Identifier: MIT

/// Which ports of an app are to run after which others in the same cycle, by name. Pure.
///
/// A name may stand for a port that is not there yet, or not any more: what is said of it holds whenever it is.
package struct PortOrder: Sendable {
    /// One port and one that runs after it.
    package struct Pair: Hashable, Sendable {
        package var before: String
        package var after: String

        package init(before: String, after: String) {
            self.before = before
            self.after = after
        }
    }

    /// Why an order cannot be had.
    package enum Fault: Error, Hashable {
        /// Each of them is to run after the next one. The first is the last as well.
        case circle([String])
        /// More ports in a row than ``longestChain``.
        case tooLong
        /// More ways from port to port than ``mostWays``.
        case tooManyWays
    }

    /// PipeWire follows a chain of links no further than 32 of them, those outside the app included.
    package static let longestChain = 16
    /// PipeWire walks every way there is each time that it makes a link: with 30 ports, each after all others before it,
    /// that is a billion.
    package static let mostWays = 4096

    /// The names that each port is to run after.
    private var predecessors: [String: [String]] = [:]

    package init() {}

    /// Takes note of a port that is about to be made.
    ///
    /// - Precondition: there is none of that name.
    package mutating func add(_ name: String, after names: [String]) throws(Fault) {
        var unique: [String] = []
        for name in names where !unique.contains(name) { unique.append(name) }
        var visited: Set<String> = []
        for predecessor in unique {
            if let way = way(from: predecessor, to: name, visited: &visited) { throw .circle([name] + way) }
        }
        predecessors[name] = unique
        let (length, ways) = measure()
        if length > Self.longestChain || ways > Self.mostWays {
            predecessors[name] = nil
            throw length > Self.longestChain ? .tooLong : .tooManyWays
        }
    }

    /// Forgets a port that is gone. What others said of its name holds again for the next one.
    package mutating func remove(_ name: String) { predecessors[name] = nil }

    /// Whether any port is to run after one of that name.
    package func isNamed(_ name: String) -> Bool { predecessors.values.contains { $0.contains(name) } }

    /// Whether the port is to run after any other.
    package func hasPredecessors(_ name: String) -> Bool { predecessors[name]?.isEmpty == false }

    /// The pairs that a port is in, with others that are there.
    package func pairs(of name: String, among present: Set<String>) -> [Pair] {
        guard present.contains(name) else { return [] }
        let before = (predecessors[name] ?? []).filter(present.contains).map { Pair(before: $0, after: name) }
        let after = predecessors.filter { present.contains($0.key) && $0.value.contains(name) }.keys.sorted()
        return before + after.map { Pair(before: name, after: $0) }
    }

    /// Ports that must have run before this one, in chains of ports that are there.
    package func allBefore(_ name: String, among present: Set<String>) -> Set<String> {
        var found: Set<String> = []
        var waiting = [name]
        while let next = waiting.popLast() {
            for predecessor in predecessors[next] ?? [] where present.contains(predecessor) {
                if found.insert(predecessor).inserted { waiting.append(predecessor) }
            }
        }
        return found
    }

    /// Names from one to the other, each after the next one.
    private func way(from name: String, to goal: String, visited: inout Set<String>) -> [String]? {
        if name == goal { return [name] }
        guard visited.insert(name).inserted else { return nil }
        for next in predecessors[name] ?? [] {
            if let rest = way(from: next, to: goal, visited: &visited) { return [name] + rest }
        }
        return nil
    }

    /// The longest chain, in ports, and the number of ways that begin anywhere and go as far as can be; both bounded.
    private func measure() -> (length: Int, ways: Int) {
        var known: [String: (length: Int, ways: Int)] = [:]
        func measure(_ name: String) -> (length: Int, ways: Int) {
            if let result = known[name] { return result }
            var result = (length: 1, ways: 1)
            for predecessor in predecessors[name] ?? [] {
                let before = measure(predecessor)
                result.length = max(result.length, before.length + 1)
                result.ways = min(result.ways + before.ways, Self.mostWays + 1)
            }
            known[name] = result
            return result
        }
        let all = predecessors.keys.map(measure)
        return (all.map(\.length).max() ?? 0, all.map(\.ways).max() ?? 0)
    }
}

// SPDX-License-Identifier: MIT

/// The order of an app's ports within a cycle, by name. Pure.
///
/// A name may belong to a port that does not exist yet, or no longer. Its place in the order holds whenever the port
/// exists.
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

    /// The reason why an order is refused.
    package enum Fault: Error, Hashable {
        /// Each port is to run after the next one. The first is the last as well.
        case circle([String])
        /// A chain of more ports than ``longestChain``.
        case tooLong
        /// More paths from port to port than ``maximumPaths``.
        case tooManyPaths
    }

    /// The largest number of ports in a chain. PipeWire follows a chain of links no further than 32, those outside the
    /// app included.
    package static let longestChain = 16
    /// The largest number of paths. PipeWire walks every path each time that it makes a link: 30 ports, each after all
    /// others before it, have a billion.
    package static let maximumPaths = 4096

    /// The names that each port is to run after.
    private var predecessors: [String: [String]] = [:]

    package init() {}

    /// Adds a port that is about to be made.
    ///
    /// - Precondition: there is no port of that name.
    package mutating func add(_ name: String, after names: [String]) throws(Fault) {
        var unique: [String] = []
        for name in names where !unique.contains(name) { unique.append(name) }
        var visited: Set<String> = []
        for predecessor in unique {
            if let path = path(from: predecessor, to: name, visited: &visited) { throw .circle([name] + path) }
        }
        predecessors[name] = unique
        let (length, paths) = measure()
        if length > Self.longestChain || paths > Self.maximumPaths {
            predecessors[name] = nil
            throw length > Self.longestChain ? .tooLong : .tooManyPaths
        }
    }

    /// Removes a port that is gone. What other ports declared of its name holds again for the next port of that name.
    package mutating func remove(_ name: String) { predecessors[name] = nil }

    /// Whether any port is to run after the port of that name.
    package func isNamed(_ name: String) -> Bool { predecessors.values.contains { $0.contains(name) } }

    /// Whether the port is to run after any other port.
    package func hasPredecessors(_ name: String) -> Bool { predecessors[name]?.isEmpty == false }

    /// The pairs of a port and another one, both of which exist.
    package func pairs(of name: String, among present: Set<String>) -> [Pair] {
        guard present.contains(name) else { return [] }
        let before = (predecessors[name] ?? []).filter(present.contains).map { Pair(before: $0, after: name) }
        let after = predecessors.filter { present.contains($0.key) && $0.value.contains(name) }.keys.sorted()
        return before + after.map { Pair(before: name, after: $0) }
    }

    /// Ports that run before this one, in chains of ports that exist.
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

    /// A path from one name to another, each to run after the next one.
    private func path(from name: String, to goal: String, visited: inout Set<String>) -> [String]? {
        if name == goal { return [name] }
        guard visited.insert(name).inserted else { return nil }
        for next in predecessors[name] ?? [] {
            if let rest = path(from: next, to: goal, visited: &visited) { return [name] + rest }
        }
        return nil
    }

    /// The length of the longest chain, in ports, and the number of maximal paths; both bounded.
    private func measure() -> (length: Int, paths: Int) {
        var known: [String: (length: Int, paths: Int)] = [:]
        func measure(_ name: String) -> (length: Int, paths: Int) {
            if let result = known[name] { return result }
            var result = (length: 1, paths: 1)
            for predecessor in predecessors[name] ?? [] {
                let before = measure(predecessor)
                result.length = max(result.length, before.length + 1)
                result.paths = min(result.paths + before.paths, Self.maximumPaths + 1)
            }
            known[name] = result
            return result
        }
        let all = predecessors.keys.map(measure)
        return (all.map(\.length).max() ?? 0, all.map(\.paths).max() ?? 0)
    }
}

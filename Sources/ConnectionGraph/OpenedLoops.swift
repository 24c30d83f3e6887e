// SPDX-License-Identifier: MIT

/// A directed graph that is kept without loops while edges are added to it.
struct OpenedLoops {
    private var next: [[Int]]
    private var previous: [[Int]]
    /// In a graph of very many loops the search ends, and the edges that are left count as closing one.
    private var steps = 1 << 18

    init(count: Int) {
        next = Array(repeating: [], count: count)
        previous = next
    }

    /// Adds an edge, unless it closes a loop.
    ///
    /// - Returns: whether it was added.
    mutating func add(from source: Int, to destination: Int) -> Bool {
        guard !leads(from: destination, to: source) else { return false }
        next[source].append(destination)
        previous[destination].append(source)
        return true
    }

    /// Searches from both ends in turn, and ends with the one that comes to nothing first: a chain that is put together at one of its
    /// ends costs a step for each edge.
    private mutating func leads(from start: Int, to end: Int) -> Bool {
        if start == end { return true }
        var (ahead, behind): (Set<Int>, Set<Int>) = ([start], [end])
        var (forward, backward) = ([start], [end])
        while let place = forward.popLast(), let other = backward.popLast() {
            steps -= 1
            if steps <= 0 { return true }
            forward += next[place].filter { ahead.insert($0).inserted }
            backward += previous[other].filter { behind.insert($0).inserted }
            if next[place].contains(where: behind.contains) || previous[other].contains(where: ahead.contains) {
                return true
            }
        }
        return false
    }
}

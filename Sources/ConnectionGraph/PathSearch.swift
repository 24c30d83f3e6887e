// SPDX-License-Identifier: MIT

/// Gives the longest paths from one port, one after the other: each port that passes its input on is on a path at most
/// once.
///
/// A path ends at a port that does not pass on, or that is connected to ports of the path alone.
struct PathSearch: IteratorProtocol {
    private struct Step {
        var port: Int
        /// The next of the port's successors.
        var next = 0
        var isLast = true
    }

    private let graph: PathGraph
    /// The ports from which a path comes to this port, which it must contain; `nil` for all paths.
    private let target: (port: Int, sources: Set<Int>)?
    private var steps: [Step]
    private var isOnPath: Set<Int> = []
    /// The number of steps that may be made in vain, for a target. A graph of loops can have no end of paths that come
    /// near it.
    private var patience = 1 << 16

    init(_ graph: PathGraph, from start: Int, through target: (port: Int, sources: Set<Int>)? = nil) {
        self.graph = graph
        self.target = target
        steps = [Step(port: start)]
        if graph.passes[start] { isOnPath.insert(start) }
    }

    /// Whether the search was given up.
    var isExhausted: Bool { patience <= 0 }

    mutating func next() -> [Int]? {
        while let step = steps.last, patience > 0 {
            if let next = takeSuccessor() {
                steps[steps.count - 1].isLast = false
                steps.append(Step(port: next))
                if graph.passes[next] {
                    isOnPath.insert(next)
                    continue
                }
            } else if !step.isLast {
                leave()
                continue
            }
            let path = steps.map(\.port)
            leave()
            if target.map({ path.contains($0.port) }) ?? true { return path }
            patience -= path.count
        }
        return nil
    }

    /// The next successor of the last port that the path can go on to.
    private mutating func takeSuccessor() -> Int? {
        let last = steps.count - 1
        let step = steps[last]
        // The first port may be one that does not pass on.
        guard last == 0 || graph.passes[step.port] else { return nil }
        let successors = graph.successors[step.port]
        for place in step.next..<successors.count where mayGo(to: successors[place]) {
            steps[last].next = place + 1
            return successors[place]
        }
        steps[last].next = successors.count
        return nil
    }

    private func mayGo(to port: Int) -> Bool {
        guard !isOnPath.contains(port) else { return false }
        guard let target else { return true }
        let isThrough = isOnPath.contains(target.port) || steps[0].port == target.port
        return isThrough || port == target.port || target.sources.contains(port)
    }

    private mutating func leave() {
        if let step = steps.popLast() { isOnPath.remove(step.port) }
    }
}

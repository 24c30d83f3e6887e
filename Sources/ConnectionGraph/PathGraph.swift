// SPDX-License-Identifier: MIT

/// The ports of a graph by number, for the search of paths.
struct PathGraph {
    /// The ports that each is connected to, in the order of the graph's ports, each once.
    let successors: [[Int]]
    /// Whether a path leads through the port.
    let passes: [Bool]
    private let predecessors: [[Int]]
    private let names: [StableName]

    init(_ graph: GraphSnapshot, names: [StableName]) {
        let places = Dictionary(
            graph.ports.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
        var next = [Set<Int>](repeating: [], count: graph.ports.count)
        var previous = next
        for connection in graph.connections {
            guard let source = places[connection.source], let destination = places[connection.destination] else {
                continue
            }
            next[source].insert(destination)
            previous[destination].insert(source)
        }
        successors = next.map { $0.sorted() }
        predecessors = previous.map { $0.sorted() }
        passes = graph.ports.map(\.isOnTheWay)
        self.names = names
    }

    /// The ports that a path begins at, in order.
    var starts: [Int] {
        let begins = successors.indices.filter { port in
            !successors[port].isEmpty && (!passes[port] || predecessors[port].isEmpty)
        }
        return (begins + loopStarts(besides: begins)).sorted()
    }

    /// One port of each loop that no path leads into.
    private func loopStarts(besides begins: [Int]) -> [Int] {
        var reached = Set(begins)
        for port in begins { reach(from: port, &reached) }
        // In this order the first port that is not reached is in a loop that none of the others leads into.
        var found: [Int] = []
        for port in finished(besides: reached).reversed() where !reached.contains(port) {
            let loop = sources(of: port).union([port])
            guard let start = loop.min(by: { names[$0] < names[$1] }) else { continue }
            found.append(start)
            reached.insert(start)
            reach(from: start, &reached)
        }
        return found
    }

    /// Adds the ports that paths from a port come to.
    private func reach(from start: Int, _ reached: inout Set<Int>) {
        var waiting = successors[start].filter { reached.insert($0).inserted }
        while let port = waiting.popLast() {
            guard passes[port] else { continue }
            waiting += successors[port].filter { reached.insert($0).inserted }
        }
    }

    /// The other ports that pass on, each after all ports that it leads to, loops aside.
    private func finished(besides reached: Set<Int>) -> [Int] {
        var seen = reached
        var finished: [Int] = []
        for start in successors.indices where passes[start] && !successors[start].isEmpty {
            guard seen.insert(start).inserted else { continue }
            var steps = [(port: start, next: 0)]
            while let step = steps.last {
                guard step.next < successors[step.port].count else {
                    finished.append(step.port)
                    steps.removeLast()
                    continue
                }
                steps[steps.count - 1].next += 1
                let next = successors[step.port][step.next]
                if passes[next], seen.insert(next).inserted { steps.append((next, 0)) }
            }
        }
        return finished
    }

    /// The ports from which a path comes to a port.
    func sources(of port: Int) -> Set<Int> {
        var found: Set<Int> = []
        var waiting = predecessors[port].filter { found.insert($0).inserted }
        while let next = waiting.popLast() {
            guard passes[next] else { continue }
            waiting += predecessors[next].filter { found.insert($0).inserted }
        }
        return found
    }
}

extension GraphPort {
    /// Whether a person sees the port as a part of a path, and not as its begin or end: a filter of any app.
    fileprivate var isOnTheWay: Bool { kind == .filter && !isDevice && mayPassOn }
}

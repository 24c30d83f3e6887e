// SPDX-License-Identifier: MIT

/// The strongly connected components of a directed graph: nodes are in one component if each leads to the other.
///
/// R. Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972, without recursion: chains are long.
///
/// - Complexity: O(*n* + *m*) in the number of nodes and of edges.
struct StrongComponents {
    /// The component of each node. A component that leads to another one has the greater number.
    private(set) var component: [Int]
    /// All nodes, by their components.
    private(set) var order: [Int] = []

    private struct Step {
        var node: Int
        var edges: Range<Int>
    }

    /// - Parameters:
    ///   - edges: the edges of a node, as indexes into `targets`.
    ///   - targets: the node that each edge leads to.
    init(count: Int, edges: (Int) -> Range<Int>, targets: [Int]) {
        component = Array(repeating: -1, count: count)
        order.reserveCapacity(count)
        // The time of each node's discovery, from 1, and the earliest one that is reached from it.
        var found = [Int](repeating: 0, count: count)
        var earliest = found
        var open: [Int] = []
        var steps: [Step] = []
        var time = 0
        var last = 0
        for start in 0..<count where found[start] == 0 {
            steps.append(Step(node: start, edges: edges(start)))
            while let step = steps.last {
                let node = step.node
                if found[node] == 0 {
                    time += 1
                    found[node] = time
                    earliest[node] = time
                    open.append(node)
                }
                if let edge = step.edges.first {
                    steps[steps.count - 1].edges = step.edges.dropFirst()
                    let target = targets[edge]
                    if found[target] == 0 {
                        steps.append(Step(node: target, edges: edges(target)))
                    } else if component[target] < 0 {
                        earliest[node] = min(earliest[node], found[target])
                    }
                    continue
                }
                steps.removeLast()
                if let parent = steps.last?.node { earliest[parent] = min(earliest[parent], earliest[node]) }
                guard earliest[node] == found[node] else { continue }
                repeat {
                    component[open[open.count - 1]] = last
                    order.append(open.removeLast())
                } while order[order.count - 1] != node
                last += 1
            }
        }
    }
}

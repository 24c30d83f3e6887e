// SPDX-License-Identifier: MIT

/// The order in which PipeWire runs the two ends of each link, computed from the links and the order in which they were
/// made.
///
/// A link whose end can already reach its beginning is a *feedback* link: its end runs first and hears the last cycle.
///
/// The rule is that of `pw_impl_node_can_reach` up to 1.6, with its faults, so that PipeWire's behaviour can be
/// predicted. A node that a feedback link leads to is not visited again although another link leads there too. The
/// order that an old feedback link needs is not considered for new ones. Either fault can make nodes wait for each
/// other for ever; see ``isTangled``.
package struct LinkDirections: Sendable {
    package struct Link: Hashable, Sendable {
        package var from: Int
        /// Ports of one node are looked at in order.
        package var port: Int
        package var to: Int
        /// Computed by ``LinkDirections/add(from:port:to:)``.
        package fileprivate(set) var isFeedback = false
    }

    package private(set) var links: [Link] = []

    package init() {}

    /// Adds a link between two nodes.
    ///
    /// - Returns: whether it is a feedback link.
    @discardableResult
    package mutating func add(from: Int, port: Int = 0, to: Int) -> Bool {
        let isFeedback = isFeedback(from: from, to: to)
        links.append(Link(from: from, port: port, to: to, isFeedback: isFeedback))
        return isFeedback
    }

    /// Whether a link made now would be one.
    package func isFeedback(from: Int, to: Int) -> Bool {
        var checked: Set<Int> = []
        return canReach(from, from: to, checked: &checked, hop: 0)
    }

    package mutating func remove(where isMeant: (Link) -> Bool) { links.removeAll(where: isMeant) }

    /// Nodes wait for each other in a circle, and the graph stands still.
    package var isTangled: Bool {
        var nexts: [Int: Set<Int>] = [:]
        for link in links where link.from != link.to {
            nexts[link.isFeedback ? link.to : link.from, default: []].insert(link.isFeedback ? link.from : link.to)
        }
        var done: Set<Int> = []
        var onWay: Set<Int> = []
        func hasCircle(_ node: Int) -> Bool {
            if done.contains(node) { return false }
            guard onWay.insert(node).inserted else { return true }
            for next in nexts[node] ?? [] where hasCircle(next) { return true }
            onWay.remove(node)
            done.insert(node)
            return false
        }
        return nexts.keys.contains(where: hasCircle)
    }

    private func canReach(_ goal: Int, from node: Int, checked: inout Set<Int>, hop: Int) -> Bool {
        checked.insert(node)
        if node == goal { return true }
        guard hop < 32 else { return false }
        let outgoing = links.filter { $0.from == node }.enumerated()
            .sorted { ($0.element.port, $0.offset) < ($1.element.port, $1.offset) }.map(\.element)
        for link in outgoing {
            if link.isFeedback { checked.insert(link.to) } else { checked.remove(link.to) }
        }
        for link in outgoing where !checked.contains(link.to) {
            if canReach(goal, from: link.to, checked: &checked, hop: hop + 1) { return true }
        }
        return false
    }
}

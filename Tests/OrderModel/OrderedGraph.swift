// SPDX-License-Identifier: MIT
package import ConnectionGraph

/// A graph of an app's ports that are to run in an order, and of others, as PipeBus and PipeWire together make it. Pure: it
/// is how the rules are tried on more graphs than a daemon could be given.
package struct OrderedGraph: Sendable {
    /// PipeWire's rule, on nodes by number.
    package private(set) var directions = LinkDirections()
    package private(set) var order = PortOrder()
    private var numbers: [String: Int] = [:]

    /// The ports by which audio and the order go.
    private static let audio = 0
    private static let silent = 1

    package init() {}

    /// Ports of the app that are there.
    package var present: Set<String> { Set(numbers.keys) }

    /// Makes a port of the app, and the links that its order needs.
    ///
    /// - Parameter node: its number; those of nodes of other apps are others.
    package mutating func add(_ name: String, node: Int, after: [String]) throws(PortOrder.Fault) {
        try order.add(name, after: after)
        numbers[name] = node
        for pair in order.pairs(of: name, among: present) { keep(pair) }
    }

    package mutating func remove(_ name: String) {
        order.remove(name)
        guard let node = numbers.removeValue(forKey: name) else { return }
        directions.remove { $0.from == node || $0.to == node }
    }

    /// Links two nodes for audio, as another client does.
    package mutating func connect(_ from: Int, to: Int) { directions.add(from: from, port: Self.audio, to: to) }

    package mutating func disconnect(_ from: Int, from to: Int) {
        directions.remove { $0.from == from && $0.to == to && $0.port == Self.audio }
    }

    package func isConnected(_ from: Int, to: Int) -> Bool {
        directions.links.contains { $0.from == from && $0.to == to && $0.port == Self.audio }
    }

    /// Audio links that are a cycle late although no way leads back any more.
    package var stale: [(from: Int, to: Int)] {
        directions.links.filter {
            $0.isFeedback && $0.port == Self.audio && !directions.isFeedback(from: $0.from, to: $0.to)
        }
        .map { ($0.from, $0.to) }
    }

    /// Pairs of which the second does not run after the first.
    package var broken: [PortOrder.Pair] {
        present.flatMap { order.pairs(of: $0, among: present) }.filter { pair in
            guard let link = link(of: pair) else { return true }
            return link.isFeedback
        }
    }

    private func link(of pair: PortOrder.Pair) -> LinkDirections.Link? {
        directions.links.first {
            $0.port == Self.silent && $0.from == numbers[pair.before] && $0.to == numbers[pair.after]
        }
    }

    private mutating func keep(_ pair: PortOrder.Pair) {
        guard let before = numbers[pair.before], let after = numbers[pair.after] else { return }
        guard directions.add(from: before, port: Self.silent, to: after) else { return }
        directions.remove { $0.port == Self.silent && $0.from == before && $0.to == after }
        let earlier = Set(order.allBefore(pair.after, among: present).compactMap { numbers[$0] })
        let links = directions.links.map {
            AudioLoops.Link(id: ($0.from, $0.to), from: $0.from, to: $0.to, isAudio: $0.port == Self.audio)
        }
        let closing = AudioLoops.links(links, closingLoopsFrom: after, into: earlier)
        for (from, to) in closing { disconnect(from, from: to) }
        directions.add(from: before, port: Self.silent, to: after)
        for (from, to) in closing { connect(from, to: to) }
    }
}

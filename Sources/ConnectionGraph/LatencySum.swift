// SPDX-License-Identifier: MIT

/// Adds up the latencies of a graph's ports, each port after its sources.
struct LatencySum {
    private struct Edge {
        var age: UInt64
        var source: Int
        var destination: Int
    }

    private let ports: [GraphPort]
    /// The sources of each port, as places in `ports`, and its destinations that pass their input on.
    private var sources: [[Int]]
    private var dependents: [[Int]]
    /// The ports at which a loop ends: a source of theirs is left out.
    private var isBehindLoop: [Bool]
    private var leaving: [DeclaredLatency]

    init(_ graph: GraphSnapshot) {
        ports = graph.ports
        let places = Dictionary(uniqueKeysWithValues: ports.indices.lazy.map { [ports] in (ports[$0].id, $0) })
        sources = Array(repeating: [], count: ports.count)
        dependents = sources
        isBehindLoop = Array(repeating: false, count: ports.count)
        leaving = Array(repeating: .zero, count: ports.count)
        var edges: [Edge] = []
        for connection in graph.connections {
            guard let source = places[connection.source], let destination = places[connection.destination] else {
                continue
            }
            sources[destination].append(source)
            guard ports[destination].passesLatencyOn else { continue }
            dependents[source].append(destination)
            edges.append(Edge(age: connection.oldestSerial, source: source, destination: destination))
        }
        openLoops(edges)
        for place in order { leaving[place] = latency(leaving: place) }
    }

    var latencies: GraphLatencies {
        var (outgoing, arriving): ([GraphPort.ID: DeclaredLatency], [GraphPort.ID: DeclaredLatency]) = ([:], [:])
        for place in ports.indices {
            let port = ports[place]
            if !port.outputs.isEmpty { outgoing[port.id] = leaving[place] }
            arriving[port.id] = latency(arrivingAt: place)
        }
        return GraphLatencies(leaving: outgoing, arriving: arriving)
    }

    // MARK: Sums

    private func latency(arrivingAt place: Int) -> DeclaredLatency? {
        guard let first = sources[place].first else { return isBehindLoop[place] ? .incomplete : nil }
        let all = sources[place].dropFirst().reduce(leaving[first]) { $0.union(leaving[$1]) }
        return isBehindLoop[place] ? DeclaredLatency(frames: all.frames, isComplete: false) : all
    }

    private func latency(leaving place: Int) -> DeclaredLatency {
        let port = ports[place]
        guard let own = port.latency else {
            guard port.passesLatencyOn, let arriving = latency(arrivingAt: place) else { return .incomplete }
            return arriving.union(.incomplete)
        }
        let added = DeclaredLatency(frames: own...own, isComplete: true)
        guard port.passesLatencyOn, let arriving = latency(arrivingAt: place) else { return added }
        return arriving + added
    }

    // MARK: Order

    /// All ports, each after the sources that it depends on; without those in loops and behind them.
    private var order: [Int] {
        var missing = ports.indices.map { ports[$0].passesLatencyOn ? sources[$0].count : 0 }
        var order = ports.indices.filter { missing[$0] == 0 }
        var next = 0
        while next < order.count {
            for dependent in dependents[order[next]] {
                missing[dependent] -= 1
                if missing[dependent] == 0 { order.append(dependent) }
            }
            next += 1
        }
        return order
    }

    /// Leaves out each connection that closes a loop with older ones, as PipeWire's feedback links do.
    private mutating func openLoops(_ edges: [Edge]) {
        let component = components
        var kept = OpenedLoops(count: ports.count)
        for edge in edges.sorted(by: { $0.age < $1.age }) where component[edge.source] == component[edge.destination] {
            guard !kept.add(from: edge.source, to: edge.destination) else { continue }
            sources[edge.destination].removeAll { $0 == edge.source }
            dependents[edge.source].removeAll { $0 == edge.destination }
            isBehindLoop[edge.destination] = true
        }
    }

    /// The loops: a connection is part of one if both of its ports are in one component.
    private var components: [Int] {
        var first = [0]
        for next in dependents { first.append(first[first.count - 1] + next.count) }
        return StrongComponents(
            count: ports.count, edges: { first[$0]..<first[$0 + 1] }, targets: dependents.flatMap(\.self)
        ).component
    }
}

extension GraphPort {
    /// Whether the sound that leaves the port may be as old as what arrives.
    ///
    /// A device gives sound of its own, and at its monitors what it plays, where a path ends and another one begins.
    fileprivate var passesLatencyOn: Bool { kind == .filter && !isDevice && mayPassOn }
}

extension DeclaredLatency {
    /// That of a node that declares nothing.
    fileprivate static let incomplete = Self(frames: 0...0, isComplete: false)
}

// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Graphs of filters made with PipeBus, each stereo: four PipeWire ports.
struct FilterGraph {
    let snapshot: GraphSnapshot
    let ports: [GraphPort]

    /// - Parameter connections: from a filter to another one, by number.
    private init(_ count: Int, apps: Int, allowsSelf: Bool, _ connections: [(source: Int, destination: Int)]) {
        var builder = GraphBuilder()
        let clients = (0..<apps).map { builder.client("App\($0)", process: 1000 + $0) }
        let nodes = (0..<count).map { number in
            var properties = [
                PipeBusProperty.kind: "filter", PipeBusProperty.name: "filter\(number)",
                PipeBusProperty.order: "\(number)",
            ]
            if allowsSelf { properties[PipeBusProperty.allowsSelf] = "true" }
            return builder.node("App\(number % apps).filter\(number)", of: clients[number % apps], properties)
        }
        for (source, destination) in connections { builder.connect(nodes[source], to: nodes[destination]) }
        var reducer = GraphReducer()
        for event in builder.events { reducer.apply(event) }
        snapshot = reducer.takeSnapshot()
        ports = snapshot.ports.sorted { $0.id < $1.id }
    }

    /// Filters in series, of one app that allows connections to itself.
    static func chain(_ count: Int) -> FilterGraph {
        FilterGraph(count, apps: 1, allowsSelf: true, zip(0..<count, 1..<count).map { ($0, $1) })
    }

    /// Filters in series, each of an app of its own.
    static func chainOfApps(_ count: Int) -> FilterGraph {
        FilterGraph(count, apps: count, allowsSelf: false, zip(0..<count, 1..<count).map { ($0, $1) })
    }

    /// Each filter is connected to four others on average, at random.
    ///
    /// - Parameters:
    ///   - hasLoops: otherwise all connections lead to filters with a higher number.
    ///   - appSize: filters of each app. With more than one an app allows connections to itself.
    static func random(_ count: Int, hasLoops: Bool, appSize: Int = 1) -> FilterGraph {
        var numbers = SimpleRandom(seed: 7)
        let pairs = (0..<4 * count).compactMap { _ -> (source: Int, destination: Int)? in
            let (one, other) = (numbers.next(below: count), numbers.next(below: count))
            if hasLoops { return (one, other) }
            return one == other ? nil : (min(one, other), max(one, other))
        }
        return FilterGraph(count, apps: max(count / appSize, 1), allowsSelf: appSize > 1, pairs)
    }
}

/// The same numbers in each run.
struct SimpleRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// By the generator of D. Knuth's MMIX.
    mutating func next(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}

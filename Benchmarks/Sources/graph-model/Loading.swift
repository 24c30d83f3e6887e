// SPDX-License-Identifier: MIT
import BenchmarkSupport
import CBenchmarkHeap
import ConnectionGraph

/// A whole graph from its events: the time, the events in a second, and the memory.
struct Loading {
    private static let ports = 10_000

    static func run() {
        let events = LargeGraph.events(channels: ports)
        let small = LargeGraph.events(channels: ports / 10)
        loadTime(events)
        // To load ten small graphs takes as many events.
        Contest([loading("large", events), loading("a tenth", small)], rounds: 10)
            .report("an event, all of 10 000 ports and 20 000 links")
        Contest([storm("large", events), storm("a tenth", small)], rounds: 30)
            .report("an event of a random storm, 10 000 ports")
        memory(events)
    }

    private static func load(_ events: [GraphEvent]) -> GraphReducer {
        var reducer = GraphReducer()
        for event in events { reducer.apply(event) }
        keep(reducer.takeSnapshot().connections.count)
        return reducer
    }

    static func loading(_ name: String, _ events: [GraphEvent]) -> Contender {
        Contender(name, units: events.count) { count in for _ in 0..<count { _ = load(events) } }
    }

    private static func loadTime(_ events: [GraphEvent]) {
        let loading = loading("", events)
        let times = (0..<9).map { _ in loading.time(1) * Double(events.count) / 1e6 }.sorted()
        Figure("events to snapshot, 10 000 ports, 20 000 links", times[4], "ms", aim: 100).report()
        Figure("events a second, the same", Double(events.count) / times[4] * 1000, "").report()
    }

    /// Objects that come, go and change at random, with a snapshot after each hundred events, as when a burst is handled.
    private static func storm(_ name: String, _ events: [GraphEvent]) -> Contender {
        var reducer = load(events)
        var numbers = SimpleRandom(seed: 3)
        /// The objects that are gone now.
        var gone: [Int] = []
        return Contender(name, units: 100) { count in
            for _ in 0..<count {
                for _ in 0..<100 {
                    let index = numbers.next(below: events.count)
                    guard case .added(let id, let kind, _) = events[index] else { continue }
                    switch numbers.next(below: 4) {
                    case 0 where kind == .node:
                        reducer.apply(.properties(id: id, ["node.description": "Title \(index)"]))
                    case 0, 1:
                        reducer.apply(.removed(id: id))
                        gone.append(index)
                    default:
                        reducer.apply(events[gone.isEmpty ? index : gone.removeLast()])
                    }
                }
                keep(Int(truncatingIfNeeded: reducer.takeSnapshot().revision))
            }
        }
    }

    // MARK: Memory

    private static func memory(_ events: [GraphEvent]) {
        let before = heap_bytes()
        var reducer = GraphReducer()
        for event in events { reducer.apply(event) }
        let state = heap_bytes()
        let first = reducer.takeSnapshot()
        let all = heap_bytes()
        Figure("memory of reducer and snapshot", Double(all - before) / Double(ports), "B a port").report()
        Figure("the reducer's part, before a snapshot", Double(state - before) / Double(ports), "B a port").report()
        var kept = [first]
        kept.reserveCapacity(1001)
        let start = heap_bytes()
        let id = UInt32(events.count + 1)
        for index in 0..<1000 {
            if index.isMultiple(of: 2) {
                reducer.apply(
                    .added(
                        id: id, kind: .link,
                        properties: [
                            "object.serial": "\(2_000_000 + index)", "link.output.port": "3", "link.input.port": "5",
                        ]))
            } else {
                reducer.apply(.removed(id: id))
            }
            kept.append(reducer.takeSnapshot())
        }
        let perSnapshot = Double(heap_bytes() - start) / 1000
        Figure("memory of a snapshot that is kept over a link change", perSnapshot, "B").report()
        keep(kept.count)
    }
}

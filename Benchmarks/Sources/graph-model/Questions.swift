// SPDX-License-Identifier: MIT
import BenchmarkSupport
import ConnectionGraph
import Synchronization

/// The questions about a graph that look at all of it, in graphs ten times as large beside smaller ones: a call costs as much for each
/// port if it takes linear time.
struct Questions {
    private typealias Question = (name: String, ask: @Sendable (FilterGraph) -> Int)

    private static let questions: [Question] = [
        ("sourcesRecursive", { $0.snapshot.sourcesRecursive(of: $0.ports.last!.id).count }),
        ("destinationsRecursive", { $0.snapshot.destinationsRecursive(of: $0.ports[0].id).count }),
        (
            "wouldCloseLoop",
            { $0.snapshot.wouldCloseLoop(from: $0.ports.last!.id, to: $0.ports[0].id) == .no ? 0 : 1 }
        ),
        ("forbiddenReturns", { $0.snapshot.forbiddenReturns().count }),
        (
            "selfConnection",
            { graph in
                let middle = graph.ports.count / 2
                return graph.snapshot.selfConnection(from: graph.ports[middle - 1], to: graph.ports[middle]) == nil
                    ? 0 : 1
            }
        ),
        ("pipelines", { $0.snapshot.pipelines.count }),
        (
            "uniqueName of all ports",
            { graph in
                // A snapshot that has no lists yet.
                let fresh = graph.snapshot.connecting([])
                return fresh.ports.reduce(0) { $0 + fresh.uniqueName(of: $1).utf8.count }
            }
        ),
    ]

    /// - Parameter rounds: of each comparison.
    static func run(_ rounds: Int) {
        compare("a chain of 1000 filters", .chain(1000), .chain(100), rounds)
        compare("a chain of 1000 apps", .chainOfApps(1000), .chainOfApps(100), rounds, ["forbiddenReturns"])
        compare(
            "10 000 ports at random", .random(2500, hasLoops: false), .random(250, hasLoops: false), rounds,
            ["forbiddenReturns", "pipelines", "uniqueName of all ports"])
        compare(
            "10 000 ports with loops", .random(2500, hasLoops: true, appSize: 10),
            .random(250, hasLoops: true, appSize: 10), rounds,
            ["sourcesRecursive", "wouldCloseLoop", "forbiddenReturns"])
        let hostile = FilterGraph.random(2500, hasLoops: true)
        let cost = Contender("all", units: 1) { _ in keep(hostile.snapshot.forbiddenReturns().count) }
        Figure("forbiddenReturns, 2500 apps in forbidden loops", cost.time(1) / 1e6, "ms").report()
    }

    private static func compare(
        _ title: String, _ large: FilterGraph, _ small: FilterGraph, _ rounds: Int, _ names: Set<String> = []
    ) {
        for question in questions where names.isEmpty || names.contains(question.name) {
            func contender(_ name: String, _ graph: FilterGraph) -> Contender {
                Contender(name, units: graph.ports.count) { count in
                    for _ in 0..<count { keep(question.ask(graph)) }
                }
            }
            Contest([contender("large", large), contender("a tenth", small)], rounds: rounds)
                .report("\(question.name), \(title), a port")
        }
    }
}

private let checksum = Atomic<Int>(0)

/// Takes a result, so that the compiler leaves no work out.
func keep(_ value: Int) { checksum.wrappingAdd(value, ordering: .relaxed) }

// SPDX-License-Identifier: MIT
import BenchmarkSupport
import ConnectionGraph
import HashTreeCollections

/// What a graph costs, in one process, without a daemon.
///
///     graph-model ROUNDS [changes|loading|questions|recorded FILE]
@main
struct GraphModel {
    static func main() throws {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100
        let part = CommandLine.arguments.dropFirst(2).first
        if part == nil || part == "changes" {
            compareSizes(rounds)
            compareObservers(rounds)
            compareMaps(rounds)
        }
        if part == nil || part == "loading" { Loading.run() }
        if part == nil || part == "questions" { Questions.run(rounds / 10 + 1) }
        if part == "recorded", let path = CommandLine.arguments.last { try Recorded.run(path) }
    }

    private static func changes(_ name: String, channels: Int, observers: Int = 1) -> Contender {
        var graph = LargeGraph(channels: channels)
        return Contender(name) { count in for index in 0..<count { graph.change(link: index, observers: observers) } }
    }

    private static func compareSizes(_ rounds: Int) {
        let large = changes("10 000 ports", channels: 10_000)
        Contest(
            [
                large, changes("1 000 ports", channels: 1000),
                changes("100 ports", channels: 100),
            ], rounds: rounds
        )
        .report("a link change in 10 000 ports")
        let times = (0..<9).map { _ in large.time(2000) / 1000 }.sorted()
        Figure("a link change in 10 000 ports and 20 000 links", times[4], "µs", aim: 20).report()
    }

    /// For each observer.
    private static func compareObservers(_ rounds: Int) {
        var graph = LargeGraph(channels: 10_000)
        let hundred = Contender("100", units: 100) { count in
            for index in 0..<count { graph.change(link: index, observers: 100) }
        }
        Contest([hundred, changes("1", channels: 10_000)], rounds: rounds)
            .report("a link change for each of 100 observers")
    }

    /// A value is replaced while an earlier version of the map is kept.
    private static func compareMaps(_ rounds: Int) {
        let keys = (0..<20_000 as Range<UInt64>).map { 1000 + $0 * 3 }
        var ours = PersistentMap<Int>()
        var peer = TreeDictionary<UInt64, Int>()
        for key in keys {
            ours[key] = 0
            peer[key] = 0
        }
        var (ourEarlier, peerEarlier) = (ours, peer)
        Contest(
            [
                Contender("ours") { count in
                    for index in 0..<count {
                        ourEarlier = ours
                        ours[keys[index &* 7919 % keys.count]] = index
                    }
                },
                Contender("TreeDictionary") { count in
                    for index in 0..<count {
                        peerEarlier = peer
                        peer[keys[index &* 7919 % keys.count]] = index
                    }
                },
            ], rounds: rounds
        )
        .report("a change of a persistent map of 20 000")
        precondition(ourEarlier.count == peerEarlier.count)
    }
}

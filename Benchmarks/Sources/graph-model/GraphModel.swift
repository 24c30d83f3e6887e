// SPDX-License-Identifier: MIT
import BenchmarkSupport
import ConnectionGraph
import HashTreeCollections

/// What a change of the graph costs, in one process: in a large graph beside a small one, with many observers beside one, and the
/// persistent map beside that of swift-collections.
@main
struct GraphModel {
    static func main() {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100
        compareSizes(rounds)
        compareObservers(rounds)
        compareMaps(rounds)
    }

    private static func changes(_ name: String, channels: Int, observers: Int = 1) -> Contender {
        var graph = LargeGraph(channels: channels)
        return Contender(name) { count in for index in 0..<count { graph.change(link: index, observers: observers) } }
    }

    private static func compareSizes(_ rounds: Int) {
        Contest(
            [
                changes("10 000 ports", channels: 10_000), changes("1 000 ports", channels: 1000),
                changes("100 ports", channels: 100),
            ], rounds: rounds
        )
        .report("a link change in 10 000 ports")
    }

    /// For each observer.
    private static func compareObservers(_ rounds: Int) {
        var graph = LargeGraph(channels: 10_000)
        let hundred = Contender("100") { count in
            for index in 0..<max(count / 100, 1) { graph.change(link: index, observers: 100) }
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

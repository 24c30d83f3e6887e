// SPDX-License-Identifier: MIT
import PipeBus

/// The changes of mix levels from one request to the next. Pure.
struct LevelEvents {
    private var known: [WatchEdge: Source.Level] = [:]

    /// - Parameter levels: those of the receivers that have answered. Nothing is known of the others meanwhile.
    /// - Returns: the levels that have changed, and those of new connections that are not as those of a new source.
    mutating func changes(
        to levels: [GraphPort.ID: GraphFacts.Levels], in graph: GraphSnapshot
    ) -> [(edge: WatchEdge, level: Source.Level)] {
        var changes: [(edge: WatchEdge, level: Source.Level)] = []
        for (receiver, result) in levels.sorted(by: { $0.key < $1.key }) {
            for (source, level) in (try? result.get())?.sorted(by: { $0.key < $1.key }) ?? [] {
                let edge = WatchEdge(source: source, destination: receiver)
                let level = level.rounded
                if known.updateValue(level, forKey: edge) ?? Source.Level() != level { changes.append((edge, level)) }
            }
        }
        known = known.filter { graph.connection(from: $0.key.source, to: $0.key.destination) != nil }
        return changes
    }
}

// SPDX-License-Identifier: MIT
import PipeBus

/// All that the screen shows of the world, at one moment.
struct WatchData: Sendable {
    /// A port's share of the cycle, and its xruns since the command began.
    struct Figures: Equatable, Sendable {
        var load: Float?
        var xruns: Int
        var isStalled: Bool
    }

    /// The graph with its latencies and levels, unfiltered.
    var diagram: GraphDiagram
    /// The graph itself, for its rules.
    var graph: GraphSnapshot
    /// The ports by their serials.
    var ids: [UInt64: GraphPort.ID]
    /// The meters by the ids of the sources. A source without one is not measured at present.
    var meters: [GraphPort.ID: WatchMeter] = [:]
    var figures: [GraphPort.ID: Figures] = [:]
    /// The whole graph's share of the cycle.
    var load: Float?
    /// Whether the daemon measures its cycles.
    var isMeasured = true
    var xruns = 0
    /// Whose fault the last xrun was.
    var culprit: String?
    /// The reason why there is no graph; `nil` while there is one.
    var interruption: String?

    init(diagram: GraphDiagram, graph: GraphSnapshot) {
        self.diagram = diagram
        self.graph = graph
        ids = Dictionary(graph.ports.map { ($0.id.serial, $0.id) }) { first, _ in first }
    }

    /// - Parameter key: a ``GraphDiagram/Port/key``.
    func id(ofKey key: String) -> GraphPort.ID? {
        UInt64(key.drop { $0 == "n" }.prefix { $0.isNumber }).flatMap { ids[$0] }
    }
}

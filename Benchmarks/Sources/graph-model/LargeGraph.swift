// SPDX-License-Identifier: MIT
import ConnectionGraph

/// A graph of apps with stereo ports in chains, from the events of a daemon, and one link more that comes and goes.
struct LargeGraph {
    private(set) var reducer = GraphReducer()
    private var lastID: UInt32 = 0
    private var snapshot = GraphSnapshot.empty
    /// Later snapshots that observers keep.
    private var kept: [GraphSnapshot] = []
    private(set) var checksum = 0

    /// - Parameter channels: number of PipeWire ports: four for each node, which has two inputs and two outputs.
    init(channels: Int) {
        for event in Self.events(channels: channels) { reducer.apply(event) }
        lastID = UInt32(channels * 4)
        snapshot = reducer.takeSnapshot()
    }

    /// The events that announce the graph: an app for each ten nodes, and two links for each channel but the last.
    static func events(channels: Int) -> [GraphEvent] {
        var builder = GraphBuilder()
        var nodes: [GraphBuilder.Node] = []
        var client: UInt32 = 0
        for node in 0..<channels / 4 {
            if node.isMultiple(of: 10) { client = builder.client("App \(node / 10)", process: 1000 + node) }
            nodes.append(builder.node("App\(node / 10).port\(node)", of: client))
        }
        // Each node feeds the next two, all channels crossed as well: 2 links for each channel.
        for (node, source) in nodes.enumerated() {
            for next in 1...2 {
                let destination = nodes[(node + next) % nodes.count]
                for output in source.outputs { for input in destination.inputs { builder.link(output, input) } }
            }
        }
        return builder.events
    }

    /// A link comes or goes, and the graph is looked at, as observers do.
    ///
    /// - Parameter observers: each keeps the snapshot, and reads what has changed.
    mutating func change(link index: Int, observers: Int) {
        let id = lastID + 1
        if index.isMultiple(of: 2) {
            reducer.apply(
                .added(
                    id: id, kind: .link,
                    properties: [
                        "object.serial": "\(UInt64(id) + UInt64(index))", "link.output.port": "3",
                        "link.input.port": "5",
                    ]))
        } else {
            reducer.apply(.removed(id: id))
        }
        let next = reducer.takeSnapshot()
        kept.removeAll(keepingCapacity: true)
        for _ in 0..<observers {
            kept.append(next)
            checksum &+= next.difference(from: snapshot).connections.added.count
        }
        snapshot = next
    }
}

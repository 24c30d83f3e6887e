// SPDX-License-Identifier: MIT
import ConnectionGraph

/// A graph of apps with stereo ports in chains, from the events of a daemon, and one link more that comes and goes.
struct LargeGraph {
    private(set) var reducer = GraphReducer()
    private var lastID: UInt32 = 0
    private var outputs: [[UInt32]] = []
    private var inputs: [[UInt32]] = []
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
        var events: [GraphEvent] = []
        var id: UInt32 = 0
        func add(_ kind: GraphEvent.Kind, _ properties: [String: String]) -> UInt32 {
            id += 1
            let serial = ["object.serial": "\(id + 1000)"]
            events.append(.added(id: id, kind: kind, properties: properties.merging(serial) { $1 }))
            return id
        }
        var ends: [(outputs: [UInt32], inputs: [UInt32])] = []
        var client: UInt32 = 0
        for node in 0..<channels / 4 {
            if node.isMultiple(of: 10) {
                client = add(.client, ["application.name": "App \(node / 10)", "pipewire.sec.pid": "\(1000 + node)"])
            }
            let id = add(.node, ["node.name": "App\(node / 10).port\(node)", "client.id": "\(client)"])
            func channel(_ index: Int, _ direction: String) -> UInt32 {
                add(
                    .port,
                    [
                        "node.id": "\(id)", "port.id": "\(index)", "port.direction": direction,
                        "port.name": "\(direction)_\(index)", "format.dsp": "32 bit float mono audio",
                    ])
            }
            ends.append(((0..<2).map { channel($0, "out") }, (0..<2).map { channel($0, "in") }))
        }
        // Each node feeds the next two, all channels crossed as well: 2 links for each channel.
        for (node, source) in ends.enumerated() {
            for next in 1...2 {
                let destination = ends[(node + next) % ends.count]
                for output in source.outputs {
                    for input in destination.inputs {
                        _ = add(.link, ["link.output.port": "\(output)", "link.input.port": "\(input)"])
                    }
                }
            }
        }
        return events
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

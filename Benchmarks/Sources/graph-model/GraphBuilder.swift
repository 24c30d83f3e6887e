// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Makes the events with which a daemon announces apps, ports and links.
struct GraphBuilder {
    /// The channels of a node, by their global ids.
    struct Node {
        var outputs: [UInt32]
        var inputs: [UInt32]
    }

    private(set) var events: [GraphEvent] = []
    private(set) var lastID: UInt32 = 0

    static func serial(of id: UInt32) -> UInt64 { UInt64(id) + 1000 }

    private mutating func add(_ kind: GraphEvent.Kind, _ properties: [String: String]) -> UInt32 {
        lastID += 1
        let serial = ["object.serial": "\(Self.serial(of: lastID))"]
        events.append(.added(id: lastID, kind: kind, properties: properties.merging(serial) { $1 }))
        return lastID
    }

    mutating func client(_ name: String, process: Int) -> UInt32 {
        add(
            .client,
            ["application.name": name, "application.id": "org.example.\(name)", "pipewire.sec.pid": "\(process)"])
    }

    /// A node with two inputs and two outputs.
    mutating func node(_ name: String, of client: UInt32, _ properties: [String: String] = [:]) -> Node {
        let id = add(.node, ["node.name": name, "client.id": "\(client)"].merging(properties) { $1 })
        func channel(_ index: Int, _ direction: String) -> UInt32 {
            add(
                .port,
                [
                    "node.id": "\(id)", "port.id": "\(index)", "port.direction": direction,
                    "port.name": "\(direction)_\(index)", "format.dsp": "32 bit float mono audio",
                ])
        }
        return Node(outputs: (0..<2).map { channel($0, "out") }, inputs: (0..<2).map { channel($0, "in") })
    }

    mutating func link(_ output: UInt32, _ input: UInt32) {
        _ = add(.link, ["link.output.port": "\(output)", "link.input.port": "\(input)"])
    }

    /// Two stereo nodes, channel by channel.
    mutating func connect(_ source: Node, to destination: Node) {
        for (output, input) in zip(source.outputs, destination.inputs) { link(output, input) }
    }
}

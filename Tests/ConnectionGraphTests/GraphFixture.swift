// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Builds a graph from events as a daemon would send them.
struct GraphFixture {
    var reducer = GraphReducer()
    private var nextID: UInt32 = 10

    var snapshot: GraphSnapshot { reducer.snapshot }

    private mutating func add(_ kind: GraphEvent.Kind, _ properties: [String: String]) -> UInt32 {
        let id = nextID
        nextID += 1
        // Serials run ahead of ids, as they do after a while.
        reducer.apply(
            .added(id: id, kind: kind, properties: ["object.serial": "\(id + 1000)"].merging(properties) { $1 }))
        return id
    }

    mutating func client(_ name: String, id: String? = nil, extra: [String: String] = [:]) -> UInt32 {
        var properties = ["application.name": name, "pipewire.sec.pid": "4711"]
        if let id { properties["application.id"] = id }
        return add(.client, properties.merging(extra) { $1 })
    }

    mutating func node(
        _ name: String, client: UInt32? = nil, inputs: [String] = [], outputs: [String] = [],
        extra: [String: String] = [:]
    ) -> UInt32 {
        var properties = ["node.name": name]
        if let client { properties["client.id"] = "\(client)" }
        let node = add(.node, properties.merging(extra) { $1 })
        for (index, channel) in inputs.enumerated() { _ = port(channel, of: node, index: index, direction: "in") }
        for (index, channel) in outputs.enumerated() { _ = port(channel, of: node, index: index, direction: "out") }
        return node
    }

    mutating func port(
        _ name: String, of node: UInt32, index: Int, direction: String, extra: [String: String] = [:]
    ) -> UInt32 {
        add(
            .port,
            [
                "port.name": name, "node.id": "\(node)", "port.id": "\(index)", "port.direction": direction,
                "format.dsp": "32 bit float mono audio",
            ].merging(extra) { $1 })
    }

    mutating func pipeBusPort(
        _ kind: PortKind, _ name: String, client: UInt32, order: Int, inputs: [String] = [], outputs: [String] = [],
        laneWidth: Int? = nil
    ) -> UInt32 {
        var extra = [
            PipeBusProperty.kind: kind.rawValue, PipeBusProperty.name: name, PipeBusProperty.order: "\(order)",
        ]
        if let laneWidth { extra[PipeBusProperty.laneWidth] = "\(laneWidth)" }
        return node("App.\(name)", client: client, inputs: inputs, outputs: outputs, extra: extra)
    }

    mutating func link(_ output: UInt32, _ input: UInt32) -> UInt32 {
        add(.link, ["link.output.port": "\(output)", "link.input.port": "\(input)"])
    }

    func port(_ nodeName: String) -> GraphPort? { snapshot.ports.first { $0.nodeName == nodeName } }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport

/// A graph in words, from the library or from `pw-dump`, to compare the two.
struct DumpedGraph: Equatable, CustomStringConvertible {
    /// Each node with its channels: "serial medium direction: names in order".
    var channels: Set<String> = []
    /// Each connection of a medium, as "medium serial > serial: output-input …" with names of channels.
    var connections: Set<String> = []

    var description: String { (channels.sorted() + connections.sorted()).joined(separator: "\n") }

    init(_ graph: GraphSnapshot) {
        for port in graph.ports {
            for medium in Medium.allCases {
                for (direction, channels) in [("in", port.inputs(of: medium)), ("out", port.outputs(of: medium))]
                where !channels.isEmpty {
                    let names = channels.map(\.name).joined(separator: " ")
                    self.channels.insert("\(port.id.serial) \(medium) \(direction): \(names)")
                }
            }
        }
        for medium in Medium.allCases {
            for connection in graph.connections(of: medium) {
                guard let source = graph.port(connection.source), let destination = graph.port(connection.destination)
                else { continue }
                let links = connection.links.map {
                    "\(source.outputs(of: medium)[$0.output].name)-\(destination.inputs(of: medium)[$0.input].name)"
                }
                insert(medium, "\(source.id.serial)", "\(destination.id.serial)", links)
            }
        }
    }

    init(_ dump: GraphDump) {
        let nodes = Dictionary(dump.objects.filter { $0.type == "Node" }.map { ("\($0.id)", $0) }) { first, _ in first }
        var ports: [String: (serial: String, medium: Medium, name: String, isInput: Bool, order: Int)] = [:]
        for port in dump.objects where port.type == "Port" {
            guard let node = port.properties["node.id"].flatMap({ nodes[$0] }), let serial = node.serial,
                let name = port.properties["port.name"], let order = port.properties["port.id"].flatMap({ Int($0) })
            else { continue }
            let format = port.properties["format.dsp"] ?? "audio"
            // A port that keeps an order is for nobody to see.
            guard format != "8 bit raw control" else { continue }
            let medium: Medium = format.contains("midi") || format.contains("UMP") ? .midi : .audio
            ports["\(port.id)"] = (serial, medium, name, port.properties["port.direction"] == "in", order)
        }
        for (_, group) in Dictionary(
            grouping: ports.values, by: { "\($0.serial) \($0.medium) \($0.isInput ? "in" : "out")" })
        {
            let names = group.sorted { $0.order < $1.order }.map(\.name).joined(separator: " ")
            channels.insert("\(group[0].serial) \(group[0].medium) \(group[0].isInput ? "in" : "out"): \(names)")
        }
        var links: [String: [String]] = [:]
        for link in dump.objects where link.type == "Link" {
            guard let output = link.properties["link.output.port"].flatMap({ ports[$0] }),
                let input = link.properties["link.input.port"].flatMap({ ports[$0] })
            else { continue }
            links["\(output.medium) \(output.serial) \(input.serial)", default: []].append(
                "\(output.name)-\(input.name)")
        }
        for (ends, links) in links {
            let words = ends.split(separator: " ").map(String.init)
            insert(Medium(rawValue: words[0])!, words[1], words[2], links)
        }
    }

    private mutating func insert(_ medium: Medium, _ source: String, _ destination: String, _ links: [String]) {
        connections.insert("\(medium) \(source) > \(destination): \(links.sorted().joined(separator: " "))")
    }
}

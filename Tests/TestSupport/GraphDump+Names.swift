// SPDX-License-Identifier: MIT

extension GraphDump {
    /// Everything there is by its name, for comparing two graphs whose numbers differ. Sorted.
    package var names: [String] {
        let byID = Dictionary(objects.map { ($0.id, $0) }) { first, _ in first }
        func name(of id: String?) -> String { id.flatMap { Int($0) }.flatMap { byID[$0] }.map(portName) ?? "?" }
        func portName(_ port: Object) -> String {
            let node = port.properties["node.id"].flatMap { Int($0) }.flatMap { byID[$0] }
            return "\(node?.properties["node.name"] ?? "?"):\(port.properties["port.name"] ?? "?")"
        }
        return objects.map { object in
            let properties = object.properties
            return switch object.type {
            case "Node": "Node \(properties["node.name"] ?? "?")"
            case "Port": "Port \(portName(object))"
            case "Link":
                "Link \(name(of: properties["link.output.port"])) "
                    + Self.withoutLane(name(of: properties["link.input.port"]))
            case "Client": "Client \(properties["application.name"] ?? "?")"
            case "Metadata": "Metadata \(Self.withoutNumbers(properties["metadata.name"] ?? "?"))"
            default: object.type
            }
        }.sorted()
    }

    /// A source takes the first free lane: which one, depends on the order in which sources come.
    private static func withoutLane(_ name: String) -> String { name.replacing(/:input_\d+_/, with: ":input_") }

    /// Our metadata objects are numbered by process and session.
    private static func withoutNumbers(_ name: String) -> String {
        name.split(separator: ".").filter { Int($0) == nil }.joined(separator: ".")
    }
}

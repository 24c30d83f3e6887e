// SPDX-License-Identifier: MIT
import SeededRandom

@testable import ConnectionGraph

/// Objects of a daemon, chosen at random, and the events that announce them in any order.
struct RandomGraph {
    struct Object {
        var id: UInt32
        var kind: GraphEvent.Kind
        var properties: [String: String]

        var added: GraphEvent { .added(id: id, kind: kind, properties: properties) }
    }

    var random: SeededGenerator
    private(set) var objects: [Object] = []
    private var lastSerial = 0

    init(seed: UInt64, clients: Int = 4, nodes: Int = 8, channels: Int = 24, links: Int = 30) {
        random = SeededGenerator(seed: seed)
        for _ in 0..<clients { add(.client) { _ in [:] } }
        for _ in 0..<nodes { add(.node) { $0.nodeProperties() } }
        for _ in 0..<channels { add(.port) { $0.channelProperties() } }
        for _ in 0..<links { add(.link) { $0.linkProperties() } }
    }

    private mutating func add(_ kind: GraphEvent.Kind, _ properties: (inout Self) -> [String: String]) {
        lastSerial += Int.random(in: 1...40, using: &random)
        let own = ["object.serial": "\(lastSerial)", "application.name": "app \(lastSerial)"]
        let new = properties(&self).merging(own) { $1 }
        objects.append(Object(id: UInt32(objects.count + 1), kind: kind, properties: new))
    }

    private mutating func anyID(_ kind: GraphEvent.Kind) -> String {
        let known = objects.filter { $0.kind == kind }.map(\.id)
        // One in twenty does not exist.
        let isMissing = Int.random(in: 0..<20, using: &random) == 0
        return "\(isMissing ? 9999 : known.randomElement(using: &random) ?? 9999)"
    }

    private mutating func nodeProperties() -> [String: String] {
        var properties = ["node.name": "node \(objects.count)"]
        if Bool.random(using: &random) { properties["client.id"] = anyID(.client) }
        if Int.random(in: 0..<4, using: &random) == 0 { properties["media.class"] = "Video/Source" }
        if Bool.random(using: &random) {
            properties[PipeBusProperty.kind] = PortKind.allCases.randomElement(using: &random)!.rawValue
            properties[PipeBusProperty.order] = "\(Int.random(in: 0..<3, using: &random))"
        }
        return properties
    }

    private mutating func channelProperties() -> [String: String] {
        let formats = [
            nil, "32 bit float mono audio", "32 bit float mono audio", "8 bit raw midi", "32 bit raw UMP",
            "32 bit float RGBA video", OrderPort.format,
        ]
        var properties = [
            "node.id": anyID(.node), "port.direction": Bool.random(using: &random) ? "in" : "out",
            "port.id": "\(Int.random(in: 0..<4, using: &random))", "port.name": "channel \(objects.count)",
        ]
        properties["format.dsp"] = formats.randomElement(using: &random)!
        return properties
    }

    private mutating func linkProperties() -> [String: String] {
        ["link.output.port": anyID(.port), "link.input.port": anyID(.port)]
    }

    /// The events that lead to these objects: in a random order, some twice, with late properties, and with others that come and go,
    /// some under an id that is used later.
    mutating func events() -> [GraphEvent] {
        var perID = objects.map { object -> [GraphEvent] in
            var own: [GraphEvent] = []
            if Int.random(in: 0..<4, using: &random) == 0 {
                own = [passing(as: object.id), .removed(id: object.id)]
                if Bool.random(using: &random) { own.removeLast() }
            }
            own.append(object.added)
            if Int.random(in: 0..<4, using: &random) == 0 { own.append(object.added) }
            if object.kind != .port, Bool.random(using: &random) {
                own.append(.properties(id: object.id, object.properties))
            }
            return own
        }
        perID += (0..<10).map { index in
            let id = UInt32(2000 + index)
            return [passing(as: id), .removed(id: id), .removed(id: id)]
        }
        var all: [GraphEvent] = []
        while !perID.isEmpty {
            let index = Int.random(in: 0..<perID.count, using: &random)
            all.append(perID[index].removeFirst())
            if perID[index].isEmpty { perID.remove(at: index) }
        }
        return all
    }

    /// An object of any kind that is to be gone again.
    private mutating func passing(as id: UInt32) -> GraphEvent {
        var object = objects.randomElement(using: &random)!
        object.properties["object.serial"] = "\(Int.random(in: 1_000_000..<10_000_000, using: &random))"
        return .added(id: id, kind: object.kind, properties: object.properties)
    }

    // MARK: A reference

    private func medium(of channel: Object, at node: Object) -> Medium? {
        switch channel.properties["format.dsp"] {
        case nil: node.properties["media.class"] == "Video/Source" ? .video : .audio
        case "32 bit float mono audio": .audio
        case "8 bit raw midi", "32 bit raw UMP": .midi
        case "32 bit float RGBA video": .video
        default: nil
        }
    }

    /// The channels of each node that has some, in order, by their ids, for each medium and direction.
    var channelsOfNodes: [UInt32: [String: [UInt32]]] {
        var found: [UInt32: [String: [UInt32]]] = [:]
        for node in objects where node.kind == .node {
            let own = objects.filter { $0.kind == .port && $0.properties["node.id"] == "\(node.id)" }
                .sorted { (Int($0.properties["port.id"]!)!, $0.id) < (Int($1.properties["port.id"]!)!, $1.id) }
            for channel in own {
                guard let medium = medium(of: channel, at: node) else { continue }
                found[node.id, default: [:]]["\(medium) \(channel.properties["port.direction"]!)", default: []]
                    .append(channel.id)
            }
        }
        return found
    }

    /// Each connection as "medium source > destination: output-input …", with ids of nodes and places of channels.
    var connections: Set<String> {
        let channels = channelsOfNodes
        var found: [String: [(Int, Int, Int)]] = [:]
        for link in objects where link.kind == .link {
            let serial = Int(link.properties["object.serial"]!)!
            guard let output = UInt32(link.properties["link.output.port"]!),
                let input = UInt32(link.properties["link.input.port"]!)
            else { continue }
            for (from, source) in channels {
                for (to, destination) in channels {
                    for medium in Medium.allCases {
                        guard let one = source["\(medium) out"]?.firstIndex(of: output),
                            let other = destination["\(medium) in"]?.firstIndex(of: input)
                        else { continue }
                        found["\(medium) \(from) > \(to)", default: []].append((one, other, serial))
                    }
                }
            }
        }
        return Set(
            found.map { ends, links in
                "\(ends): \(links.sorted(by: <).map { "\($0.0)-\($0.1)" }.joined(separator: " "))"
            })
    }
}

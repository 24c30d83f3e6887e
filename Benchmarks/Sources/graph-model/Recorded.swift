// SPDX-License-Identifier: MIT
import BenchmarkSupport
import ConnectionGraph
import Foundation

/// The events with which a daemon announces its graph, from what `pw-dump` has written.
struct Recorded {
    static func run(_ path: String) throws {
        let events = try read(path)
        let loading = Loading.loading("", events)
        let times = (0..<9).map { _ in loading.time(1) * Double(events.count) / 1e6 }.sorted()
        let name = "events to snapshot, \(events.count) objects of the daemon"
        Figure(name, times[4], "ms", aim: 100).report()
    }

    private static func read(_ path: String) throws -> [GraphEvent] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let objects = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
        return objects.compactMap { object in
            guard let id = object["id"] as? Int, let type = (object["type"] as? String)?.split(separator: ":").last,
                let properties = (object["info"] as? [String: Any])?["props"] as? [String: Any]
            else { return nil }
            let kind: GraphEvent.Kind =
                switch type {
                case "Client": .client
                case "Node": .node
                case "Port": .port
                case "Link": .link
                default: .other
                }
            return .added(id: UInt32(id), kind: kind, properties: properties.mapValues { "\($0)" })
        }
    }
}

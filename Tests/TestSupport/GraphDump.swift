// SPDX-License-Identifier: MIT
import Foundation
package import PipeBusTesting
import XCTest

/// The graph in `pw-dump`, which does not know PipeBus.
package struct GraphDump: Sendable {
    package struct Object: Hashable, Sendable {
        package let type: String
        package let id: Int
        package let properties: [String: String]

        package var serial: String? { properties["object.serial"] }
    }

    package let objects: [Object]

    package static func take(
        _ daemon: HeadlessPipeWire, client: PipeWireInstallation = .system
    ) async throws -> GraphDump {
        // That of 0.3.65 may wait for ever if objects go while it asks about them.
        for _ in 0..<3 {
            let tool = try daemon.run("pw-dump", client: client, keepsWholeOutput: true)
            if (try? await tool.waitForEnd(within: .seconds(5))) != nil { return try await take(from: tool) }
        }
        return try await take(from: try daemon.run("pw-dump", client: client, keepsWholeOutput: true))
    }

    /// - Parameter tool: a `pw-dump` that was started.
    package static func take(from tool: ChildProcess) async throws -> GraphDump {
        try await tool.waitForEnd()
        // 1.4 writes a parameter that it has no name for, of a client with an older library, as an array without a key.
        // What goes while it writes comes in a list of its own, without a type.
        let text = tool.output.text.replacing(/\],\s*\[\s*\](?=\s*\})/, with: "]").replacing("\n]\n[", with: ",")
        let data = Data(text.utf8)
        let json: Any
        do { json = try JSONSerialization.jsonObject(with: data) } catch {
            throw TestKitError("pw-dump wrote something else than JSON: \(error)\n\(text)")
        }
        let list = try XCTUnwrap(json as? [[String: Any]], "pw-dump gave no list")
        let gone = Set(list.filter { $0["type"] == nil }.compactMap { $0["id"] as? Int })
        return GraphDump(
            objects: list.compactMap(Object.init).filter {
                $0.properties["application.name"] != "pw-dump" && !gone.contains($0.id)
            })
    }

    package func nodes(named name: String) -> [Object] {
        objects.filter { $0.type == "Node" && $0.properties["node.name"] == name }
    }

    package func channelCount(of node: Object) -> Int {
        objects.count { $0.type == "Port" && $0.properties["node.id"] == "\(node.id)" }
    }

    /// Everything there is, for comparing two moments.
    package var inventory: Set<String> {
        Set(objects.map { "\($0.type) \($0.id) \($0.properties["object.serial"] ?? "")" })
    }
}

extension GraphDump.Object {
    fileprivate init?(_ object: [String: Any]) {
        guard let type = object["type"] as? String, let id = object["id"] as? Int else { return nil }
        let info = object["info"] as? [String: Any]
        let properties = (info?["props"] ?? object["props"]) as? [String: Any] ?? [:]
        self.init(
            type: String(type.split(separator: ":").last ?? ""), id: id, properties: properties.mapValues { "\($0)" })
    }
}

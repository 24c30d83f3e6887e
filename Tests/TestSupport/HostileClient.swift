// SPDX-License-Identifier: MIT
package import PipeBusTesting

/// A `hostile-client`: it links other apps' ports, or requests values of them or of their nodes, as fast as the daemon takes it. See
/// Tests/HostileClient.
package struct HostileClient: Sendable {
    package let process: ChildProcess

    /// One that links every output of a node to every input of another one, and removes the links.
    package static func links(from source: String, to destination: String, on daemon: HeadlessPipeWire) async throws
        -> HostileClient
    {
        try await start(["links", source, destination], daemon)
    }

    /// One that requests values of a metadata object. A `#` in the key and in the value becomes a number that increases.
    package static func requests(
        of object: String, key: String, value: String, on daemon: HeadlessPipeWire
    ) async throws -> HostileClient {
        try await start(["metadata", object, key, value], daemon)
    }

    /// One that sets the properties (Props) of a node.
    package static func properties(of node: String, on daemon: HeadlessPipeWire) async throws -> HostileClient {
        try await start(["params", node], daemon)
    }

    private static func start(_ arguments: [String], _ daemon: HeadlessPipeWire) async throws -> HostileClient {
        let process = try ChildProcess(
            Programs.path(of: "hostile-client"), arguments, environment: daemon.environment())
        try await process.nextLine { $0 == "ready" }
        return HostileClient(process: process)
    }

    /// Goes on for a time.
    ///
    /// - Returns: the number of links or requests.
    @discardableResult
    package func flood(for duration: Duration) async throws -> Int {
        process.send("flood \(Int(duration / .milliseconds(1)))")
        let line = try await process.nextLine(within: duration + .seconds(120)) { $0.hasPrefix("done ") }
        return Int(line.dropFirst("done ".count)) ?? 0
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Calls with a port of the graph that has gone since: the error names it.
final class GonePortTests: ToolTestCase {
    func testTheErrorNamesThePort() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source("pad", of: .counting, channels: .stereo)
        let (receiver, _) = try await bus.keeper(channels: .stereo)
        let other = try await connectClient(to: daemon.remote)
        _ = try await other.filter("echo", state: ()) { _, _, _, _ in }
        try await eventually("the filter") { await bus.graph.ports.contains { $0.name == "echo" } }
        let found = await bus.graph.ports.first { $0.name == "echo" }
        let filter = try XCTUnwrap(found)
        try await bus.connect(source, to: receiver)
        await other.close()
        try await eventually("its end") { await bus.graph.port(filter.id) == nil }
        let calls: [(String, @Sendable () async throws -> Void)] = [
            ("insert", { _ = try await bus.insert(filter, from: source, to: receiver) }),
            ("takeOut", { _ = try await bus.takeOut(filter) }),
            ("replace", { _ = try await bus.replace(source, at: receiver, with: filter) }),
            ("connect", { _ = try await bus.connect(source, to: filter) }),
            ("path", { _ = try await bus.connect(through: [source, filter, receiver]) }),
            ("disconnect", { try await bus.disconnect(source, from: filter) }),
            ("bypass", { try await bus.setBypassed(true, of: filter) }),
            ("isBypassed", { _ = try await bus.isBypassed(filter) }),
            ("levels", { _ = try await bus.levels(at: filter) }),
            ("level", { _ = try await bus.level(of: filter, at: receiver) }),
            ("id", { try await bus.disconnect(source.graphID ?? filter.id, from: filter.id) }),
            ("bypass of an id", { try await bus.setBypassed(true, of: filter.id) }),
            ("flow", { try await bus.waitUntilFlowing(from: source, to: filter) }),
        ]
        for (name, call) in calls {
            do {
                try await call()
                XCTFail(name)
            } catch let error as PipeBusError {
                XCTAssertEqual(error.code, .unknownPort, "\(name): \(error)")
                XCTAssertEqual(error.message, "\(filter.nodeName) is not in the graph any more.", name)
            }
        }
    }
}

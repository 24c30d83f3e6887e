// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// The changes that an app is told, against a real daemon.
final class GraphChangesTests: BusTestCase {
    func testChangesOneByOneGiveTheGraph() async throws {
        let stage = try await Stage.start()
        let client = stage.taker
        let followed = Mutex(GraphSnapshot.empty)
        let reader = Task {
            for await change in client.graphChanges { followed.withLock { $0 = $0.applying(change) } }
        }
        let receiver = try await stage.taker.receiver("in", state: ()) { _, _, _ in }
        let sender = try await stage.sender("out") { _, _ in 0.5 }
        try await stage.taker.connect(sender, to: receiver)
        try await stage.taker.disconnect(sender, from: receiver)
        await sender.close()
        let other = try await stage.sender("other") { _, _ in 0.5 }
        try await stage.taker.connect(other, to: receiver)
        try await eventually("the changes to lead to the graph") {
            let graph = await client.graph
            return followed.withLock { $0 } == graph && graph.ports.count == 2
        }
        XCTAssertEqual(followed.withLock { $0.connections.map(\.source) }, [try XCTUnwrap(other.id)])
        try await stage.close()
        // It ends with the client.
        await reader.value
    }
}

// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// The base of tests of the decisions for a routing.
class RoutingPlanTestCase: XCTestCase {
    func state(_ world: RoutingWorld, _ index: Int = 0) -> RoutingStatus.State? {
        world.status.connections.first { $0.index == index }?.state
    }

    func world(_ connections: String...) throws -> RoutingWorld {
        try RoutingWorld(connections.map { try RoutingConnection($0) })
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Sound that goes round in a circle is as old as it was when it first came by, and one cycle more where PipeWire holds it
/// back for that.
final class LatencyLoopTests: BusTestCase {
    private typealias Scene = LoopScene

    /// All orders in which the links can be made. Which of the two that make the circle comes later decides which of them
    /// is a cycle late.
    private var orders: [[Scene.Step]] {
        func permutations(_ steps: [Scene.Step]) -> [[Scene.Step]] {
            guard steps.count > 1 else { return [steps] }
            return steps.flatMap { first in permutations(steps.filter { $0 != first }).map { [first] + $0 } }
        }
        return permutations(Scene.Step.allCases)
    }

    private func check(_ order: [Scene.Step], installation: PipeWireInstallation) async throws {
        let scene = try await Scene.start(installation: installation)
        let what = "\(order.map(\.rawValue))"
        let (s, a, b) = Scene.latencies
        let log = await UpdateLog(scene.receiver)
        for step in order { try await scene.make(step) }
        let isForthLate = order.firstIndex(of: .forth)! > order.firstIndex(of: .back)!
        let added = isForthLate ? Scene.cycle : 0
        // Cycles count in frames once one has been seen.
        try await scene.graph.step([(Scene.cycle, 1)])
        try await scene.expectLatency(s + a + b + added, "\(what), made")
        var age = try await scene.heardAge()
        XCTAssertEqual(age, s + a + b + added, "\(what), heard")
        let most = log.all.flatMap(\.sources).map(\.latency.frames).max() ?? 0
        XCTAssertLessThanOrEqual(most, s + a + b + added, "\(what), on the way")
        // A link that is late stays so when the circle is broken.
        try await scene.undo(.back)
        try await scene.expectLatency(s + a + b + added, "\(what), undone")
        age = try await scene.heardAge()
        XCTAssertEqual(age, s + a + b + added, "\(what), undone and heard")
        try await scene.make(.back)
        try await scene.expectLatency(s + a + b + added, "\(what), made again")
        // A change anywhere.
        try await scene.sender.setLatency(1000)
        try await scene.expectLatency(1000 + a + b + added, "\(what), another sender's latency")
        try await scene.first.setLatency(2000)
        try await scene.expectLatency(3000 + b + added, "\(what), another latency of the first")
        try await scene.second.setLatency(20)
        try await scene.expectLatency(3020 + added, "\(what), another latency of the second")
        try await scene.undo(.back)
        try await scene.first.setLatency(10)
        try await scene.expectLatency(1030 + added, "\(what), changed while undone")
        try await scene.make(.back)
        try await scene.expectLatency(1030 + added, "\(what), made again")
        try await scene.undo(.forth)
        try await scene.expectLatency(20, "\(what), cut off")
        try await scene.make(.forth)
        try await scene.expectLatency(1030 + added, "\(what), forth made again")
        try await scene.close()
    }

    func testATwoFilterLoop() async throws {
        for order in orders { try await check(order, installation: .chosen) }
    }

    func testANewerDaemonsLoop() async throws {
        let newer = try PipeWireInstallation.newer()
        for order in orders.shuffled().prefix(8) { try await check(order, installation: newer) }
    }
}

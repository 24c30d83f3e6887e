// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// An app with several ports, of which one is connected and disconnected again and again: the others go on.
final class IndependentPortsTests: BusTestCase {
    func testTheOthersMissNoCycle() async throws {
        try await check(installation: .chosen)
    }

    func testTheOthersMissNoCycleWithADaemonOf14() async throws {
        try await check(installation: try PipeWireInstallation.newer())
    }

    private func check(installation: PipeWireInstallation) async throws {
        let stage = try await Stage.start(installation: installation)
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: stage.graph.remote, allowsConnectionsToSelf: true)
        let sender = try await app.sender("out", state: ()) { _, _, _ in }
        let filter = try await app.filter("fx", after: ["out"], state: ()) { _, _, _, _ in }
        let receiver = try await app.receiver("in", fade: .none, after: ["fx"], state: ()) { _, _, _ in }
        let restless = try await app.sender("restless", after: ["in"], state: ()) { _, _, _ in }
        let sink = try await stage.taker.receiver("sink", fade: .none, state: ()) { _, _, _ in }
        try await app.connect(sender, to: filter)
        try await app.connect(filter, to: receiver)
        try await stage.graph.step([(64, 3)])
        let ports: [LocalPort] = [sender, filter, receiver]
        var before: [UInt64] = []
        for port in ports { before.append(try await port.statistics.cycles) }
        for round in 0..<50 {
            try await stage.taker.connect(restless.nodeName, to: sink)
            try await stage.graph.step([(round.isMultiple(of: 2) ? 64 : 256, 3)])
            try await stage.taker.disconnect(restless.nodeName, from: sink)
            try await stage.graph.step([(64, 2)])
        }
        for (port, before) in zip(ports, before) {
            let statistics = try await port.statistics
            XCTAssertEqual(statistics.cycles, before + 250, port.name)
            XCTAssertEqual(statistics.missedFrames, 0, port.name)
        }
        let statistics = try await restless.statistics
        XCTAssertEqual(statistics.missedFrames, 0)
        XCTAssertGreaterThanOrEqual(statistics.cycles, 100)
        await app.close()
        try await stage.close()
    }
}

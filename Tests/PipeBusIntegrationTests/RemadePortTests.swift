// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Another program destroys a port's node, again and again.
final class RemadePortTests: DaemonTestCase {
    /// A port that runs between any two looks at it does not stand still, though its node is another one each time.
    func testItDoesNotStandStill() async throws {
        let daemon = try await startDaemon(.init(quantum: 1024))
        let giver = try await BusClient.connect(
            as: "org.pipebus.giver", name: "Giver", remote: daemon.remote, allowsConnectionsToSelf: true)
        let taker = try await BusClient.connect(
            as: "org.pipebus.taker", name: "Taker", remote: daemon.remote, allowsConnectionsToSelf: true)
        let notices = NoticeLog(giver.notices)
        let sender = try await giver.sender("out", channels: .mono, state: ()) { _, _, _ in }
        let receiver = try await taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        try await taker.connect("Giver", to: receiver)
        // Younger connections of others are not made again.
        let connected = ContinuousClock.now
        try await eventually("some time to pass") { connected.duration(to: .now) > .milliseconds(1500) }
        let start = ContinuousClock.now
        // One that is removed more often within ten seconds is not made again.
        for number in 1...5 {
            try await eventually("half a second") { start.duration(to: .now) > .milliseconds(550) * number }
            let old = sender.graphID
            let cycles = try await sender.statistics.cycles
            try await daemon.destroyNode(named: "Giver.out")
            try await eventually("the sender to be there again") { sender.graphID != nil && sender.graphID != old }
            try await eventually("cycles") { try await sender.statistics.cycles > cycles }
        }
        XCTAssertFalse(notices.all.contains { $0.kind == .graphStandsStill })
        await giver.close()
        await taker.close()
    }
}

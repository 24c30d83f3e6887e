// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The stepper changes the graph only between cycles.
///
/// In a graph that runs, a receiver of 1.4 waits for a source from the moment at which the daemon makes their link, and
/// the source signals it only after it has heard of the link. A cycle in between is lost.
final class ConnectWhileSteppingTests: BusTestCase {
    func testARunningSourceIsConnectedWithoutALoss() async throws { try await check(.chosen) }
    func testARunningSourceIsConnectedWithoutALossOn14() async throws { try await check(try .newer()) }

    private func check(_ installation: PipeWireInstallation) async throws {
        let stage = try await Stage.start(installation: installation)
        let receiver = try await stage.taker.receiver("in", lanes: 9, state: ()) { _, _, _ in }
        // The nodes of an app run together, whether they are connected or not.
        var senders: [SenderPort] = []
        for number in 0..<9 { senders.append(try await stage.sender("out\(number)") { _, _ in 0.1 }) }
        try await stage.taker.connect(senders[0], to: receiver)
        for sender in senders.dropFirst() {
            // At rest, so that the first of the cycles begins at once.
            try await stage.graph.settle()
            try await stage.step(64, cycles: 300)
            try await stage.stepping(64, cycles: 100) { try await stage.taker.connect(sender, to: receiver) }
        }
        let statistics = try await receiver.statistics
        XCTAssertEqual(statistics.missedFrames, 0)
        try await stage.close()
    }
}

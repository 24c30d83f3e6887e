// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Two processes of one app, over restarts of the daemon: other apps know them by the names that they had.
final class TwinReconnectTests: DaemonTestCase {
    func testEachKeepsItsName() async throws { try await restart(.chosen) }
    func testEachKeepsItsNameOnANewerPipeWire() async throws { try await restart(.newer()) }

    private func restart(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let loud = try await Peer.start("Twin", on: daemon)
        let first = try await loud.addSender("out", .constant(0.5))
        let quiet = try await Peer.start("Twin", on: daemon)
        let second = try await quiet.addSender("out", .constant(0.125))
        XCTAssertEqual([first, second], ["Twin.out", "Twin.out-2"])
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let input = try await bus.receiver("in", channels: .mono, fade: .none, state: ()) { _, _, _ in }
        try await bus.connect("Twin.out-2", to: input)
        for round in 1...6 {
            let cycles = try await input.statistics.cycles
            // The first process is the later one in every second round.
            if round.isMultiple(of: 2) { loud.process.signal(SIGSTOP) }
            try await daemon.restart()
            try await eventually("the second one's sound, round \(round)") {
                try await input.statistics.cycles > cycles + 2 && input.mixMeter.peak > 0
            }
            let sources = try await input.sources
            XCTAssertEqual(sources.map(\.port.nodeName), ["Twin.out-2"], "round \(round)")
            XCTAssertEqual(input.meter(ofLane: 0).peak, 0.125, "round \(round)")
            loud.process.signal(SIGCONT)
            try await eventually("both, round \(round)") {
                await bus.graph.ports.map(\.nodeName).filter { $0.hasPrefix("Twin") }.sorted() == [first, second]
            }
        }
        for peer in [loud, quiet] { try await peer.close() }
        await bus.close()
    }
}

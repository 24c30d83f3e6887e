// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A process with two clients, of which one hangs and holds up the other one through a node in between: what it is told must not
/// send its user to another app.
final class HungOwnClientTests: DaemonTestCase {
    func testTheNoticeSaysThatItIsOfTheAppItself() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let foreign = try ForeignFilter("Foreign", at: daemon.remote, latency: 0)
            let giver = try await BusClient.connect(as: "org.pipebus.giver", name: "Giver", remote: daemon.remote)
            let taker = try await BusClient.connect(as: "org.pipebus.taker", name: "Taker", remote: daemon.remote)
            let notices = NoticeLog(taker.notices)
            let (stand, release) = (Flag(), Flag())
            _ = try await giver.sender("out", channels: .mono, state: ()) { _, _, output in
                output.fill(0) { _ in 0.5 }
                while stand.isRaised, !release.isRaised {}
            }
            let input = try await taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
            try await giver.connect("Giver", to: "Foreign")
            try await taker.connect("Foreign", to: input)
            try await eventually("sound") {
                await input.meters.first { _ in true }?.contains { $0.meter.peak == 0.5 } ?? false
            }
            stand.raise()
            try await eventually("the notice", within: .seconds(20)) {
                notices.all.contains { $0.kind == .upstreamStalled }
            }
            release.raise()
            let notice = notices.all.first { $0.kind == .upstreamStalled }
            XCTAssertEqual(
                notice?.message,
                "Giver out, which is of this app itself, does not finish and holds up Taker in; look at what its audio thread "
                    + "waits for.")
            for client in [giver, taker] { await client.close() }
            withExtendedLifetime(foreign) {}
        }
    }
}

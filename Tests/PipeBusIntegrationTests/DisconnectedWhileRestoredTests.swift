// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A person disconnects two ports at the moment at which their connection is made again after a restart. It stays away.
final class DisconnectedWhileRestoredTests: DaemonTestCase {
    func testItStaysAway() async throws {
        for installation in PipeWireInstallation.all {
            for maker in [LastingScene.Maker.giver, .taker] {
                let scene = try await LastingScene.start(
                    maker, channels: .channels(16), on: startDaemon(installation: installation))
                for _ in 1...6 {
                    try await scene.daemon.restart()
                    try await eventually("the first links") { await scene.links() > 0 }
                    try await scene.buses[2].disconnect("Giver.out", from: "Taker.in")
                    let start = ContinuousClock.now
                    // An attempt that fails is made again within that time.
                    try await eventually("some time to pass") { start.duration(to: .now) > .milliseconds(500) }
                    let count = await scene.links()
                    XCTAssertEqual(count, 0, "\(maker), \(installation)")
                    if count == 0 { try await scene.connect() }
                }
                await scene.close()
            }
        }
    }
}

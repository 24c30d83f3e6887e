// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Another program destroys one channel of a port, which removes the links of that channel before the port itself is made again.
/// The connection is whole afterwards.
final class LostChannelConnectionTests: DaemonTestCase {
    private func check(_ maker: LastingScene.Maker) async throws {
        for installation in PipeWireInstallation.all {
            for channels in [ChannelLayout.stereo, .mono] {
                let scene = try await LastingScene.start(
                    maker, channels: channels, on: startDaemon(installation: installation))
                for name in ["Giver.out", "Taker.in"] {
                    for channel in 0..<channels.count {
                        try await scene.destroyChannel(channel, of: name)
                        try await scene.waitUntilConnected()
                    }
                }
                await scene.close()
            }
        }
    }

    func testTheSourcesAppHasConnectedThem() async throws { try await check(.giver) }
    func testTheReceiversAppHasConnectedThem() async throws { try await check(.taker) }
    func testAnotherProgramHasConnectedThem() async throws { try await check(.patchbay) }
}

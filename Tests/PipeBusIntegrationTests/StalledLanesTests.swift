// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A source that hangs, on more than one lane of a receiver.
final class StalledLanesTests: DaemonTestCase {
    /// Another program has linked it to more of them.
    func testASourceOnSeveralLanesHasAllOfThemAgain() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let scene = try await HangScene.start(on: daemon)
            try await daemon.perform("pw-link", "Other.out:output_MONO", "Test.in:input_4_MONO")
            func inputs() async -> [Int] {
                let graph = await scene.bus.graph
                return graph.connections.filter { graph.port($0.source)?.nodeName == "Other.out" }
                    .flatMap { $0.links.map(\.input) }.sorted()
            }
            try await eventually("both links") { await inputs() == [1, 3] }
            try await scene.hang(.stopped, seconds: 0)
            try await scene.waitUntil(isStalled: true)
            try await eventually("no link") { await inputs().isEmpty }
            // A new source gets neither lane.
            let third = try await Peer.start("Third", on: daemon, client: installation)
            try await third.addSender("out", .constant(0.25))
            async let connection = scene.bus.connect("Third", to: scene.receiver, timeout: .seconds(30))
            kill(scene.other.process.pid, SIGCONT)
            let links = try await connection.links.map(\.input)
            XCTAssertEqual(links, [2])
            try await eventually("both links again") { await inputs() == [1, 3] }
            try await scene.waitUntilHeard()
            try await third.close()
            try await scene.close()
        }
    }
}

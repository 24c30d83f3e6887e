// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Another program connects a source again that hangs and was disconnected until it answers.
final class RelinkedSourceTests: DaemonTestCase {
    /// As an active patchbay does. The daemon makes such a link at once if the source has another one.
    func testItIsDisconnectedEachTime() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let scene = try await HangScene.start(on: daemon)
            let foreign = try daemon.run("pw-jack", ["jack_iodelay"])
            try await eventually("the other program") {
                await scene.bus.graph.ports.contains { $0.nodeName == "jack_delay" && !$0.inputs.isEmpty }
            }
            try await daemon.perform("pw-link", "Other.out:output_MONO", "jack_delay:in")
            @Sendable func linkCount() async -> Int {
                await scene.bus.graph.connections.filter { $0.destination == scene.receiver.id }.count
            }
            try await scene.hang(.stopped, seconds: 0)
            try await scene.waitUntil(isStalled: true)
            for _ in 1...3 {
                try await daemon.perform("pw-link", "Other.out:output_MONO", "Test.in:input_2_MONO")
                try await eventually("the link to be removed again") { await linkCount() == 1 }
                try await scene.runCycles(20)
            }
            let source = try await scene.requireOther()
            XCTAssertTrue(source.isStalled)
            XCTAssertEqual(scene.notices.all.filter { $0.kind == .sourceStalled }.count, 1)
            kill(scene.other.process.pid, SIGCONT)
            try await scene.waitUntil(isStalled: false)
            try await scene.waitUntilHeard()
            try await eventually("the notice") {
                scene.notices.all.filter { $0.kind == .sourceRestored }.count == 1
            }
            kill(foreign.pid, SIGKILL)
            try await scene.close()
        }
    }
}

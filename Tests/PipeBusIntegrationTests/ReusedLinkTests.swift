// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A source that hangs is disconnected, and at the same moment another one is connected: the daemon gives the id of the removed link
/// to the new one.
final class ReusedLinkTests: DaemonTestCase {
    func testTheSourceIsConnectedAgain() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 4096), installation: installation)
            let scene = try await HangScene.start(on: daemon)
            try await makeBusy(scene)
            let third = try await Peer.start("Third", on: daemon, client: installation)
            try await third.addSender("out", .constant(0.25))
            // It keeps the node of the source running, so that the daemon goes on to make links.
            let foreign = try daemon.run("pw-jack", ["jack_iodelay"])
            let patchbay = try await BusClient.connect(
                as: "org.pipebus.patchbay", name: "Patchbay", remote: daemon.remote)
            try await eventually("the other program") {
                await patchbay.graph.ports.contains { $0.nodeName == "jack_delay" && !$0.inputs.isEmpty }
            }
            try await scene.other.addSender("second", .constant(0.125))
            try await daemon.perform("pw-link", "Other.second:output_MONO", "jack_delay:in")
            try await scene.hang(.stopped, seconds: 0)
            try await eventually("the disconnection", within: .seconds(20)) { await !isConnected(patchbay.graph) }
            try await patchbay.connect("Third", to: "Test.in", timeout: .seconds(30))
            kill(scene.other.process.pid, SIGCONT)
            try await eventually("the notice", within: .seconds(20)) {
                scene.notices.all.contains { $0.kind == .sourceRestored }
            }
            try await scene.waitUntilHeard()
            kill(foreign.pid, SIGKILL)
            await patchbay.close()
            try await third.close()
            try await scene.close()
        }
    }

    private func isConnected(_ graph: GraphSnapshot) -> Bool {
        graph.connections.contains {
            graph.port($0.source)?.nodeName == "Other.out" && graph.port($0.destination)?.nodeName == "Test.in"
        }
    }

    /// Adds a port whose block takes most of the cycle. When a link ends, the app's loop waits for it, and then hears of several
    /// changes at once.
    private func makeBusy(_ scene: HangScene) async throws {
        let receiver = try await scene.bus.receiver("busy", channels: .mono, state: ()) { _, cycle, _ in
            let end = cycle.startTime.nanoseconds + 60_000_000
            var now = timespec()
            var nanoseconds: UInt64 = 0
            while nanoseconds < end {
                unsafe clock_gettime(CLOCK_MONOTONIC, &now)
                nanoseconds = UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
            }
        }
        try await scene.bus.connect("Steady", to: receiver)
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// PipeWire 1.4 leaves a node out of all cycles, after its app was stopped while a source's node was destroyed and the length of
/// cycles changed.
final class UnwokenPortTests: DaemonTestCase {
    func testAReceiverThatIsNotWoken() async throws {
        let installation = try PipeWireInstallation.newer()
        let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
        let receiver = try await Peer.start("Receiver", on: daemon, client: installation)
        try await receiver.addReceiver("in")
        var sources: [Peer] = []
        for name in ["One", "Two"] {
            let source = try await Peer.start(name, on: daemon, client: installation)
            try await source.addSender("out", .constant(0.25))
            try await receiver.join(name, to: "Receiver")
            sources.append(source)
        }
        func frames() async throws -> UInt64 { try await receiver.report("in").frames }
        // Younger connections are not made again.
        try await eventually("two seconds of sound") { try await frames() > 2 * 48_000 }
        // One that starts while an app is stopped waits for that app.
        let tool = try daemon.run("pw-cli", [])
        for quantum in [256, 1024] {
            let node = try await daemon.node(named: "Two.out")
            let losses = try await losses(of: sources[1])
            kill(receiver.process.pid, SIGSTOP)
            try await eventuallyStopped(receiver.process.pid)
            tool.send("destroy \(node)")
            try await eventually("the node to be made again") { try await self.losses(of: sources[1]) > losses }
            let start = ContinuousClock.now
            try await eventually("some time to pass") { start.duration(to: .now) > .seconds(1) }
            try await daemon.perform("pw-metadata", "-n", "settings", "0", "clock.force-quantum", "\(quantum)")
            kill(receiver.process.pid, SIGCONT)
            let before = try await frames()
            try await eventually("cycles at \(quantum) frames", within: .seconds(20)) {
                try await frames() > before + 48_000
            }
        }
        tool.send("quit")
        let notices = try await receiver.notices().map(\.kind)
        XCTAssertFalse(notices.contains(Notice.Kind.graphStandsStill.rawValue), "\(notices)")
        for peer in sources + [receiver] { try await peer.close() }
    }

    private func losses(of peer: Peer) async throws -> Int {
        try await peer.notices().count { $0.kind == Notice.Kind.portRestored.rawValue }
    }
}

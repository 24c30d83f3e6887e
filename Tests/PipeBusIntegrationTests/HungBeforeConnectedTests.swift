// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A source that hangs already when it is connected: its link does not become active, and the daemon makes no other one.
final class HungBeforeConnectedTests: DaemonTestCase {
    func testTheSourceIsNamedAndNotTheDevice() async throws {
        try XCTSkipIf(
            PipeWireInstallation.chosen.root != nil, "On 1.4 no link is in the graph before the source answers.")
        let daemon = try await startDaemon(.init(quantum: 1024))
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let (notices, states) = (NoticeLog(bus.notices), StateLog(bus))
        let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let sender = try await bus.sender("out", channels: .mono, after: ["in"], state: ()) { _, _, _ in }
        // These two run all the time.
        let recorder = try await Peer.start("Recorder", on: daemon)
        try await recorder.addReceiver("in")
        let steady = try await Peer.start("Steady", on: daemon)
        try await steady.addSender("out", .constant(0.25))
        try await recorder.join("Steady", to: "Recorder")
        let other = try await Peer.start("Other", on: daemon)
        try await other.addSender("out", .constant(0.5))
        try await eventually("all ports") {
            let names = await bus.graph.ports.map(\.nodeName)
            return ["Other.out", "Recorder.in", "Test.out"].allSatisfy(names.contains)
        }
        kill(other.process.pid, SIGSTOP)
        try await eventuallyStopped(other.process.pid)
        let one = Task { try await bus.connect("Other", to: receiver, timeout: .seconds(30)) }
        try await eventually("the link") {
            let graph = await bus.graph
            return graph.connections.contains { $0.destination == receiver.graphID }
        }
        let two = Task { try await bus.connect(sender, to: "Recorder", timeout: .seconds(30)) }
        try await eventually("the notice", within: .seconds(20)) {
            notices.all.contains { $0.kind == .graphStandsStill }
        }
        let start = ContinuousClock.now
        try await eventually("some time to pass") { start.duration(to: .now) > .seconds(3) }
        let notice = try XCTUnwrap(notices.all.first { $0.kind == .graphStandsStill })
        let graph = await bus.graph
        XCTAssertEqual(notice.source.flatMap { graph.port($0)?.nodeName }, "Other.out", notice.message)
        XCTAssertTrue(notice.message.contains("Other out"), notice.message)
        XCTAssertEqual(states.kinds, ["running"], "the device is not to blame")
        kill(other.process.pid, SIGCONT)
        _ = try await one.value
        _ = try await two.value
        try await eventually("sound") { try await receiver.statistics.cycles > 10 }
        for peer in [other, steady, recorder] { try await peer.close() }
        await bus.close()
    }
}

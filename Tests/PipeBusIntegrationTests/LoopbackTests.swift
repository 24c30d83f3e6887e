// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// `pw-loopback` takes sound with one node and gives it with another, and passes latencies on. PipeWire itself sees no
/// loop, so a reported latency would go round for ever.
final class LoopbackTests: DaemonTestCase {
    private func check(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(quantum: 256), installation: installation)
        let recorder = CallRecorder()
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: daemon.remote, allowsConnectionsToSelf: true,
            recorder: recorder)
        let filter = try await bus.filter("fx", inputs: .mono, latency: 480, state: ()) { _, _, _, _ in }
        let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        func ports(_ name: String, _ direction: String) -> String {
            "node.name=\(name) node.autoconnect=false node.param.PortConfig={direction=\(direction) mode=dsp "
                + "format={mediaType=audio mediaSubtype=raw format=F32P rate=48000 channels=1 position=[MONO]}}"
        }
        let tool = try daemon.run(
            "pw-loopback",
            [
                "-m", "[ MONO ]", "--capture-props=\(ports("taker", "Input"))",
                "--playback-props=\(ports("giver", "Output"))",
            ], client: installation)
        try await bus.connect(filter, to: receiver)
        // Its input comes out of it with its latency.
        let late = try await bus.sender("late", channels: .mono, latency: 1000, state: ()) { _, _, _ in }
        try await bus.connect(late, to: "taker", timeout: .seconds(20))
        try await bus.connect("giver", to: filter)
        try await eventually("the latency of the chain") { try await receiver.sources.map(\.latency.frames) == [1480] }
        try await bus.disconnect(late, from: "taker")
        try await eventually("less latency") { try await receiver.sources.map(\.latency.frames) == [480] }
        // And now what we give.
        try await bus.connect(filter, to: "taker")
        try await late.setLatency(50)
        try await bus.connect(late, to: filter)
        try await eventually("the latency in the loop") { try await receiver.sources.map(\.latency.frames) == [530] }
        try await filter.setLatency(1000)
        try await eventually("another one") { try await receiver.sources.map(\.latency.frames) == [1050] }
        let publications = recorder.calls.count { $0 == "pw_filter_update_params" }
        XCTAssertLessThan(publications, 200)
        tool.signal(SIGTERM)
        try await tool.waitForEnd()
        try await eventually("the loop to go") { await bus.graph.connections.count == 2 }
        try await eventually("the latency without it") { try await receiver.sources.map(\.latency.frames) == [1050] }
        await bus.close()
    }

    func testALoopThroughIt() async throws { try await check(.chosen) }

    func testALoopThroughANewerOne() async throws { try await check(try PipeWireInstallation.newer()) }
}

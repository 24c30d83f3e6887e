// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A receiver that only measures: the graph and the other apps are as they would be without it.
final class MeterReceiverTests: DaemonTestCase {
    private func connect(to daemon: HeadlessPipeWire, as name: String) async throws -> BusClient {
        let client = try await BusClient.connect(
            as: "org.pipebus.test.\(name)", name: name, remote: daemon.remote, allowsConnectionsToSelf: true)
        addTeardownBlock { await client.close() }
        return client
    }

    func testItMeasuresWhatPassesAndMakesNothingRun() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(.init(quantum: 256), installation: installation)
            let (giver, taker) = (
                try await connect(to: daemon, as: "Giver"), try await connect(to: daemon, as: "Taker")
            )
            let watcher = try await connect(to: daemon, as: "Watcher")
            let sender = try await giver.sender("out", channels: .stereo, state: ()) { _, _, output in
                output.fill(0) { _ in 0.25 }
                output.fill(1) { _ in -0.5 }
            }
            let receiver = try await taker.receiver("in", state: ()) { _, _, _ in }
            let meters = try await watcher.meterReceiver("meters", lanes: 2)
            try await watcher.connect(sender.nodeName, to: meters)

            // Alone it makes nothing run, and nobody counts it.
            let (quiet, meterID) = (try XCTUnwrap(sender.graphID), try XCTUnwrap(meters.graphID))
            let isShown = await watcher.graph.connection(from: quiet, to: meterID) != nil
            XCTAssertTrue(isShown, "to its own app")
            for client in [giver, taker] {
                let ports = await client.graph.ports.map(\.nodeName).sorted()
                XCTAssertEqual(ports, ["Giver.out", "Taker.in"])
            }
            var state = try await sender.state
            XCTAssertEqual(state.destinations.count, 0)
            XCTAssertFalse(sender.isConnected)
            let cycles = try await sender.statistics.cycles
            XCTAssertEqual(cycles, 0)

            try await taker.connect(sender.nodeName, to: receiver)
            // The RMS of both channels, over a window that has to fill.
            let rms = ((0.0625 + 0.25) / 2 as Float).squareRoot()
            let reading = try await eventualResult("its level") {
                try await meters.sources.first.map { meters.meter(ofLane: $0.lane) }
                    .flatMap { abs($0.rms - rms) < 1e-3 ? $0 : nil }
            }
            XCTAssertEqual(reading.peak, 0.5)
            state = try await sender.state
            XCTAssertEqual(state.destinations.map(\.nodeName), ["Taker.in"])

            // It does not keep running what another app has disconnected.
            try await taker.disconnect(sender.nodeName, from: receiver)
            try await eventually("its rest") {
                let before = try await sender.statistics.cycles
                for await _ in giver.activity(every: .milliseconds(100)) { break }
                let after = try await sender.statistics.cycles
                return after == before && meters.meter(ofLane: 0).rms == 0
            }
            XCTAssertFalse(sender.isConnected)
            for client in [watcher, giver, taker] { await client.close() }
        }
    }

    /// A source that is connected to a receiver, and measured by a third app.
    private struct Measured {
        let giver: BusClient
        let taker: BusClient
        let watcher: BusClient
        let receiver: ReceiverPort
        let meters: ReceiverPort
    }

    private func measure(at daemon: HeadlessPipeWire) async throws -> Measured {
        let giver = try await connect(to: daemon, as: "Giver")
        let taker = try await connect(to: daemon, as: "Taker")
        let watcher = try await connect(to: daemon, as: "Watcher")
        let sender = try await giver.sender("out", channels: .mono, state: ()) { _, _, output in
            output.fill(0) { _ in 0.5 }
        }
        let receiver = try await taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        try await taker.connect(sender.nodeName, to: receiver)
        let meters = try await watcher.meterReceiver("meters", channels: .mono, lanes: 2)
        try await watcher.connect(sender.nodeName, to: meters)
        try await eventually("a level") { meters.meter(ofLane: 0).peak == 0.5 }
        return Measured(giver: giver, taker: taker, watcher: watcher, receiver: receiver, meters: meters)
    }

    /// It is in no other app's graph, and so in no table of who takes how long and whose fault an xrun was.
    func testNobodyMeasuresIt() async throws {
        for installation in PipeWireInstallation.all {
            let scene = try await measure(at: startDaemon(installation: installation))
            var tables = 0
            for await activity in scene.taker.activity(every: .milliseconds(100)).prefix(300) {
                guard activity.nodes.contains(where: { $0.title == "Giver out" && $0.load != nil }) else { continue }
                XCTAssertFalse(activity.nodes.contains { $0.title.contains("meters") }, "\(activity.nodes)")
                tables += 1
                if tables == 3 { break }
            }
            XCTAssertEqual(tables, 3)
            for client in [scene.watcher, scene.giver, scene.taker] { await client.close() }
        }
    }

    /// A hidden port of the past would be connected again by the apps that it was connected with.
    func testOtherAppsDoNotConnectItAgain() async throws {
        let daemon = try await startDaemon()
        let scene = try await measure(at: daemon)
        try await daemon.kill()
        try daemon.startAgain()
        try await eventually("both connections", within: .seconds(20)) {
            let (sources, measured) = (
                try await scene.receiver.sources.count, try await scene.meters.sources.count
            )
            return sources == 1 && measured == 1 && scene.meters.meter(ofLane: 0).rms > 0.49
        }
        await scene.watcher.close()
        try await eventually("its end") {
            let dump = try await GraphDump.take(daemon)
            return dump.nodes(named: "Watcher.meters").isEmpty
        }
        let sources = try await scene.receiver.sources.map(\.port.nodeName)
        XCTAssertEqual(sources, ["Giver.out"])
    }
}

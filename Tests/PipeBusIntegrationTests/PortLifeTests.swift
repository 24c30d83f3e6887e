// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// Ports coming and going within one app.
final class PortLifeTests: DaemonTestCase {
    private func client(_ daemon: HeadlessPipeWire, _ name: String = "App") async throws -> BusClient {
        try await BusClient.connect(
            as: "org.pipebus.test", name: name, remote: daemon.remote, allowsConnectionsToSelf: true)
    }

    /// 33 nodes made in one go break the connection of a client on 0.3.65 that does not take care: the links become
    /// active, and the nodes never run.
    func testFortyPortsMadeAtOnceAllRun() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let bus = try await client(daemon)
        let ports = try await withThrowingTaskGroup(of: SenderPort.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await bus.sender("out\(number)", channels: .mono, state: ()) { _, _, output in
                        var samples = output[0]
                        for index in samples.indices { samples[index] = 1 }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let sum = Loudest()
        let receiver = try await bus.receiver("in", channels: .mono, lanes: 40, state: ()) { _, _, mix in
            let samples = mix[0]
            for index in samples.indices { sum.note(samples[index]) }
        }
        for port in ports { try await bus.connect(port, to: receiver) }
        let graph = await bus.graph
        XCTAssertEqual(Set(graph.ports.map(\.nodeName)).count, 41)
        XCTAssertEqual(graph.sources(of: receiver.id).count, 40)
        try await eventually("the sum of all forty") { sum.value == 40 }
        await bus.close()
    }

    func testPortsAreShownInTheOrderInWhichTheyWereAdded() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let names = ["zebra", "apple", "mango", "10", "9"]
        var ports: [SenderPort] = []
        for name in names { ports.append(try await bus.sender(name, channels: .mono, state: ()) { _, _, _ in }) }
        let filter = try await bus.filter("fx", channels: 1)
        let watcher = try await client(daemon, "Watcher")
        let seen = await watcher.graph.ports.map(\.name)
        XCTAssertEqual(seen, names + ["fx"])
        await ports[1].close()
        _ = try await bus.sender("apple", channels: .mono, state: ()) { _, _, _ in }
        try await eventually("the port that came back, behind the others") {
            await watcher.graph.ports.map(\.name) == ["zebra", "mango", "10", "9", "fx", "apple"]
        }
        let defaults = (await bus.defaultSender, await bus.defaultFilter, await bus.defaultReceiver)
        XCTAssertEqual(defaults.0, ports[0].name)
        XCTAssertEqual(defaults.1, filter.name)
        XCTAssertNil(defaults.2)
        await watcher.close()
        await bus.close()
    }

    func testTwoPortsOfOneNameAreRefused() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let first = try await bus.sender("out", state: ()) { _, _, _ in }
        await assertThrows("the same name again") {
            try await bus.receiver("out", state: ()) { _, _, _ in }
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .duplicateName, "\(error)")
        }
        await first.close()
        let again = try await bus.receiver("out", state: ()) { _, _, _ in }
        XCTAssertEqual(again.nodeName, "App.out")
        await bus.close()
    }

    func testTheTitleIsWhatEverybodySees() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let port = try await bus.sender("out", title: "Before", state: ()) { _, _, _ in }
        let watcher = try await client(daemon, "Watcher")
        var title = await watcher.graph.ports.first?.title
        XCTAssertEqual(title, "Before")
        try await port.setTitle("After, with ünïcode")
        try await eventually("the new title") { await watcher.graph.ports.first?.title == "After, with ünïcode" }
        title = try await port.title
        XCTAssertEqual(title, "After, with ünïcode")
        let dump = try await GraphDump.take(daemon)
        XCTAssertEqual(dump.nodes(named: "App.out").first?.properties["node.description"], "After, with ünïcode")
        await watcher.close()
        await bus.close()
    }

    func testAPortHasTheIconOfItsAppOrItsOwn() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", iconName: "audio-card", remote: daemon.remote)
        let port = try await bus.sender("out", state: ()) { _, _, _ in }
        let bare = try await client(daemon, "Bare")
        let other = try await bare.receiver("in", state: ()) { _, _, _ in }
        func icons() async -> [String?] { await bare.graph.ports.sorted { $0.title > $1.title }.map(\.iconName) }
        try await eventually("the icon of the app") { await icons() == ["audio-card", nil] }
        try await port.setIconName("audio-speakers")
        try await other.setIconName("violin")
        try await eventually("their own icons") { await icons() == ["audio-speakers", "violin"] }
        try await daemon.kill()
        try await eventually("the interruption") { bus.state != .running && bare.state != .running }
        try await other.setIconName("drum")
        try daemon.startAgain()
        try await eventually("the icons after a restart") { await icons() == ["audio-speakers", "drum"] }
        try await port.setIconName(nil)
        try await other.setIconName(nil)
        try await eventually("the icon of the app again") { await icons() == ["audio-card", nil] }
        for name in ["", "a\nb", String(repeating: "x", count: 129)] {
            await assertThrows("a bad name") {
                try await port.setIconName(name)
            } _: { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument, "\(error)")
            }
        }
        await bus.close()
        await bare.close()
    }

    /// Others see the port before its own client has it.
    func testChangesWhileAPortIsMadeAgain() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let port = try await bus.sender("out", latency: .frames(1), state: ()) { _, _, _ in }
        let bare = try await client(daemon, "Bare")
        for round in 1...10 {
            let icon = round.isMultiple(of: 2) ? nil : "drum"
            try await daemon.restart()
            try await eventually("the port") { await bare.graph.ports.contains { $0.peer != nil } }
            try await port.setIconName(icon)
            try await port.setTitle("Title \(round)")
            try await port.setLatency(.frames(round))
            try await eventually("round \(round)") {
                guard let seen = await bare.graph.ports.first(where: { $0.name == "out" }) else { return false }
                return seen.iconName == icon && seen.title == "Title \(round)" && seen.latency == round
            }
        }
        await bus.close()
        await bare.close()
    }

    func testClosingTwiceIsOnce() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let port = try await bus.sender("out", state: ()) { _, _, _ in }
        await port.close()
        await port.close()
        await assertThrows("a closed port's title", { try await port.title }) { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .closed, "\(error)")
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { await bus.close() } }
        }
        await bus.close()
        await assertThrows("a port on a closed client") {
            try await bus.sender("more", state: ()) { _, _, _ in }
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .closed, "\(error)")
        }
    }

    func testNothingIsLeftAfterClosing() async throws {
        let daemon = try await startDaemon()
        let before = try await GraphDump.take(daemon).inventory
        let bus = try await client(daemon)
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        let filter = try await bus.filter("fx", channels: 2)
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        try await bus.connect(sender, to: filter)
        try await bus.connect(filter, to: receiver)
        let during = try await GraphDump.take(daemon)
        XCTAssertEqual(during.objects.count { $0.type == "Link" }, 4)
        await filter.close()
        let without = try await GraphDump.take(daemon)
        XCTAssertEqual(without.nodes(named: "App.fx"), [])
        XCTAssertEqual(without.objects.count { $0.type == "Link" }, 0)
        await bus.close()
        let after = try await GraphDump.take(daemon).inventory
        XCTAssertEqual(after, before)
    }

    func testClosingEndsTheStreams() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        let (updates, notices, meters) = (bus.graphUpdates, bus.notices, receiver.meters)
        async let ended: Void = {
            for await _ in updates {}
            for await _ in notices {}
            for await _ in meters {}
        }()
        await bus.close()
        await ended
    }
}

/// The largest sample, noted by the audio thread.
private final class Loudest: Sendable {
    private let bits = Atomic<UInt32>(0)

    var value: Float { Float(bitPattern: bits.load(ordering: .relaxed)) }

    func note(_ sample: Float) {
        if sample > value { bits.store(sample.bitPattern, ordering: .relaxed) }
    }
}

extension BusClient {
    /// A filter that gives silence.
    fileprivate func filter(_ name: String, channels: Int) async throws -> FilterPort {
        try await filter(name, inputs: .channels(channels), state: ()) { _, _, _, _ in }
    }
}

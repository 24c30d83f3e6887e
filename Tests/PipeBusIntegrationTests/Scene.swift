// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A receiver in this process whose first lane has a peer's sender, and another peer's sender that a test links there.
/// The second one runs already, so that its link is ready as early as possible.
struct Scene {
    let daemon: HeadlessPipeWire
    let bus: BusClient
    let receiver: ReceiverPort
    let first: Peer
    let second: Peer

    static func start(on daemon: HeadlessPipeWire, lanes: Int = 8) async throws -> Scene {
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let receiver = try await bus.receiver("in", lanes: lanes, state: ()) { _, _, _ in }
        let first = try await Peer.start("First", on: daemon)
        try await first.addSender("out", channels: 2, .constant(0.25))
        let second = try await Peer.start("Second", on: daemon)
        try await second.addReceiver("elsewhere", channels: 2)
        let scene = Scene(daemon: daemon, bus: bus, receiver: receiver, first: first, second: second)
        try await bus.connect("First", to: receiver)
        try await scene.addSecond()
        return scene
    }

    private func addSecond() async throws {
        try await second.addSender("out", channels: 2, .constant(0.5))
        try await first.addReceiver("elsewhere", channels: 2)
        try await bus.connect("Second/out", to: "First/elsewhere")
        try await runCycles(3)
    }

    /// Replaces the second sender by another one of the same name.
    func renewSecond() async throws {
        try await second.perform(.closePort(port: "out"))
        try await first.perform(.closePort(port: "elsewhere"))
        try await eventually("the second sender to go") {
            let graph = await bus.graph
            return !graph.ports.contains { $0.nodeName == "Second.out" || $0.nodeName == "First.elsewhere" }
        }
        try await addSecond()
    }

    /// Links two channels as a person does who knows nothing of lanes.
    func link(_ output: String, _ input: String) async throws {
        let tool = try daemon.run("pw-link", [output, input])
        let ending = try await tool.waitForEnd()
        XCTAssertEqual(ending, .exited(0), "\(tool.failure("failed"))")
    }

    /// The second sender's connection once it is nowhere but on a lane of its own.
    func movedConnection(links: Int = 2) async throws -> Connection {
        try await eventualResult("the links to be moved") {
            let connections = await bus.graph.connections.filter { $0.destination == receiver.id }
            guard connections.count == 2 else { return nil }
            return connections.first { $0.links.count == links && $0.links.allSatisfy { $0.input >= 2 } }
        }
    }

    /// The receiver's inputs that have a link, each as often as it has one.
    var linkedInputs: [Int] {
        get async {
            await bus.graph.connections.filter { $0.destination == receiver.id }.flatMap(\.links).map(\.input).sorted()
        }
    }

    /// Waits for so many cycles of the receiver.
    func runCycles(_ count: UInt64) async throws {
        let before = try await receiver.statistics.cycles
        try await eventually("cycles") { try await receiver.statistics.cycles >= before + count }
    }

    /// The peak of each source in any cycle since the last reading.
    @discardableResult
    func readMeters() async throws -> [String: Float] {
        for await readings in receiver.meters {
            return Dictionary(readings.map { ($0.source.title, $0.meter.peak) }, uniquingKeysWith: max)
        }
        throw TestKitError("The receiver has no meters any more.")
    }

    /// The first notices of the receiver, but for those that are of the machine.
    func notices(_ count: Int) async -> [Notice] {
        var found: [Notice] = []
        for await notice in bus.notices where notice.port != nil {
            found.append(notice)
            if found.count == count { break }
        }
        return found
    }

    /// All unread notices of the receiver, and the end of the scene.
    func allNotices() async throws -> [Notice] {
        let notices = bus.notices
        try await close()
        var found: [Notice] = []
        for await notice in notices where notice.port != nil { found.append(notice) }
        return found
    }

    func close() async throws {
        for peer in [first, second] { try await peer.close() }
        await bus.close()
    }
}

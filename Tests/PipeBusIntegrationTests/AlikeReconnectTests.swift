// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// What a name alone does not tell, after an interruption: which of two nodes of one name was connected, and to which lanes.
final class AlikeReconnectTests: DaemonTestCase {
    private var daemon: HeadlessPipeWire!
    private var bus: BusClient!
    private var input: ReceiverPort!
    private var notices: NoticeLog!

    private func begin() async throws {
        daemon = try await startDaemon(.init(hasNullSink: true))
        let bus = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        notices = NoticeLog(bus.notices, withoutPort: true)
        input = try await bus.receiver("in", lanes: 4, state: ()) { _, _, _ in }
        self.bus = bus
    }

    /// Two devices with the same name.
    private func addTwins() async throws -> [GraphPort] {
        for _ in 0..<2 { try await daemon.addNullSink("Twin") }
        try await eventually("both") { await self.twins.map(\.outputs.count) == [2, 2] }
        return await twins
    }

    private var twins: [GraphPort] {
        get async { await bus.graph.ports.filter { $0.nodeName == "Twin" }.sorted { $0.id < $1.id } }
    }

    private func link(_ source: GraphPort, _ output: Int, _ inputChannel: Int) async throws {
        let graph = await bus.graph
        let inputs = try XCTUnwrap(input.graphID.flatMap { graph.port($0) }).inputs
        try await daemon.perform("pw-link", "\(source.outputs[output].id)", "\(inputs[inputChannel].id)")
    }

    /// The links to the receiver, as source and channels.
    private var links: [[Int]] {
        get async {
            let twins = await twins.map(\.id)
            return await bus.graph.connections.filter { $0.destination == input.graphID }
                .flatMap { connection in
                    connection.links.map { [twins.firstIndex(of: connection.source) ?? -1, $0.output, $0.input] }
                }.sorted { $0.lexicographicallyPrecedes($1) }
        }
    }

    private func wait(for expected: [[Int]]) async throws {
        try await eventually("the links \(expected)") { await self.links == expected }
    }

    /// A connection is restored only if it has lasted for a moment, and nothing tells that one is not made.
    private func pass(_ time: Duration = .milliseconds(1200)) async throws {
        let start = ContinuousClock.now
        try await eventually("time to pass") { start.duration(to: .now) > time }
    }

    private func remakeInput() async throws {
        let old = input.graphID
        try await daemon.destroyNode(named: input.nodeName)
        try await eventually("the port again") { self.input.graphID != nil && self.input.graphID != old }
    }

    func testASourceHasAsManyLanesAsBefore() async throws {
        try await begin()
        for (output, inputName) in [("FL", "1_FL"), ("FR", "1_FR"), ("FL", "3_FR")] {
            try await daemon.perform("pw-link", "null-sink:monitor_\(output)", "App.in:input_\(inputName)")
        }
        try await wait(for: [[-1, 0, 0], [-1, 0, 5], [-1, 1, 1]])
        try await pass()
        try await daemon.restart()
        // The first free lanes.
        try await wait(for: [[-1, 0, 0], [-1, 0, 3], [-1, 1, 1]])
        try await pass()
        try await remakeInput()
        try await wait(for: [[-1, 0, 0], [-1, 0, 3], [-1, 1, 1]])
        await bus.close()
    }

    /// Another program adds links, on the same lane and on another one.
    func testWhatIsAddedToAConnectionOfTheAppIsBack() async throws {
        try await begin()
        try await bus.connect("null-sink", to: input)
        for inputName in ["1_FR", "3_FR"] {
            try await daemon.perform("pw-link", "null-sink:monitor_FL", "App.in:input_\(inputName)")
        }
        try await wait(for: [[-1, 0, 0], [-1, 0, 1], [-1, 0, 5], [-1, 1, 1]])
        try await pass()
        let restored = [[-1, 0, 0], [-1, 0, 1], [-1, 0, 3], [-1, 1, 1]]
        for _ in 0..<2 {
            try await daemon.restart()
            try await wait(for: restored)
            try await pass()
            try await remakeInput()
            try await wait(for: restored)
            try await pass()
        }
        // The app's own is left, and nothing comes back to it that was removed.
        for inputName in ["1_FR", "2_FR"] {
            try await daemon.perform("pw-link", "-d", "null-sink:monitor_FL", "App.in:input_\(inputName)")
        }
        try await wait(for: [[-1, 0, 0], [-1, 1, 1]])
        try await pass()
        try await remakeInput()
        try await wait(for: [[-1, 0, 0], [-1, 1, 1]])
        try await pass()
        try await wait(for: [[-1, 0, 0], [-1, 1, 1]])
        await bus.close()
    }

    /// The connection itself has lasted.
    func testALinkThatWasJustAddedStaysAway() async throws {
        for isOwn in [true, false] {
            try await begin()
            if isOwn {
                try await bus.connect("null-sink", to: input)
            } else {
                for (output, inputName) in [("FL", "1_FL"), ("FR", "1_FR")] {
                    try await daemon.perform("pw-link", "null-sink:monitor_\(output)", "App.in:input_\(inputName)")
                }
            }
            try await wait(for: [[-1, 0, 0], [-1, 1, 1]])
            try await pass()
            try await daemon.perform("pw-link", "null-sink:monitor_FL", "App.in:input_3_FR")
            try await wait(for: [[-1, 0, 0], [-1, 0, 5], [-1, 1, 1]])
            try await daemon.restart()
            try await wait(for: [[-1, 0, 0], [-1, 1, 1]])
            try await pass()
            try await wait(for: [[-1, 0, 0], [-1, 1, 1]])
            await bus.close()
        }
    }

    func testASourceThatGetsFewerLanesIsReported() async throws {
        try await begin()
        try await daemon.addNullSink("Twin")
        for lane in 1...4 { try await daemon.perform("pw-link", "Twin:monitor_FL", "App.in:input_\(lane)_FL") }
        try await wait(for: (0..<4).map { [0, 0, 2 * $0] })
        // All lanes have a source, so this one shares a lane.
        try await daemon.perform("pw-link", "null-sink:monitor_FL", "App.in:input_2_FL")
        try await wait(for: [[-1, 0, 2]] + (0..<4).map { [0, 0, 2 * $0] })
        try await pass()
        try await remakeInput()
        // The older of the two comes first.
        try await wait(for: [[-1, 0, 0]] + (1..<4).map { [0, 0, 2 * $0] })
        try await eventually("the notice") { self.notices.all.contains { $0.kind == .connectionNotRestored } }
        await bus.close()
    }

    func testTwoNodesOfOneNameAreConnectedAgain() async throws {
        try await begin()
        let first = try await addTwins()
        try await link(first[0], 0, 0)
        try await link(first[1], 1, 2)
        try await wait(for: [[0, 0, 0], [1, 1, 2]])
        try await pass()
        try await daemon.restart()
        try await eventually("the port") { self.input.graphID != nil && self.bus.state == .running }
        _ = try await addTwins()
        try await wait(for: [[0, 0, 0], [1, 1, 2]])
        await bus.close()
    }

    func testOfTwoNodesOfOneNameTheSameIsConnectedAgain() async throws {
        try await begin()
        let both = try await addTwins()
        try await link(both[1], 0, 0)
        try await wait(for: [[1, 0, 0]])
        try await pass()
        try await remakeInput()
        try await wait(for: [[1, 0, 0]])
        // As one that the app makes itself.
        try await bus.disconnect(both[1], from: input)
        try await bus.connect(both[1], to: input)
        try await wait(for: [[1, 0, 0], [1, 1, 1]])
        try await remakeInput()
        try await wait(for: [[1, 0, 0], [1, 1, 1]])
        await bus.close()
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// Two filters that are linked in a circle, a sender before the first and a receiver behind the second, each filter in an
/// app of its own.
final class LoopScene: Sendable {
    enum Step: String, CaseIterable { case intoFirst, forth, back, outOfSecond }

    static let latencies = (sender: 100, first: 480, second: 64)
    static let cycle = 256

    let graph: SteppedGraph
    let apps: [BusClient]
    let sender: SenderPort
    let first: FilterPort
    let second: FilterPort
    let receiver: ReceiverPort
    private let hearing = Hearing()
    private let impulse: Impulse

    /// When the sender's only sample was made.
    private final class Impulse: Sendable {
        let position = Atomic<Int64>(.min)
    }

    static func start(installation: PipeWireInstallation = .chosen) async throws -> LoopScene {
        try await LoopScene(try await SteppedGraph.start(installation: installation))
    }

    private init(_ graph: SteppedGraph) async throws {
        self.graph = graph
        var apps: [BusClient] = []
        for name in ["Patchbay", "One", "Two", "Taker"] {
            apps.append(
                try await BusClient.connect(
                    as: "org.pipebus.\(name)", name: name, remote: graph.remote, allowsConnectionsToSelf: true))
        }
        self.apps = apps
        let impulse = Impulse()
        self.impulse = impulse
        sender = try await apps[1].sender("out", channels: .mono, latency: .frames(Self.latencies.sender), state: ()) {
            _, cycle, output in
            // Made that many frames before it is given.
            let start = Int64(cycle.position) - Int64(LoopScene.latencies.sender)
            let impulse = impulse.position.load(ordering: .relaxed)
            var samples = output[0]
            for frame in samples.indices { samples[frame] = start + Int64(frame) == impulse ? 1 : 0 }
        }
        first = try await Self.delay(apps[1], "first", Self.latencies.first)
        second = try await Self.delay(apps[2], "second", Self.latencies.second)
        receiver = try await hearing.mixed(on: apps[3], alignment: .immediate)
        for port in [sender.id, first.id, second.id, receiver.id] {
            try await eventually("all ports to show") { await apps[0].graph.port(port) != nil }
        }
        // From here on the graph's cycles are as long as this.
        try await graph.step([(Self.cycle, 1)])
    }

    private static func delay(_ app: BusClient, _ name: String, _ frames: Int) async throws -> FilterPort {
        try await app.filter(name, inputs: .mono, latency: frames, state: DelayLine(frames)) { line, _, input, output in
            let from = input[0]
            var to = output[0]
            for frame in from.indices { to[frame] = 0.5 * line.pass(from[frame]) }
        }
    }

    private func ends(_ step: Step) -> (GraphPort.ID, GraphPort.ID) {
        switch step {
        case .intoFirst: (sender.id, first.id)
        case .forth: (first.id, second.id)
        case .back: (second.id, first.id)
        case .outOfSecond: (second.id, receiver.id)
        }
    }

    func make(_ step: Step) async throws {
        let (source, destination) = ends(step)
        try await apps[0].connect(source, to: destination)
        try await graph.settle()
    }

    func undo(_ step: Step) async throws {
        let (source, destination) = ends(step)
        try await apps[0].disconnect(source, from: destination)
        try await graph.settle()
    }

    /// Checks the latency that the receiver has for its source, in frames.
    func expectLatency(_ expected: Int, _ what: String, file: StaticString = #filePath, line: UInt = #line) async throws
    {
        do {
            try await eventually("\(expected) frames \(what)", within: .seconds(5)) {
                try await receiver.sources.first?.latencyRange.frames == expected...expected
            }
        } catch {
            let ranges = try await receiver.sources.map(\.latencyRange.frames)
            XCTFail("\(what): \(ranges) instead of \(expected)", file: file, line: line)
        }
    }

    /// How old a single sample is when it is heard first.
    func heardAge() async throws -> Int? {
        try await graph.step([(Self.cycle, 1)])
        let made = (hearing.moments.last?.start ?? 0) + Int64(3 * Self.cycle + 10)
        impulse.position.store(made, ordering: .relaxed)
        hearing.forget()
        try await graph.step([(Self.cycle, 12)])
        for moment in hearing.moments {
            // Both filters halve it, and what went round is less still.
            if let index = moment.mix[0].firstIndex(of: 0.25) { return Int(moment.start) + index - Int(made) }
        }
        return nil
    }

    func close() async throws {
        for app in apps { await app.close() }
        try await graph.close()
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization

/// An app whose receiver hands what it takes to its sender, between a sender and a receiver of another app. The sound says
/// at which position it was made.
final class OrderScene: Sendable {
    let graph: SteppedGraph
    let app: BusClient
    let others: BusClient
    let source: SenderPort
    let sink: ReceiverPort
    private let heard = Heard()
    private let passing = PassOn()

    static func start(installation: PipeWireInstallation = .chosen) async throws -> OrderScene {
        let graph = try await SteppedGraph.start(installation: installation)
        let others = try await BusClient.connect(
            as: "org.pipebus.others", name: "Others", remote: graph.remote, allowsConnectionsToSelf: true)
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: graph.remote, allowsConnectionsToSelf: true)
        return try await OrderScene(graph, app, others)
    }

    private init(_ graph: SteppedGraph, _ app: BusClient, _ others: BusClient) async throws {
        self.graph = graph
        self.app = app
        self.others = others
        source = try await others.sender("source", channels: .mono, state: ()) { _, cycle, output in
            var samples = output[0]
            // Whole numbers up to 2^24 are exact.
            for frame in samples.indices { samples[frame] = Float(Int(cycle.position) + frame + 1) }
        }
        sink = try await others.receiver("sink", channels: .mono, lanes: 16, fade: .none, state: heard) {
            heard, cycle, mix in
            let samples = mix[0]
            heard.note(Int(cycle.position) + 1 - Int(samples[0]))
            heard.note(Int(cycle.position) + cycle.frameCount - Int(samples[cycle.frameCount - 1]))
        }
    }

    @discardableResult
    func add(first: String, ordered: Bool) async throws -> SenderPort {
        if first == "in" { _ = try await passing.receiver("in", on: app) }
        let sender = try await passing.sender("out", on: app, after: ordered ? ["in"] : [])
        if first != "in" { _ = try await passing.receiver("in", on: app) }
        return sender
    }

    func connect(quantum: Int = 64) async throws {
        try await others.connect(source, to: "App.in")
        try await others.connect("App.out", to: sink)
        try await graph.settle()
        // The sound of the first cycle begins where the second connection was made.
        try await graph.step([(quantum, 3)])
    }

    /// In cycles of these lengths: how many frames ago what arrives was made.
    func ages(_ quanta: [Int]) async throws -> Set<Int> {
        heard.clear()
        try await graph.step(quanta.map { ($0, 1) })
        return heard.ages
    }

    /// Adds a receiver, and a sender that runs after the ports in the closure's declaration.
    func add(
        after predecessors: (ReceiverPort) -> [any LocalPortDesignator]
    ) async throws -> (input: ReceiverPort, output: SenderPort) {
        let input = try await passing.receiver("in", on: app)
        return (input, try await passing.sender("out", on: app, after: predecessors(input)))
    }

    func addSender() async throws -> SenderPort { try await passing.sender("out", on: app, after: ["in"]) }

    /// A filter of the app that records when it runs.
    func filter(_ name: String, _ log: OrderLog, _ index: Int, after: [String] = []) async throws -> FilterPort {
        let line = OrderLog.Line(log, index)
        return try await app.filter(name, inputs: .mono, after: after, state: line) { line, cycle, _, _ in
            line.log.note(line.index, at: cycle.position)
        }
    }

    // MARK: As others see it

    /// The lines of `pw-link`.
    func links(_ option: String) async throws -> [String] {
        let tool = try graph.start("pw-link", [option])
        _ = try await tool.waitForEnd()
        return tool.output.lines
    }

    var orderLinks: Int {
        get async throws { try await links("-l").count { $0.contains("|->") && $0.contains("order_in") } }
    }

    /// Links whose end runs first, as node names.
    func feedbackLinks() async throws -> [String] {
        let dump = try await GraphDump.take(graph)
        return dump.objects.filter { $0.type == "Link" && ["true", "1"].contains($0.properties["link.feedback"]) }
            .map { link in
                let names = ["link.output.node", "link.input.node"].map { key in
                    dump.objects.first { "\($0.id)" == link.properties[key] }?.properties["node.name"] ?? "?"
                }
                return names.joined(separator: " -> ")
            }
            .sorted()
    }

    func close() async throws {
        await app.close()
        await others.close()
        try await graph.close()
    }

    /// Ages that were heard, a bit for each that this test knows, and one for all others.
    private final class Heard: Sendable {
        private static let known = [0, 16, 64, 256, 333, 1024, 8192]
        private let bits = Atomic<UInt64>(0)

        func note(_ age: Int) {
            var bit: UInt64 = 1 << 63
            for index in 0..<7 where Self.known[index] == age { bit = 1 << UInt64(index) }
            _ = bits.bitwiseOr(bit, ordering: .relaxed)
        }

        func clear() { bits.store(0, ordering: .relaxed) }

        var ages: Set<Int> {
            let bits = bits.load(ordering: .relaxed)
            let found = Self.known.indices.filter { bits & (1 << UInt64($0)) != 0 }.map { Self.known[$0] }
            return Set(found).union(bits >> 63 != 0 ? [-1] : [])
        }
    }
}

// SPDX-License-Identifier: MIT
import OrderModel
import PipeBus
import PipeBusTesting
import SeededRandom

/// An app with filters that are to run after each other, made in any order, and audio connected between them and through
/// other apps' filters before, in between and after, in loops too.
final class RandomOrder {
    private let graph: SteppedGraph
    private let app: BusClient
    private let others: BusClient
    private let sink: ReceiverPort
    private var foreign: [FilterPort] = []
    private var generator: SeededGenerator
    private let count: Int
    /// For each port, those that it is to run after. A port's number has nothing to do with when it is made.
    private var after: [[Int]]
    private var ports: [FilterPort?]
    private let log: OrderLog
    /// PipeWire's order for the links. The app's nodes have the ports' numbers, the other nodes the numbers after them.
    private var model = OrderedGraph()

    /// - Parameter others: of another app, on the same graph.
    init(seed: UInt64, graph: SteppedGraph, app: BusClient, others: BusClient) async throws {
        self.graph = graph
        self.app = app
        self.others = others
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...6, using: &generator)
        let density = Double.random(in: 0.2...0.9, using: &generator)
        let places = Array(0..<count).shuffled(using: &generator)
        self.count = count
        after = (0..<count).map { port in
            (0..<count).filter { other in
                places[other] < places[port] && Double.random(in: 0..<1, using: &generator) < density
            }
        }
        self.generator = generator
        ports = Array(repeating: nil, count: count)
        log = OrderLog(count: count)
        sink = try await others.receiver("sink", channels: .mono, lanes: 16, state: ()) { _, _, _ in }
        for number in 0..<2 {
            foreign.append(try await others.filter("x\(number)", inputs: .mono, state: ()) { _, _, _, _ in })
        }
    }

    /// - Returns: what is wrong, if anything.
    func run() async throws -> String? {
        for port in Array(0..<count).shuffled(using: &generator) { try await make(port) }
        // One port is closed and added again, into the present graph.
        let port = Int.random(in: 0..<count, using: &generator)
        await ports[port]?.close()
        ports[port] = nil
        log.forget(port)
        model.remove("p\(port)")
        try await reconnectStale()
        try await connectSome()
        try await make(port)
        try await connectSome()
        try await graph.settle()
        try await graph.step([(64, 3)])
        log.clear()
        let before = (0..<count).map(log.runs)
        try await graph.step([(64, 20), (1024, 3), (333, 3), (16, 20)])
        if !log.violations.isEmpty { return "violations \(log.violations) with after \(after)" }
        for port in 0..<count where log.runs(port) != before[port] + 46 {
            return "port \(port) ran \(log.runs(port) - before[port]) times of 46 with after \(after)"
        }
        for port in ports.compactMap({ $0 }) where try await port.statistics.missedFrames != 0 {
            return "\(port.name) missed frames"
        }
        return log.repeats == 0 ? nil : "a block ran twice in a cycle"
    }

    func close() async {
        for port in ports { await port?.close() }
        for port in foreign { await port.close() }
        await sink.close()
    }

    private func make(_ number: Int) async throws {
        let names = after[number].map { "p\($0)" }
        try model.add("p\(number)", node: number, after: names)
        // So do a few in ten thousand, and these are others.
        guard !model.directions.isTangled else { throw TestKitError("PipeWire cannot run that graph.") }
        let line = OrderLog.Line(log, number)
        let port = try await app.filter(
            "p\(number)", inputs: .mono, after: names, state: line
        ) { line, cycle, _, _ in line.log.note(line.index, at: cycle.position) }
        ports[number] = port
        for other in 0..<count where ports[other] != nil {
            if after[number].contains(other) { log.expect(other, before: number) }
            if after[other].contains(number) { log.expect(number, before: other) }
        }
        model.connect(number, to: -1)
        try await others.connect("App.p\(number)", to: sink)
        try await connectSome()
        try await graph.step([(64, 2)])
    }

    private func connectSome() async throws {
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let first = Int.random(in: 0..<count + foreign.count, using: &generator)
            let second = Int.random(in: 0..<count + foreign.count, using: &generator)
            guard let from = port(first), let to = port(second), first != second,
                !model.isConnected(first, to: second)
            else { continue }
            var next = model
            next.connect(first, to: second)
            // With an order or without: PipeWire would stand still.
            guard !next.directions.isTangled else { continue }
            model = next
            // Any client connects: the order is the app's own.
            let client = Bool.random(using: &generator) ? app : others
            try await client.connect(from.nodeName, to: to.nodeName)
        }
    }

    /// PipeWire keeps the order of the two ends of a former loop until they are connected again.
    private func reconnectStale() async throws {
        for (first, second) in model.stale {
            guard let from = port(first), let to = port(second) else { continue }
            try await others.disconnect(from.nodeName, from: to.nodeName)
            model.disconnect(first, from: second)
        }
    }

    private func port(_ number: Int) -> FilterPort? { number < count ? ports[number] : foreign[number - count] }
}

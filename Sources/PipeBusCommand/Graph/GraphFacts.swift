// SPDX-License-Identifier: MIT
import PipeBus

/// What is known about the ports of a graph besides the graph itself.
struct GraphFacts: Sendable {
    typealias Levels = Result<[GraphPort.ID: Source.Level], PipeBusError>

    /// The pace of the graph; `nil` while it is not known.
    var pace: GraphDiagram.Pace?
    /// The age of the sound that leaves a port, or arrives at it if nothing leaves it, in frames.
    var latencies: [GraphPort.ID: Int] = [:]
    /// Each receiver's levels, or the reason why it has not published them.
    var levels: [GraphPort.ID: Levels] = [:]
}

extension GraphFacts {
    /// The longest time that a command waits for a measurement. Daemons before 1.4 report up to a second late.
    private static let patience: Duration = .milliseconds(1200)
    private static let pace: Duration = .milliseconds(100)

    /// Requests what the daemon and the apps publish.
    static func all(of graph: GraphSnapshot, _ bus: BusClient) async -> GraphFacts {
        async let levels = ListCommand.levels(in: graph, bus)
        var facts = await measured(bus)
        facts.levels = await levels
        return facts
    }

    /// The latencies and the pace, from a measurement of the cycles if there is any.
    private static func measured(_ bus: BusClient) async -> GraphFacts {
        var facts = GraphFacts()
        facts.pace = bus.clock.map {
            GraphDiagram.Pace(sampleRate: $0.sampleRate, quantum: $0.quantum, driver: $0.driver)
        }
        let end = ContinuousClock.now + patience
        for await activity in bus.activity(every: pace) {
            for node in activity.nodes {
                if let port = node.port, let latency = node.latency { facts.latencies[port] = latency }
            }
            // The driver of most nodes, where there are several.
            let running = Dictionary(grouping: activity.nodes.filter { $0.cycleLength != nil }) { $0.driver ?? "" }
            if let nodes = running.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) })?.value,
                let node = nodes.first, let quantum = node.cycleLength, let rate = node.sampleRate
            {
                facts.pace = GraphDiagram.Pace(sampleRate: rate, quantum: quantum, driver: node.driver)
                break
            }
            let isIdle = !activity.nodes.contains { $0.state == .running }
            if isIdle || !activity.isMeasured || ContinuousClock.now >= end { break }
        }
        return facts
    }
}

// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// What is known of the world at present. Tasks write into it, and the screen reads it.
///
/// - Thread: any.
final class WatchStore: Sendable {
    private struct State {
        var graph = GraphSnapshot.empty
        var facts = GraphFacts()
        var figures: [GraphPort.ID: WatchData.Figures] = [:]
        var load: Float?
        var isMeasured = true
        var tally = XrunTally()
        var meters: [GraphPort.ID: WatchMeter] = [:]
        var interruption: String?
        var answers: [WatchModel.Answer] = []
        /// Incremented when the diagram has to be made again.
        var revision = 0
    }

    private let state = Mutex(State())

    // MARK: Writing

    func set(_ graph: GraphSnapshot) {
        state.withLock { state in
            state.graph = graph
            state.revision += 1
        }
    }

    func add(_ activity: GraphActivity, clock: ClockState?) {
        state.withLock { state in
            _ = state.tally.add(activity)
            state.isMeasured = activity.isMeasured || activity.nodes.isEmpty
            state.facts.latencies = Dictionary(
                activity.nodes.compactMap { node in node.port.flatMap { port in node.latency.map { (port, $0) } } }
            ) { first, _ in first }
            state.figures = Dictionary(
                activity.nodes.compactMap { node in
                    node.port.map {
                        (
                            $0,
                            WatchData.Figures(
                                load: node.load?.mean, xruns: node.xrunCount, isStalled: node.state == .stalled)
                        )
                    }
                }
            ) { first, _ in first }
            let driver = activity.mainDriver
            state.load = driver?.load?.mean
            state.facts.pace = Self.pace(driver, clock)
            state.revision += 1
        }
    }

    /// The pace of the driver, or while nothing runs that of the daemon's settings.
    private static func pace(_ driver: NodeActivity?, _ clock: ClockState?) -> GraphDiagram.Pace? {
        if let driver, let rate = driver.sampleRate, let quantum = driver.cycleLength {
            return GraphDiagram.Pace(sampleRate: rate, quantum: quantum, driver: driver.title)
        }
        return clock.map { GraphDiagram.Pace(sampleRate: $0.sampleRate, quantum: $0.quantum, driver: $0.driver) }
    }

    func set(_ levels: [GraphPort.ID: GraphFacts.Levels]) {
        state.withLock { state in
            state.facts.levels = levels
            state.revision += 1
        }
    }

    /// The level that a receiver has just reported.
    func set(_ level: Source.Level, at edge: WatchEdge) {
        state.withLock { state in
            var levels = (try? state.facts.levels[edge.destination]?.get()) ?? [:]
            levels[edge.source] = level
            state.facts.levels[edge.destination] = .success(levels)
            state.revision += 1
        }
    }

    /// - Parameter seconds: the time since the last readings.
    func add(_ readings: [SourceMeter], after seconds: Double) {
        state.withLock { state in
            let before = state.meters
            state.meters = Dictionary(
                readings.map { ($0.id, (before[$0.id] ?? WatchMeter()).following($0.meter, after: seconds)) }
            ) { first, _ in first }
        }
    }

    func set(interruption: String?) {
        state.withLock { state in
            state.interruption = interruption
            state.revision += 1
        }
    }

    func answer(_ text: String, isFailure: Bool = false) {
        state.withLock { $0.answers.append(WatchModel.Answer(text: text, isFailure: isFailure)) }
    }

    // MARK: Reading

    var graph: GraphSnapshot { state.withLock(\.graph) }

    /// The last answer since the last call.
    func takeAnswer() -> WatchModel.Answer? {
        state.withLock { state in
            defer { state.answers = [] }
            return state.answers.last
        }
    }

    /// The data of the screen. The diagram is made again only if something of it has changed.
    ///
    /// - Parameter last: the data of the last call, with its revision.
    func data(since last: (data: WatchData, revision: Int)?) -> (data: WatchData, revision: Int) {
        let state = state.withLock { $0 }
        var data = last?.revision == state.revision ? last!.data : Self.data(of: state)
        data.meters = state.meters
        return (data, state.revision)
    }

    private static func data(of state: State) -> WatchData {
        var data = WatchData(diagram: DiagramBuilder(state.graph, state.facts).diagram, graph: state.graph)
        data.figures = state.figures
        data.load = state.load
        data.isMeasured = state.isMeasured
        data.xruns = state.tally.total
        data.culprit = state.tally.culprit.map { DiagramText.bounded($0, to: 40) }
        data.interruption = state.interruption
        return data
    }
}

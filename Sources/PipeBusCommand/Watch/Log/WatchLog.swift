// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// `watch` without a screen: a line for each event.
final class WatchLog: Sendable {
    /// Changes of the graph within this time are told as one: the links of a connection come one by one.
    private static let pause: Duration = .milliseconds(50)

    private let printer: EventPrinter
    private let isJSON: Bool
    private let filter: String?

    /// - Parameter filter: a part of the names of the ports that events are about; `nil` for all.
    init(isJSON: Bool, filter: String?) {
        printer = EventPrinter(isJSON: isJSON)
        self.isJSON = isJSON
        self.filter = filter
    }

    /// Runs until a signal, the time or the end of its reader ends it.
    ///
    /// - Parameter interval: the time between two measurements, and between two requests of the levels.
    func run(_ bus: BusClient, every interval: Duration, _ tool: ToolRun, for duration: Duration?) async throws {
        let end = duration.map { ContinuousClock.now + $0 }
        let tasks = [
            Task { await followGraph(bus) }, Task { await followXruns(bus, every: interval) },
            Task { await followLevels(bus, every: interval) }, Task { await followStates(bus) },
            Task { await followNotices(bus) },
        ]
        try await tool.keep(
            bus,
            until: { [printer] in printer.hasFailed || Terminal.isWithoutReader || end.map { .now >= $0 } ?? false },
            // All of that has events of its own.
            saying: { _ in }, showing: { [] })
        for task in tasks { task.cancel() }
        guard let failure = printer.failure else { return }
        // It has all that it wanted.
        throw Terminal.hasLostItsReader ? ToolCancellation() : failure
    }

    private func followGraph(_ bus: BusClient) async {
        var last = GraphSnapshot.empty
        var isInitial = true
        for await _ in bus.graphUpdates {
            if !isInitial { try? await Task.sleep(for: Self.pause) }
            let graph = await bus.graph
            var events = GraphEvents(from: last, to: graph, filter: filter, hasAllLinks: isJSON).all
            if isInitial { for index in events.indices { events[index].isInitial = true } }
            (last, isInitial) = (graph, false)
            printer.print(events)
        }
    }

    private func followXruns(_ bus: BusClient, every interval: Duration) async {
        var tally = XrunTally()
        for await activity in bus.activity(every: interval) {
            let incidents = tally.add(activity)
            guard !incidents.isEmpty else { continue }
            let graph = await bus.graph
            printer.print(incidents.compactMap { event($0, tally.total, in: graph) })
        }
    }

    private func event(_ incident: XrunTally.Incident, _ total: Int, in graph: GraphSnapshot) -> WatchEvent? {
        let port = incident.port.flatMap { graph.port($0) }
        var event = WatchEvent(.xrun)
        event.port = port.map { graph.uniqueName(of: $0) }
        event.title = incident.title
        event.count = incident.count
        event.total = total
        event.culprit = incident.culprit
        return matches(event.port, event.title, event.culprit, port.flatMap { graph.peer(of: $0)?.name }) ? event : nil
    }

    private func followLevels(_ bus: BusClient, every interval: Duration) async {
        var events = LevelEvents()
        while !Task.isCancelled {
            let graph = await bus.graph
            let levels = await ReceiverLevels.all(in: graph, bus)
            printer.print(
                events.changes(to: levels, in: graph).compactMap { edge, level in
                    guard let source = graph.port(edge.source), let destination = graph.port(edge.destination) else {
                        return nil
                    }
                    var event = WatchEvent(.level)
                    event.source = graph.uniqueName(of: source)
                    event.destination = graph.uniqueName(of: destination)
                    event.volume = level.volume
                    event.pan = level.pan
                    event.isMuted = level.isMuted
                    event.isSoloed = level.isSoloed
                    return matches(event.source, event.destination, source.title, destination.title) ? event : nil
                })
            try? await Task.sleep(for: interval)
        }
    }

    private func followStates(_ bus: BusClient) async {
        var sentences = StateSentences()
        for await state in bus.stateUpdates {
            guard let sentence = sentences.sentence(for: state) else { continue }
            var event = WatchEvent(.daemon)
            event.state = state.reason?.kind.rawValue ?? "running"
            event.message = sentence
            printer.print([event])
        }
    }

    private func followNotices(_ bus: BusClient) async {
        for await notice in bus.notices {
            var event = WatchEvent(.notice)
            event.message = notice.message
            printer.print([event])
        }
    }

    private func matches(_ texts: String?...) -> Bool {
        guard let filter = filter?.lowercased() else { return true }
        return texts.contains { $0?.lowercased().contains(filter) == true }
    }
}

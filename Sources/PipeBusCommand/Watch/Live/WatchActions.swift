// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import ToolSupport

/// Does what keys ask for, one after the other, and answers with a sentence.
final class WatchActions: Sendable {
    private struct State {
        var waiting: [WatchRequest] = []
        var isRunning = false
    }

    /// The time limit for a connection between ports that are there.
    private static let patience: Duration = .seconds(5)

    private let bus: BusClient
    private let store: WatchStore
    private let history: ChangeHistoryFile
    private let state = Mutex(State())

    init(on bus: BusClient, _ store: WatchStore, _ history: ChangeHistoryFile) {
        self.bus = bus
        self.store = store
        self.history = history
    }

    func perform(_ request: WatchRequest) {
        let mustStart = state.withLock { state in
            state.waiting.add(request)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { Task { await performAll() } }
    }

    private func performAll() async {
        while let request = next() {
            do {
                if let sentence = try await answer(request) { store.answer(sentence) }
            } catch {
                store.answer(ErrorText.sentence(for: error), isFailure: true)
            }
        }
    }

    private func next() -> WatchRequest? {
        state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            return state.isRunning ? state.waiting.removeFirst() : nil
        }
    }

    private func answer(_ request: WatchRequest) async throws -> String? {
        switch request {
        case .connect(let edge):
            let connection = try await bus.connect(
                edge.source, to: edge.destination, lingers: true, timeout: Self.patience)
            let count = connection.links.count
            let items = await bus.graph.items(of: [connection])
            let words = "\(await names(of: edge)), \(count) link\(count == 1 ? "" : "s")"
            return recorded(ConnectionChange(connected: items, disconnected: []), words)
        case .disconnect(let edge):
            let names = await names(of: edge)
            let graph = await bus.graph
            let items = graph.items(of: [graph.connection(from: edge.source, to: edge.destination)].compactMap(\.self))
            try await bus.disconnect(edge.source, from: edge.destination)
            return recorded(ConnectionChange(connected: [], disconnected: items), "\(names) is no longer connected")
        case .level(let change, let edge): return try await changeLevel(change, at: edge)
        case .toggleBypass(let filter):
            let isBypassed = try await !bus.isBypassed(filter)
            try await bus.setBypassed(isBypassed, of: filter)
            return "\(await name(of: filter)): bypass \(isBypassed ? "on" : "off")"
        case .undo: return try await perform(.undo)
        case .redo: return try await perform(.redo)
        case .quit, .suspend, .repaint: return nil
        }
    }

    private func recorded(_ change: ConnectionChange, _ words: String) -> String {
        history.recording(change).map { "\(words). \($0)" } ?? words
    }

    private func perform(_ repetition: Repetition) async throws -> String {
        let made = try await repetition.perform(in: history) { [bus] in try await bus.apply($0, lingers: true) }
        let changes = ChangeReport.sentences(made)
        guard let first = changes.first else { return "All of that is so already" }
        return changes.count == 1 ? first : "\(first), and \(changes.count - 1) more"
    }

    private func changeLevel(_ change: WatchRequest.Level, at edge: WatchEdge) async throws -> String {
        let present = try await bus.level(of: edge.source, at: edge.destination)
        let level = try await bus.setLevel(change.change(of: present), of: edge.source, at: edge.destination)
        store.set(level, at: edge)
        return "\(await name(of: edge.source)) at \(await name(of: edge.destination)): \(change.words(for: level))"
    }

    private func name(of port: GraphPort.ID) async -> String {
        let graph = await bus.graph
        return graph.port(port).map { DiagramText.bounded(graph.shownName(of: $0)) } ?? "a port that is gone"
    }

    private func names(of edge: WatchEdge) async -> String {
        "\(await name(of: edge.source)) → \(await name(of: edge.destination))"
    }
}

extension [WatchRequest] {
    /// Adds a request. Steps that wait are taken as one: a key that is held down must not go on after its end.
    fileprivate mutating func add(_ request: WatchRequest) {
        if case .level(let change, let edge) = request, case .level(let waiting, edge) = last,
            let sum = waiting.adding(change)
        {
            self[count - 1] = .level(sum, edge)
        } else {
            append(request)
        }
    }
}

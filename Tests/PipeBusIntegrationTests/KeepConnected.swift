// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// Connects two ports whenever they are not connected, as Docs/Reliability.md shows it.
func keepConnected(
    _ source: String, to destination: String, by bus: BusClient, _ attempts: ConnectionAttempts = ConnectionAttempts()
) async {
    for await graph in bus.graphUpdates {
        guard let source = graph.ports.first(where: { $0.nodeName == source }),
            let destination = graph.ports.first(where: { $0.nodeName == destination }),
            graph.connection(from: source.id, to: destination.id) == nil,
            // The receiver's app connects such a source again when it answers.
            !destination.stalledSources.contains(source.id)
        else { continue }
        attempts.increase()
        _ = try? await bus.connect(source, to: destination)
    }
}

/// Counts the calls of `connect`.
final class ConnectionAttempts: Sendable {
    private let value = Atomic<Int>(0)
    var count: Int { value.load(ordering: .relaxed) }
    func increase() { value.add(1, ordering: .relaxed) }
}

// SPDX-License-Identifier: MIT
import PipeBus

/// The mix levels at all receivers that have sources.
enum ReceiverLevels {
    /// Requests them at once: an app that is suspended takes the whole time limit.
    static func all(in graph: GraphSnapshot, _ bus: BusClient) async -> [GraphPort.ID: GraphFacts.Levels] {
        await withTaskGroup { group in
            for port in graph.ports where port.isMixer && !graph.sources(of: port.id).isEmpty {
                group.addTask {
                    do {
                        return (port.id, GraphFacts.Levels.success(try await bus.levels(at: port.id)))
                    } catch {
                        return (port.id, .failure(error as? PipeBusError ?? PipeBusError(.pipeWire, "\(error)")))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }
}

extension GraphPort {
    /// Whether it keeps a level for each of its sources.
    var isMixer: Bool { isPipeBus && kind == .receiver && !isSeparate }
}

// SPDX-License-Identifier: MIT
import PipeBus

/// The xruns since the command began, from one measurement to the next. Pure.
struct XrunTally: Sendable {
    /// The xruns of a node since the measurement before.
    struct Incident: Equatable, Sendable {
        var port: GraphPort.ID?
        var title: String
        /// The number of cycles that it did not finish in time.
        var count: Int
        /// Whose fault the last of them was, by its name for people; `nil` if that is not known.
        var culprit: String?
    }

    /// The number of cycles that were not finished in time. One that several nodes did not finish counts once.
    private(set) var total = 0
    /// Whose fault the last one was of which that is known.
    private(set) var culprit: String?
    private var counts: [GraphPort.ID: Int] = [:]
    private var otherCounts: [String: Int] = [:]

    /// - Returns: the nodes whose number has grown.
    mutating func add(_ activity: GraphActivity) -> [Incident] {
        var incidents: [Incident] = []
        for node in activity.nodes {
            let before = (node.port.map { counts[$0] } ?? otherCounts[node.title]) ?? 0
            // They begin again with another daemon.
            let new = node.xrunCount >= before ? node.xrunCount - before : node.xrunCount
            if let port = node.port { counts[port] = node.xrunCount } else { otherCounts[node.title] = node.xrunCount }
            guard new > 0 else { continue }
            incidents.append(
                Incident(
                    port: node.port, title: node.title, count: new,
                    culprit: node.isCulprit ? node.title : node.culprit))
        }
        total += incidents.map(\.count).max() ?? 0
        culprit = incidents.compactMap(\.culprit).first ?? culprit
        return incidents
    }
}

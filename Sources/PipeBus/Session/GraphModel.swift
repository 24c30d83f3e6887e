// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The graph as the daemon reports it, and what follows from it. Everything that follows is worked out when it is first
/// asked for, and once for each revision. Lives on the loop.
final class GraphModel {
    /// For questions that cost less than a snapshot.
    private(set) var reducer: GraphReducer
    private var cachedSnapshot: GraphSnapshot?
    private var snapshotPortRevision: UInt64 = 0
    private var cachedReturns: (revision: UInt64, connections: [Connection])?
    private var cachedAudible: (revision: UInt64, graph: GraphSnapshot)?

    /// - Parameter firstRevision: revisions begin behind it.
    init(firstRevision: UInt64 = 0) { reducer = GraphReducer(revision: firstRevision) }

    func apply(_ event: GraphEvent) { reducer.apply(event) }

    /// What is in the graph now.
    var snapshot: GraphSnapshot {
        if let cachedSnapshot, cachedSnapshot.revision == reducer.revision { return cachedSnapshot }
        let areSamePorts = snapshotPortRevision == reducer.portRevision
        let made = reducer.snapshot(reusingPortsOf: areSamePorts ? cachedSnapshot : nil)
        cachedSnapshot = made
        snapshotPortRevision = reducer.portRevision
        return made
    }

    /// The connections that bring an app its own sound although that is not allowed.
    var forbiddenReturns: [Connection] {
        if let cachedReturns, cachedReturns.revision == reducer.revision { return cachedReturns.connections }
        let found = snapshot.forbiddenReturns()
        cachedReturns = (reducer.revision, found)
        return found
    }

    /// The graph without the connections that nothing comes through, because of ``forbiddenReturns``.
    var audible: GraphSnapshot {
        if let cachedAudible, cachedAudible.revision == reducer.revision { return cachedAudible.graph }
        let graph = snapshot.withoutSilenced(by: forbiddenReturns)
        cachedAudible = (reducer.revision, graph)
        return graph
    }

    /// What people see of a source, by the global id of one of its outputs.
    func title(ofOutput output: UInt32) -> String {
        guard let node = reducer.node(ofChannel: output), let serial = reducer.serial(ofNode: node) else {
            return "A source"
        }
        return title(of: GraphPort.ID(serial: serial)) ?? "A source"
    }

    /// What people see of a port, if it is there.
    func title(of port: GraphPort.ID) -> String? { snapshot.port(port)?.shownTitle }
}

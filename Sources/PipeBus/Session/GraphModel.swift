// SPDX-License-Identifier: MIT
import ConnectionGraph

/// The graph that the daemon reports, and the values that follow from it. Each value is computed on first use, once per
/// revision. Confined to the loop.
final class GraphModel {
    /// The reducer, for queries that cost less than a snapshot.
    private(set) var reducer: GraphReducer
    private var cachedSnapshot: GraphSnapshot?
    private var cachedReturns: (revision: UInt64, connections: [Connection])?
    private var cachedAudible: (revision: UInt64, graph: GraphSnapshot)?
    /// The part of the graph that our ports depend on.
    private var surroundings = Surroundings()

    /// - Parameters:
    ///   - firstRevision: the graph's revisions start after this one.
    ///   - ownGroup: the `node.group` of the app's own nodes.
    init(firstRevision: UInt64 = 0, ownGroup: String? = nil) {
        reducer = GraphReducer(revision: firstRevision, ownGroup: ownGroup)
    }

    func apply(_ event: GraphEvent) { reducer.apply(event) }

    /// Updates the part of the graph that these nodes, our ports', depend on now.
    func watchSurroundings(of nodes: [UInt32]) { surroundings = Surroundings(of: nodes, in: reducer) }

    /// Whether an event may concern our ports. To be called before the event is applied if it removes an object, and
    /// otherwise afterwards.
    func concernsOwnPorts(_ event: GraphEvent) -> Bool { surroundings.concerns(event, in: reducer) }

    /// Looks up ports in the present graph.
    var finder: PortFinder { PortFinder(snapshot) }

    /// The present graph.
    var snapshot: GraphSnapshot {
        if let cachedSnapshot, cachedSnapshot.revision == reducer.revision { return cachedSnapshot }
        let snapshot = reducer.takeSnapshot()
        cachedSnapshot = snapshot
        return snapshot
    }

    /// The connections that bring an app its own sound although the app does not allow that.
    var forbiddenReturns: [Connection] {
        if let cachedReturns, cachedReturns.revision == reducer.revision { return cachedReturns.connections }
        let returns = snapshot.forbiddenReturns()
        cachedReturns = (reducer.revision, returns)
        return returns
    }

    /// The graph without the connections that are silenced because of ``forbiddenReturns``.
    var audible: GraphSnapshot {
        if let cachedAudible, cachedAudible.revision == reducer.revision { return cachedAudible.graph }
        let graph = snapshot.withoutSilenced(by: forbiddenReturns)
        cachedAudible = (reducer.revision, graph)
        return graph
    }

    /// The name of a source for people, by the global id of one of its outputs.
    func title(ofOutput output: UInt32) -> String {
        guard let serial = serial(ofChannel: output) else { return "A source" }
        return title(of: GraphPort.ID(serial: serial)) ?? "A source"
    }

    /// The serial of the node that has a channel.
    func serial(ofChannel channel: UInt32) -> UInt64? {
        reducer.node(ofChannel: channel).flatMap { reducer.serial(ofNode: $0) }
    }

    /// The name of a port for people; `nil` if the port does not exist.
    func title(of port: GraphPort.ID) -> String? { snapshot.port(port)?.shownTitle }
}

// SPDX-License-Identifier: MIT
@testable import ConnectionGraph

/// A saved routing, which may be a stranger's, in a graph whose names it may fit.
func fuzzRouting(_ input: Input) {
    let preset: RoutingPreset
    do {
        preset = try RoutingPreset(json: input.rest)
    } catch {
        checkShowable(error.description, atMost: 700, "a reason")
        check(
            !error.place.isEmpty && (error.description.hasSuffix(".") || error.problem.hasSuffix("?")),
            "a reason without a place")
        return
    }
    do {
        let again = try RoutingPreset(json: preset.json)
        check(again == preset && again.json == preset.json, "a saved routing has changed")
    } catch {
        fatalError("a routing cannot be saved and read again: \(error)")
    }
    checkPlan(of: preset)
}

/// The decisions in a graph of some ports, with names that files have, while these come and go.
private func checkPlan(of preset: RoutingPreset) {
    var plan = RoutingPlan(preset)
    var reducer = GraphReducer()
    var now = ContinuousClock.now
    var made: Set<RoutingPlan.Pair> = []
    func update(at time: Duration) {
        now += time
        let graph = reducer.takeSnapshot()
        let actions = plan.update(to: graph, at: now)
        check(actions.count <= RoutingPlan.mostActions, "too many actions")
        for action in actions {
            switch action {
            case .connect(let pair, _):
                check(graph.port(pair.source) != nil && graph.port(pair.destination) != nil, "a port that is not there")
                check(graph.connection(from: pair.source, to: pair.destination) == nil, "what is there is made")
                check(made.insert(pair).inserted, "a connection is made twice")
                plan.finished(action, .failed("No.", isFinal: true), at: now)
            case .setLevel: check(false, "a level of no connection")
            case .setBypass: plan.finished(action, .done, at: now)
            }
        }
        let status = plan.status
        check(status.connections.count <= 2 * RoutingPreset.mostConnections, "too many lines")
        for line in status.connections {
            checkShowable(line.sourceName, atMost: 4000, "a name")
            checkShowable(line.destinationName, atMost: 4000, "a name")
        }
        _ = preset.otherConnections(in: graph)
    }
    update(at: .zero)
    var id: UInt32 = 1
    for (app, nodes) in [("A", ["x", "y"]), ("AB", ["x"])] {
        let client = id
        reducer.apply(
            .added(id: client, kind: .client, properties: ["object.serial": "\(client)", "application.name": app]))
        for name in nodes {
            let node = id + 1
            id += 3
            let properties = ["object.serial": "\(node)", "node.name": name, "client.id": "\(client)"]
            reducer.apply(.added(id: node, kind: .node, properties: properties))
            for (channel, direction) in [(node + 1, "in"), (node + 2, "out")] {
                let channelProperties = [
                    "object.serial": "\(channel)", "node.id": "\(node)", "port.id": "0", "port.direction": direction,
                    "port.name": direction, "format.dsp": "32 bit float mono audio",
                ]
                reducer.apply(.added(id: channel, kind: .port, properties: channelProperties))
            }
        }
        id += 1
        update(at: .milliseconds(300))
    }
    update(at: .seconds(100))
    plan.endSession()
    check(plan.status.isSettled == false, "a plan without a graph is settled")
}
